import type { Clock } from '../../lib/clock.ts'
import { networkOf } from '../../lib/network.ts'

/** Counts a call against a bucket. May answer at once or after asking Redis. */
export type Limiter = {
  take(bucket: string, perMinute: number): Slot | Promise<Slot>
  /** What was taken from the bucket a moment ago does not count after all. */
  giveBack(bucket: string): void
}

export type Slot = {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the bucket is full again. */
  resetS: number
  /** Seconds until one more call fits; 0 when allowed. */
  retryAfterS: number
}

const MOST_BUCKETS = 100_000

/** Counts in this process. Synchronous, and bounded: the bucket that began longest ago goes first. */
export class ProcessCounter implements Limiter {
  readonly #buckets = new Map<string, Counts & { minute: number }>()
  readonly #clock: Clock
  readonly #most: number

  constructor(clock: Clock, most: number = MOST_BUCKETS) {
    this.#clock = clock
    this.#most = most
  }

  take(bucket: string, perMinute: number): Slot {
    const nowMs = this.#clock.now().getTime()
    const counts = this.#current(bucket, minuteOf(nowMs))
    const slot = judge(counts, perMinute, nowMs)
    if (slot.allowed) counts.current++
    return slot
  }

  giveBack(bucket: string): void {
    const counts = this.#buckets.get(bucket)
    if (counts !== undefined && counts.current > 0) counts.current--
  }

  async close(): Promise<void> {}

  get size(): number {
    return this.#buckets.size
  }

  #current(bucket: string, minute: number): Counts {
    const known = this.#buckets.get(bucket)
    if (known?.minute === minute) return known
    const previous = known?.minute === minute - 1 ? known.current : 0
    const fresh = { minute, previous, current: 0 }
    // Set anew, so that the map stays in the order of minutes.
    this.#buckets.delete(bucket)
    if (this.#buckets.size >= this.#most) {
      this.#buckets.delete(this.#buckets.keys().next().value!)
    }
    this.#buckets.set(bucket, fresh)
    return fresh
  }
}

export const WINDOW_MS = 60_000

/** Calls let through in this minute and in the one before. */
type Counts = { previous: number; current: number }

/**
 * A sliding minute from two counters: the last minute counts for the part of it that is still within
 * sixty seconds. Counters are all it needs, so the rule is the same in a process and in Redis.
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
  const others = perMinute - 1
  if (counts.current <= others) return 1 - (others - counts.current) / counts.previous - elapsed
  return 1 - elapsed + (1 - others / counts.current)
}

export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / WINDOW_MS)
}

/** One subscriber holds a whole IPv6 /64: count it as one address. */
export function subscriberOf(address: string): string {
  // A longer text is no address, and must not be stored as a bucket's name.
  if (address.length > LONGEST_ADDRESS) return address.slice(0, LONGEST_ADDRESS)
  if (!address.includes(':')) return address
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  return networkOf(address, { v4: 32, v6: 64 })
}

const LONGEST_ADDRESS = 64
