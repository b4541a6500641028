import { Failure } from '../lib/failure.ts'

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
