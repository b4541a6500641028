import { getHeapStatistics } from 'node:v8'
import { Failure } from '../../lib/failure.ts'

/** A call between its arrival and the last byte of its answer. */
export type RunningCall = { abort(reason: Failure): void }

/** Every call in flight, so that a drain can wait for them and in the end abort them. */
export class RunningCalls {
  draining = false
  readonly #calls = new Set<RunningCall>()
  #idle: (() => void)[] = []

  get count(): number {
    return this.#calls.size
  }

  begin(call: RunningCall): void {
    this.#calls.add(call)
  }

  end(call: RunningCall): void {
    if (!this.#calls.delete(call) || this.#calls.size > 0 || this.#idle.length === 0) return
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }

  whenIdle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  abortAll(): void {
    const reason = new Failure(
      'unavailable',
      'The server is shutting down. Send the request again.',
      { retryAfterS: 1 },
    )
    for (const call of this.#calls) call.abort(reason)
  }
}

/** Past this share of the heap's limit the process does little but collect garbage. */
const TIGHT_HEAP = 0.9
const HEAP_CHECK_MS = 250
const RETRY_AFTER_S = 2

/**
 * What one process can carry at once: calls, bytes of bodies, and its heap. Calls beyond that are
 * asked to come back, before anything is looked up or read for them; running ones go on undisturbed.
 */
export class Capacity {
  readonly #calls: number
  readonly #bodyBytes: number
  readonly #heapUsed: () => number
  #heldBytes = 0
  #checkedMs = -Infinity
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
    if (now - this.#checkedMs < HEAP_CHECK_MS) return this.#tight
    this.#checkedMs = now
    this.#tight = this.#heapUsed() > TIGHT_HEAP
    return this.#tight
  }
}

export function overloaded(): Failure {
  return new Failure('unavailable', 'The service is overloaded. Please try again shortly.', {
    retryAfterS: RETRY_AFTER_S,
  })
}

function usedShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
