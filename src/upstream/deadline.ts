import type { Timeouts } from './contract.ts'
import { Fault } from './fault.ts'

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 120_000,
  idleMs: 60_000,
  totalMs: 600_000,
}

/**
 * The clocks of one call, and the one switch that closes its socket. The idle clock runs only
 * while we wait for the upstream: a slow reader on our side is not the upstream's silence.
 */
export class Deadline {
  /** Why the call was ended by us, if it was. */
  fault: Fault | undefined
  /** Closes the socket of the call; set by whoever opens it. */
  close: (fault: Fault) => void = () => {}
  readonly #idleMs: number
  readonly #total: NodeJS.Timeout
  readonly #firstByte: NodeJS.Timeout
  #idle: NodeJS.Timeout | undefined
  #waiting = true
  readonly #caller: AbortSignal | undefined
  readonly #onAbort = () => this.end(new Fault('aborted', 'caller'))

  constructor(limits: Timeouts, caller: AbortSignal | undefined) {
    this.#idleMs = limits.idleMs
    this.#total = setTimeout(() => this.end(new Fault('timeout', 'total')), limits.totalMs)
    this.#firstByte = setTimeout(
      () => this.end(new Fault('timeout', 'first_byte')),
      limits.firstByteMs,
    )
    this.#caller = caller
    if (caller?.aborted) this.#onAbort()
    else caller?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Before each wait for bytes that follow the first ones. */
  wait(): void {
    this.#waiting = true
    this.#idle?.refresh()
  }

  /** Bytes are here. */
  arrived(): void {
    this.#waiting = false
    if (this.#idle) return
    clearTimeout(this.#firstByte)
    this.#idle = setTimeout(() => {
      if (this.#waiting) this.end(new Fault('timeout', 'idle'))
    }, this.#idleMs)
  }

  /** Closes the socket. */
  end(fault: Fault): void {
    this.fault ??= fault
    this.settle()
    this.close(this.fault)
  }

  /** The call is over: nothing may fire any more. */
  settle(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#firstByte)
    clearTimeout(this.#idle)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }
}
