import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../lib/failure.ts'

/** In total. Callers who would wait longer are told so. */
const LONGEST_WAIT_S = 5

/**
 * Some clients give up a whole turn when told to retry after a second, so short rate limits are
 * retried here. Nothing is held meanwhile.
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
      // Ends when the caller leaves.
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
