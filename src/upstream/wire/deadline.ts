import type { Timeouts } from '../contract/contract.ts'
import { Fault } from '../contract/fault.ts'

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
  readonly #limits: Timeouts
  readonly #startedMs = performance.now()
  #begun = false
  #waiting = true
  #waitingSinceMs = this.#startedMs
  #timer: NodeJS.Timeout | undefined
  readonly #caller: AbortSignal | undefined
  readonly #onAbort = () => this.end(new Fault('aborted', 'caller'))

  constructor(limits: Timeouts, caller: AbortSignal | undefined) {
    this.#limits = limits
    this.#caller = caller
    if (caller?.aborted) this.#onAbort()
    else {
      caller?.addEventListener('abort', this.#onAbort, { once: true })
      this.#look()
    }
  }

  /** Before each wait for bytes. */
  wait(): void {
    // For the first ones we wait from the start.
    if (!this.#begun) return
    this.#waiting = true
    this.#waitingSinceMs = performance.now()
  }

  /** Bytes are here. */
  arrived(): void {
    this.#begun = true
    this.#waiting = false
  }

  /** Closes the socket. */
  end(fault: Fault): void {
    this.fault ??= fault
    this.settle()
    this.close(this.fault)
  }

  /** The call is over: nothing may fire any more. */
  settle(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }

  /**
   * One timer for all clocks, not set anew at each arrival: it looks again before any of them can
   * have run out. A wait that begins after a look cannot end within `idleMs` of it.
   */
  #look(): void {
    const nowMs = performance.now()
    const { firstByteMs, idleMs, totalMs } = this.#limits
    const totalLeftMs = this.#startedMs + totalMs - nowMs
    if (totalLeftMs <= 0) return this.end(new Fault('timeout', 'total'))
    const patienceMs = this.#begun ? idleMs : firstByteMs
    const leftMs = this.#waiting ? this.#waitingSinceMs + patienceMs - nowMs : idleMs
    if (leftMs <= 0) return this.end(new Fault('timeout', this.#begun ? 'idle' : 'first_byte'))
    this.#timer = setTimeout(() => this.#look(), Math.min(totalLeftMs, leftMs, idleMs))
  }
}
