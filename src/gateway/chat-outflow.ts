import { Readable } from 'node:stream'
import type { ChatStream } from '../upstream/work.ts'

/** The three ends of a paid stream. One of them is called, once; `broke` also when `finished` throws. */
export type StreamEnds = {
  /** It finished. Settles; gives what is still to be sent after the last chunk. */
  finished(): Promise<string>
  /** It broke. Releases; gives the event that tells the reader. */
  broke(error: unknown): Promise<string>
  /** The reader left. Releases; nobody is there to be told. */
  left(): void
}

const HEARTBEAT_MS = 15_000
/** A reader that takes nothing for so long, over a minute, is gone, whatever its socket says. */
const STALLED_BEATS = 5
const HEARTBEAT = ': keep-alive\n\n'
const DONE = 'data: [DONE]\n\n'

/**
 * Server-sent events, pulled from the upstream one batch at a time and only when the reader has
 * room: no text is kept. A class, because a stream has a life; a generator would not do, since its
 * `finally` is skipped when the reader leaves before the first pull.
 */
export class ChatOutflow extends Readable {
  readonly #flow: ChatStream
  readonly #ends: StreamEnds
  readonly #heartbeat: NodeJS.Timeout
  #pulling = false
  #ended = false
  /** Counted instead of looking at the clock for each event. */
  #beatsSinceRead = 0
  #beatsSinceSent = 0

  constructor(flow: ChatStream, ends: StreamEnds) {
    super({ highWaterMark: 16_384 })
    this.#flow = flow
    this.#ends = ends
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
  }

  override _read(): void {
    this.#beatsSinceRead = 0
    if (this.#pulling || this.#ended) return
    this.#pulling = true
    void this.#pull()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#heartbeat)
    if (!this.#ended) {
      this.#ended = true
      this.#flow.cancel()
      this.#ends.left()
    }
    done(error)
  }

  async #pull(): Promise<void> {
    let text = ''
    try {
      while (text === '') {
        if (!this.#flow.ready) await this.#flow.more()
        // `_destroy` has ended it.
        if (this.destroyed) return
        const chunks = this.#flow.take()
        if (chunks === undefined) return await this.#finish()
        text = frames(chunks)
      }
    } catch (error) {
      return this.#break(error)
    }
    this.#pulling = false
    this.#beatsSinceSent = 0
    this.push(text)
  }

  async #finish(): Promise<void> {
    this.#ended = true
    this.#sendLast((await this.#ends.finished()) + DONE)
  }

  async #break(error: unknown): Promise<void> {
    this.#ended = true
    this.#flow.cancel()
    this.#sendLast(await this.#ends.broke(error))
  }

  #sendLast(text: string): void {
    clearInterval(this.#heartbeat)
    if (this.destroyed) return
    // Held for a moment, so that the end is known when the last text leaves: one write for both.
    const flowing = this.readableFlowing === true
    if (flowing) this.pause()
    if (text !== '') this.push(text)
    this.push(null)
    if (flowing) this.resume()
  }

  #beat(): void {
    this.#beatsSinceRead += 1
    this.#beatsSinceSent += 1
    if (!this.#pulling && this.#beatsSinceRead >= STALLED_BEATS) this.destroy()
    else if (this.#pulling && this.#beatsSinceSent > 1) this.push(HEARTBEAT)
  }
}

function frames(chunks: readonly string[]): string {
  let text = ''
  for (const chunk of chunks) text += `data: ${chunk}\n\n`
  return text
}
