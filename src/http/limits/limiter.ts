import { systemClock, type Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { ProcessCounter, type Limiter } from './process-counter.ts'
import { connectRedis, type RedisCounter } from './redis-counter.ts'

export type OpenLimiter = Limiter & { close(): Promise<void> }

/** Counts per process, or shared through Redis when REDIS_URL is set. */
export async function openLimiter(
  settings: { REDIS_URL?: string | undefined },
  log: Log,
  clock: Clock = systemClock,
): Promise<OpenLimiter> {
  const own = new ProcessCounter(clock)
  if (settings.REDIS_URL === undefined) return own
  return withFallback(await connectRedis(settings.REDIS_URL, clock), own, log)
}

const PROBE_MS = 500

/**
 * While Redis is away each process counts for itself: a limit that is a little too wide is better
 * than no service. Each change is logged once.
 */
function withFallback(shared: RedisCounter, own: Limiter, log: Log): OpenLimiter {
  let away = false
  let probe: NodeJS.Timeout | undefined

  function lose(error: unknown): void {
    if (away) return
    away = true
    log.warn('Redis does not answer; rate limits are now counted per process.', { error })
    probe = setInterval(() => void probeRedis(), PROBE_MS).unref()
  }

  async function probeRedis(): Promise<void> {
    if (!(await shared.isBack())) return
    if (!away) return
    away = false
    clearInterval(probe)
    log.info('Redis answers again; rate limits are shared.')
  }

  return {
    async take(bucket, perMinute) {
      if (!away) {
        try {
          return await shared.take(bucket, perMinute)
        } catch (error) {
          lose(error)
        }
      }
      return own.take(bucket, perMinute)
    },
    giveBack(bucket) {
      if (away) own.giveBack(bucket)
      else shared.giveBack(bucket)
    },
    async close() {
      clearInterval(probe)
      away = true
      shared.close()
    },
  }
}
