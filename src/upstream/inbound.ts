import type { Dispatcher } from 'undici'

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
export class Inbound implements Dispatcher.DispatchHandler {
  readonly head: Promise<ResponseHead>
  readonly #begun = Promise.withResolvers<ResponseHead>()
  #controller: Dispatcher.DispatchController | undefined
  #queue: Buffer[] = []
  #queuedBytes = 0
  #ended = false
  #trouble: Error | undefined
  #wake: (() => void) | undefined

  constructor() {
    this.head = this.#begun.promise
    // Whoever waits for it is told; whoever gave up before does not care.
    this.head.catch(() => {})
  }

  /** The next bytes, all that are here; undefined at the end. Throws when the answer broke off. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#queue.length > 0) return this.#take()
      if (this.#trouble !== undefined) throw this.#trouble
      if (this.#ended) return undefined
      await new Promise<void>((wake) => (this.#wake = wake))
    }
  }

  /** Closes the socket, now or as soon as there is one. */
  abort(reason: Error): void {
    if (this.#ended || this.#trouble !== undefined) return
    if (this.#controller === undefined) this.#fail(reason)
    else this.#controller.abort(reason)
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
    this.#wake?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(error: Error): void {
    this.#trouble ??= error
    this.#begun.reject(error)
    this.#wake?.()
  }

  #take(): Buffer {
    const queue = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    if (this.#controller?.paused) this.#controller.resume()
    return queue.length === 1 ? queue[0]! : Buffer.concat(queue)
  }
}
