import assert from 'node:assert/strict'
import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import { Fault } from '../contract/fault.ts'
import { socketFault } from './socket-fault.ts'
import type { Source } from './source.ts'

export type ResponseHead = {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** More than this is not taken off the socket before somebody asks for it. */
const MOST_QUEUED_BYTES = 64 * 1024

/**
 * One answer as it comes in. A class, since it has a life: asked, begun, flowing, over. It stands
 * where the client library would put a stream of its own, at a fraction of the cost.
 */
export class Inbound implements Dispatcher.DispatchHandler, Source<Buffer> {
  readonly #deadline: Deadline
  readonly #begun = Promise.withResolvers<ResponseHead>()
  #controller: Dispatcher.DispatchController | undefined
  #queue: Buffer[] = []
  #queuedBytes = 0
  /** All has come. */
  #ended = false
  #trouble: Fault | undefined
  /** The end, or what broke it, was taken; or nobody wants the rest. */
  #over = false
  #wake: (() => void) | undefined

  /** Rejects only with Faults. */
  readonly head: Promise<ResponseHead> = this.#begun.promise

  constructor(deadline: Deadline) {
    this.#deadline = deadline
    deadline.close = (fault) => this.#abort(fault)
    // Whoever waits for it is told; whoever gave up before does not care.
    this.head.catch(() => {})
  }

  get ready(): boolean {
    return this.#queue.length > 0 || this.#ended || this.#over || this.#trouble !== undefined
  }

  /** What else came in the same read of the socket is there too once the promise is heard. */
  more(): Promise<void> {
    this.#deadline.wait()
    return new Promise((wake) => (this.#wake = wake))
  }

  /** All the bytes that are here. */
  take(): Buffer | undefined {
    if (this.#over) return undefined
    if (this.#queue.length > 0) return this.#takeQueue()
    assert.ok(this.ready, 'Bytes are taken before they are here.')
    this.#over = true
    if (this.#trouble !== undefined) throw this.#trouble
    return undefined
  }

  cancel(): void {
    if (this.#over) return
    this.#over = true
    this.#deadline.end(new Fault('aborted', 'cancelled'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#trouble !== undefined) controller.abort(this.#trouble)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHead['headers'],
  ): void {
    // 1xx are hints; the answer is still to come.
    if (status >= 200) this.#begun.resolve({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#queue.push(chunk)
    this.#queuedBytes += chunk.length
    if (this.#queuedBytes > MOST_QUEUED_BYTES) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#deadline.settle()
    this.#wake?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  /** Closes the socket, now or as soon as there is one. */
  #abort(reason: Fault): void {
    if (this.#ended || this.#trouble !== undefined) return
    if (this.#controller === undefined) this.#fail(reason)
    else this.#controller.abort(reason)
  }

  #fail(error: Error): void {
    this.#trouble ??= this.#deadline.fault ?? socketFault(error)
    this.#deadline.settle()
    this.#begun.reject(this.#trouble)
    this.#wake?.()
  }

  #takeQueue(): Buffer {
    this.#deadline.arrived()
    const queue = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    if (this.#controller?.paused) this.#controller.resume()
    return queue.length === 1 ? queue[0]! : Buffer.concat(queue)
  }
}
