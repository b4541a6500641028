import assert from 'node:assert/strict'
import type { Dispatcher } from 'undici'
import { batchPerTick } from '../../lib/clock.ts'
import type { Timeouts } from '../contract/contract.ts'
import { UpstreamError, SLOW_READER } from '../contract/upstream-error.ts'
import { socketError } from './socket-error.ts'
import type { Source } from './source.ts'

export type ResponseHead = {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** More is not read from the socket before it is taken. */
const MOST_QUEUED_BYTES = 64 * 1024

/**
 * One answer as it arrives: requested, begun, flowing, over. Replaces the client library's stream
 * at a fraction of its cost.
 */
export class Inbound implements Dispatcher.DispatchHandler, Source<Buffer> {
  static readonly #tellTogether = batchPerTick((inbound: Inbound) => inbound.#tell())
  /** The most bytes that are given: beyond it `take()` closes the socket and throws. */
  cap = Number.POSITIVE_INFINITY
  readonly #deadline: Deadline
  readonly #begun = Promise.withResolvers<ResponseHead>()
  #controller: Dispatcher.DispatchController | undefined
  #response: ResponseHead | undefined
  #queue: Buffer[] = []
  #queuedBytes = 0
  #takenBytes = 0
  #ended = false
  #error: UpstreamError | undefined
  /** The end or the error was taken, or the rest is not wanted. */
  #over = false
  #toldSoon = false
  #wake: (() => void) | undefined

  /** Rejects only with UpstreamErrors. */
  readonly head: Promise<ResponseHead> = this.#begun.promise

  constructor(deadline: Deadline) {
    this.#deadline = deadline
    deadline.answer = this
    // An unhandled rejection must not end the process.
    this.head.catch(() => {})
  }

  get ready(): boolean {
    return this.#queue.length > 0 || this.#ended || this.#over || this.#error !== undefined
  }

  /** By then everything from the same read of the socket has arrived. */
  more(): Promise<void> {
    this.#deadline.wait()
    return new Promise((wake) => (this.#wake = wake))
  }

  take(): Buffer | undefined {
    if (this.#over) return undefined
    if (this.#queue.length > 0) return this.#takeQueue()
    assert.ok(this.ready, 'Bytes were taken before they arrived.')
    this.#over = true
    if (this.#error !== undefined) throw this.#error
    return undefined
  }

  rest(): void {
    this.#deadline.rest()
  }

  cancel(): void {
    if (this.#over) return
    this.#over = true
    this.#deadline.end(new UpstreamError('aborted', 'cancelled'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#error !== undefined) controller.abort(this.#error)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHead['headers'],
  ): void {
    // 1xx: the answer is still to come.
    if (status < 200) return
    this.#response = { status, headers }
    this.#tellSoon()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#queue.push(chunk)
    this.#queuedBytes += chunk.length
    if (this.#queuedBytes > MOST_QUEUED_BYTES) controller.pause()
    this.#tellSoon()
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#deadline.settle()
    this.#tellSoon()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  /** Closes the socket, now or as soon as there is one. */
  abort(reason: UpstreamError): void {
    if (this.#ended || this.#error !== undefined) return
    if (this.#controller === undefined) this.#fail(reason)
    else this.#controller.abort(reason)
  }

  #fail(error: Error): void {
    this.#error ??= this.#deadline.error ?? this.#deadline.judge(socketError(error))
    this.#deadline.settle()
    this.#tellSoon()
  }

  /** Together with the other answers of this turn. */
  #tellSoon(): void {
    if (this.#toldSoon) return
    this.#toldSoon = true
    Inbound.#tellTogether(this)
  }

  #tell(): void {
    this.#toldSoon = false
    if (this.#response !== undefined) this.#begun.resolve(this.#response)
    else if (this.#error !== undefined) this.#begun.reject(this.#error)
    // A reader may already have taken it, and waits for more.
    if (this.ready) this.#wake?.()
  }

  #takeQueue(): Buffer {
    this.#deadline.arrived()
    const queue = this.#queue
    this.#takenBytes += this.#queuedBytes
    this.#queue = []
    this.#queuedBytes = 0
    if (this.#takenBytes > this.cap) {
      this.cancel()
      throw new UpstreamError('too_large', 'body')
    }
    if (this.#controller?.paused) this.#controller.resume()
    return queue.length === 1 ? queue[0]! : Buffer.concat(queue)
  }
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 120_000,
  idleMs: 60_000,
  totalMs: 600_000,
}

/**
 * The clocks of one call, and what closes its socket. The idle clock runs only while we wait for
 * the upstream; no clock runs while we wait for our own reader.
 */
export class Deadline {
  /** Why we ended the call. */
  error: UpstreamError | undefined
  /** Set by whoever opens it. */
  answer: { abort(error: UpstreamError): void } | undefined
  readonly #limits: Timeouts
  readonly #startedMs = performance.now()
  #begun = false
  #waiting = true
  #waitingSinceMs = this.#startedMs
  #restingSinceMs: number | undefined
  #restedMs = 0
  #longestRestMs = 0
  #timer: NodeJS.Timeout | undefined
  readonly #caller: AbortSignal | undefined
  readonly #onAbort = () => this.end(new UpstreamError('aborted', 'caller'))

  constructor(limits: Timeouts, caller: AbortSignal | undefined) {
    this.#limits = limits
    this.#caller = caller
    if (caller?.aborted) this.#onAbort()
    else {
      caller?.addEventListener('abort', this.#onAbort, { once: true })
      this.#check()
    }
  }

  /** Our reader has no room, until the next wait or arrival. */
  rest(): void {
    this.#restingSinceMs ??= performance.now()
  }

  /** Before each wait for bytes. */
  wait(): void {
    if (this.#restingSinceMs !== undefined) this.#goOn(this.#restingSinceMs)
    // The wait for the first bytes began with the call.
    if (!this.#begun) return
    this.#waiting = true
    this.#waitingSinceMs = performance.now()
  }

  arrived(): void {
    if (this.#restingSinceMs !== undefined) this.#goOn(this.#restingSinceMs)
    this.#begun = true
    this.#waiting = false
  }

  end(error: UpstreamError): void {
    this.error ??= error
    this.settle()
    this.answer?.abort(this.error)
  }

  /** A connection that broke after a long rest broke because of our slow reader. */
  judge(error: UpstreamError): UpstreamError {
    if (this.#restingSinceMs !== undefined) this.#goOn(this.#restingSinceMs)
    const longRest = this.#longestRestMs >= this.#limits.idleMs / 2
    return longRest && error.kind === 'reset' ? new UpstreamError('aborted', SLOW_READER) : error
  }

  settle(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }

  /**
   * One timer for all clocks, not set anew for each arrival: it checks again before any can have
   * run out. A wait that begins after a check cannot end within `idleMs` of it.
   */
  #check(): void {
    const nowMs = performance.now()
    const { firstByteMs, idleMs, totalMs } = this.#limits
    if (this.#restingSinceMs !== undefined) {
      this.#timer = setTimeout(() => this.#check(), idleMs)
      return
    }
    const totalLeftMs = this.#startedMs + totalMs + this.#restedMs - nowMs
    if (totalLeftMs <= 0) return this.end(new UpstreamError('timeout', 'total'))
    const patienceMs = this.#begun ? idleMs : firstByteMs
    const leftMs = this.#waiting ? this.#waitingSinceMs + patienceMs - nowMs : idleMs
    if (leftMs <= 0)
      return this.end(new UpstreamError('timeout', this.#begun ? 'idle' : 'first_byte'))
    this.#timer = setTimeout(() => this.#check(), Math.min(totalLeftMs, leftMs, idleMs))
  }

  #goOn(sinceMs: number): void {
    const restMs = performance.now() - sinceMs
    this.#restingSinceMs = undefined
    this.#restedMs += restMs
    this.#longestRestMs = Math.max(this.#longestRestMs, restMs)
  }
}
