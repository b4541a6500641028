import type { Outflow, Sink } from '../../lib/answer.ts'
import type { ChatStream } from '../../upstream/work.ts'
import type { StreamForm } from './form.ts'

/**
 * The three ends of a paid stream. One is called, once; a second one only when `finished` throws.
 */
export type StreamEnds = {
  /** Settles and returns what is still to be sent. */
  finished(): Promise<string>
  /** Releases the hold and returns the error event. */
  broke(error: unknown): Promise<string>
  /** The reader left: releases the hold. */
  left(): Promise<void>
  /** Whether a reader who leaves may do so without paying; else the answer is read to its end. */
  mayLeave(): Promise<boolean>
}

const HEARTBEAT_MS = 15_000
/**
 * Batches of at most 64 KiB that are read when a reader leaves, to see whether the answer is
 * complete.
 */
const MOST_LOOKED_THROUGH = 16

/**
 * Server-sent events, read from the upstream one batch at a time and only when the reader has room.
 */
export class ChatOutflow implements Outflow {
  readonly #stream: ChatStream
  readonly #form: StreamForm
  readonly #ends: StreamEnds
  #heartbeat: NodeJS.Timeout | undefined
  #flowing: Promise<void> | undefined
  #ended = false
  /** The reader left; writes are discarded. */
  #gone = false
  /** Waiting for the reader, not for the upstream. */
  #full = false

  constructor(stream: ChatStream, form: StreamForm, ends: StreamEnds) {
    this.#stream = stream
    this.#form = form
    this.#ends = ends
  }

  flow(sink: Sink): void {
    this.#heartbeat = setInterval(() => this.#beat(sink), HEARTBEAT_MS)
    this.#flowing = this.#flow(sink)
  }

  async left(): Promise<void> {
    if (this.#ended || this.#gone) return this.#flowing
    this.#gone = true
    clearInterval(this.#heartbeat)
    if (this.#isComplete() || !(await this.#ends.mayLeave())) {
      return (this.#flowing ??= this.#flow(DISCARD))
    }
    // It may have ended while that was looked up.
    if (this.#ended) return this.#flowing
    this.#ended = true
    this.#stream.cancel()
    return this.#ends.left()
  }

  async #flow(sink: Sink): Promise<void> {
    // Sent together with the first part of the answer where possible.
    let begun = ''
    try {
      begun = this.#form.begin(this.#stream)
      for (;;) {
        if (!this.#stream.ready) {
          this.#write(sink, begun)
          begun = ''
        }
        while (!this.#stream.ready) await this.#stream.more()
        if (this.#ended) return
        const chunks = this.#stream.take()
        if (chunks === undefined) break
        if (chunks.length === 0) continue
        const text = begun + this.#form.write(chunks)
        begun = ''
        if (!this.#write(sink, text)) await this.#room(sink)
      }
      this.#ended = true
      this.#end(sink, begun + (await this.#ends.finished()))
    } catch (error) {
      this.#ended = true
      this.#stream.cancel()
      if (this.#gone) await this.#ends.left()
      else this.#end(sink, begun + (await this.#ends.broke(error)))
    }
  }

  /** The upstream may have finished while the reader was busy. */
  #isComplete(): boolean {
    try {
      for (let i = 0; i < MOST_LOOKED_THROUGH && !this.#stream.finished; i++) {
        if (!this.#stream.ready) break
        if (this.#stream.take() === undefined) return true
      }
      return this.#stream.finished
    } catch {
      // The upstream broke, but the reader left before it was told.
      return false
    }
  }

  #write(sink: Sink, text: string): boolean {
    return text === '' || sink.write(text)
  }

  async #room(sink: Sink): Promise<void> {
    this.#full = true
    this.#stream.rest()
    await sink.room()
    this.#full = false
  }

  #end(sink: Sink, text: string): void {
    clearInterval(this.#heartbeat)
    sink.end(text)
  }

  /** Whatever else was sent: so no reader waits for longer than an interval. */
  #beat(sink: Sink): void {
    if (!this.#full) sink.write(this.#form.heartbeat())
  }
}

/** For a stream that continues without a reader. */
const DISCARD: Sink = { write: () => true, room: async () => {}, end: () => {} }
