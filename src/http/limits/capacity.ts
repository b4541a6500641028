import { getHeapStatistics } from 'node:v8'
import { Failure } from '../../lib/failure.ts'

/** Past this share of the heap's limit the collector works for nobody else. */
const TIGHT_HEAP = 0.9
const LOOK_EVERY_MS = 250
const RETRY_AFTER_S = 2

/**
 * What one process can carry at once: calls, bytes of bodies, and its heap. What comes beyond is told
 * to come back, before anything is looked up or read for it; what runs goes on undisturbed.
 */
export class Capacity {
  readonly #calls: number
  readonly #bodyBytes: number
  readonly #heapUsed: () => number
  #heldBytes = 0
  #lookedMs = -Infinity
  #tight = false

  constructor(limits: { calls: number; bodyBytes: number; heapUsed?: () => number }) {
    this.#calls = limits.calls
    this.#bodyBytes = limits.bodyBytes
    this.#heapUsed = limits.heapUsed ?? usedShare
  }

  /** Throws when this call, which is counted already, is one too many. */
  admit(running: number): void {
    if (running > this.#calls || this.#isTight()) throw overloaded()
  }

  /** False when there is no room for these bytes; then none are held. */
  hold(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#bodyBytes) return false
    this.#heldBytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#heldBytes -= bytes
  }

  #isTight(): boolean {
    const now = performance.now()
    if (now - this.#lookedMs < LOOK_EVERY_MS) return this.#tight
    this.#lookedMs = now
    this.#tight = this.#heapUsed() > TIGHT_HEAP
    return this.#tight
  }
}

export function overloaded(): Failure {
  return new Failure('unavailable', 'The service is overloaded. Please try again.', {
    retryAfterS: RETRY_AFTER_S,
  })
}

function usedShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
