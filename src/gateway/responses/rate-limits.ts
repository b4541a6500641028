import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../lib/failure.ts'

/** In all. A caller who would wait longer is told so instead. */
const LONGEST_WAIT_S = 5

/**
 * Some clients give up their whole turn when they are told to retry after a second, so a short rate
 * limit is waited for and retried here. Nothing is held meanwhile.
 */
export async function retryShortRateLimits<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  let leftS = LONGEST_WAIT_S
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const waitS = waitOf(error)
      if (waitS === undefined || waitS > leftS) throw error
      leftS -= waitS
      // Ends early when the caller leaves; then nobody is there to be told of the failure.
      await wait(waitS * 1_000, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}

function waitOf(error: unknown): number | undefined {
  if (!(error instanceof Failure) || error.kind !== 'rate_limited') return undefined
  return Math.max(1, error.retryAfterS ?? 1)
}
