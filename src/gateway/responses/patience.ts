import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../lib/failure.ts'

/** In all. A caller who waits longer is better told. */
const LONGEST_WAIT_S = 5

/**
 * Some clients end their whole turn when they are told to come again in a second: a short wait is
 * waited out here. Nothing is held meanwhile.
 */
export async function waitingOut<Result>(
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
      // Ends early when the caller leaves; then the failure has nobody to be told to.
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
