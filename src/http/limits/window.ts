import type { Slot } from '../ports.ts'

export const WINDOW_MS = 60_000

/** Calls let through in this minute and in the one before. */
export type Counts = { previous: number; current: number }

/**
 * A sliding minute from two counters: the last minute counts for the part of it that is still within
 * sixty seconds. It needs no more than counting, so a process and a Redis judge alike.
 */
export function judge(counts: Counts, perMinute: number, nowMs: number): Slot {
  const elapsed = (nowMs % WINDOW_MS) / WINDOW_MS
  const used = counts.previous * (1 - elapsed) + counts.current
  const allowed = used + 1 <= perMinute
  return {
    allowed,
    limit: perMinute,
    remaining: Math.max(0, Math.floor(perMinute - used - (allowed ? 1 : 0))),
    resetS: Math.ceil((counts.current > 0 || allowed ? 2 - elapsed : 1 - elapsed) * 60),
    retryAfterS: allowed ? 0 : Math.max(1, Math.ceil(waitMinutes(counts, perMinute, elapsed) * 60)),
  }
}

/** Until enough of the older calls have slid out of the minute for one more to fit. */
function waitMinutes(counts: Counts, perMinute: number, elapsed: number): number {
  const room = perMinute - 1
  if (counts.current <= room) return 1 - (room - counts.current) / counts.previous - elapsed
  return 1 - elapsed + (1 - room / counts.current)
}

export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / WINDOW_MS)
}
