import type { Clock } from '../../lib/clock.ts'
import type { Limiter, Slot } from '../ports.ts'
import { judge, minuteOf, type Counts } from './window.ts'

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
