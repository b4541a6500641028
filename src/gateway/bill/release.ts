import { setTimeout as wait } from 'node:timers/promises'
import type { Billing } from './billing.ts'
import type { CallPosting } from './rows.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * Ends a bill without a charge. Resolves after the first try, so that a caller never waits for a
 * database that is away; further tries follow until one succeeds. If this process dies first, the
 * sweeper does the same.
 */
export async function release(billing: Billing, posting: CallPosting): Promise<void> {
  if (!(await tryRelease(billing, posting))) void releaseLater(billing, posting)
}

async function releaseLater(billing: Billing, posting: CallPosting): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    await wait(waitMs, undefined, { ref: false })
    if (await tryRelease(billing, posting)) return
  }
}

async function tryRelease(
  { queue, openHolds, log }: Billing,
  posting: CallPosting,
): Promise<boolean> {
  try {
    await queue.submit(posting)
    const { command } = posting
    if (command?.kind === 'release') openHolds.delete(command.holdId)
    return true
  } catch (error) {
    log.warn('A hold could not be released; it will be tried again.', { error })
    return false
  }
}
