import type { Outflow, Sink } from '../../lib/answer.ts'
import type { ChatStream } from '../../upstream/work.ts'

/** The three ends of a paid stream. One of them is called, once; `broke` also when `finished` throws. */
export type StreamEnds = {
  /** It finished. Settles; gives what is still to be sent after the last chunk. */
  finished(): Promise<string>
  /** It broke. Releases; gives the error event for the reader. */
  broke(error: unknown): Promise<string>
  /** The reader left. Releases; there is nobody to answer. */
  left(): void
}

const HEARTBEAT_MS = 15_000
/** A reader that takes nothing for this long, over a minute, is gone, whatever its socket says. */
const STALLED_BEATS = 5
const HEARTBEAT = ': keep-alive\n\n'
const DONE = 'data: [DONE]\n\n'

/**
 * Server-sent events, taken from the upstream one batch at a time and only when the reader has
 * room: no text is kept. A class, because a stream has a life.
 */
export class ChatOutflow implements Outflow {
  readonly #stream: ChatStream
  readonly #ends: StreamEnds
  #heartbeat: NodeJS.Timeout | undefined
  #ended = false
  /** Waits for the reader, not for the upstream. */
  #full = false
  /** Counted instead of looking at the clock for each event. */
  #beats = 0

  constructor(stream: ChatStream, ends: StreamEnds) {
    this.#stream = stream
    this.#ends = ends
  }

  flow(sink: Sink): void {
    this.#heartbeat = setInterval(() => this.#beat(sink), HEARTBEAT_MS)
    void this.#flow(sink)
  }

  left(): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#heartbeat)
    this.#stream.cancel()
    this.#ends.left()
  }

  async #flow(sink: Sink): Promise<void> {
    try {
      for (;;) {
        if (!this.#stream.ready) await this.#stream.more()
        // The reader left.
        if (this.#ended) return
        const chunks = this.#stream.take()
        if (chunks === undefined) break
        if (chunks.length === 0) continue
        this.#beats = 0
        if (!sink.write(frames(chunks))) await this.#room(sink)
      }
      this.#ended = true
      this.#end(sink, (await this.#ends.finished()) + DONE)
    } catch (error) {
      this.#ended = true
      this.#stream.cancel()
      this.#end(sink, await this.#ends.broke(error))
    }
  }

  async #room(sink: Sink): Promise<void> {
    this.#full = true
    await sink.room()
    this.#full = false
    this.#beats = 0
  }

  #end(sink: Sink, text: string): void {
    clearInterval(this.#heartbeat)
    sink.end(text)
  }

  #beat(sink: Sink): void {
    this.#beats += 1
    if (!this.#full && this.#beats > 1) sink.write(HEARTBEAT)
    else if (this.#full && this.#beats >= STALLED_BEATS) sink.cut()
  }
}

function frames(chunks: readonly string[]): string {
  let text = ''
  for (const chunk of chunks) text += `data: ${chunk}\n\n`
  return text
}
