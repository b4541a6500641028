import { Readable } from 'node:stream'
import type { Source } from '../../upstream/wire/source.ts'

/** A reader that takes nothing for so long is gone. */
const STALLED_MS = 60_000

/**
 * An upstream's bytes, pulled one piece at a time and only when the reader has room. If the
 * upstream breaks, the connection is cut, so that the reader sees a short body.
 */
export class ByteOutflow extends Readable {
  readonly #source: Source<Buffer>
  readonly #ended: () => void
  readonly #watch: NodeJS.Timeout
  #first: Buffer | undefined
  #pulling = false
  #lastReadMs = performance.now()

  constructor(first: Buffer, source: Source<Buffer>, ended: () => void) {
    super({ highWaterMark: 65_536 })
    this.#first = first
    this.#source = source
    this.#ended = ended
    this.#watch = setInterval(() => this.#cutStalled(), STALLED_MS / 4)
    this.#watch.unref()
  }

  override _read(): void {
    this.#lastReadMs = performance.now()
    if (this.#pulling) return
    this.#pulling = true
    void this.#pull()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#watch)
    this.#source.cancel()
    this.#ended()
    done(error)
  }

  async #pull(): Promise<void> {
    try {
      const piece = this.#first ?? (await this.#next())
      this.#first = undefined
      this.#pulling = false
      if (!this.destroyed && !this.push(piece)) this.#source.rest()
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  async #next(): Promise<Buffer | null> {
    for (;;) {
      if (!this.#source.ready) await this.#source.more()
      const piece = this.#source.take()
      if (piece === undefined) return null
      // After an empty piece the stream would not ask again.
      if (piece.length > 0) return piece
    }
  }

  #cutStalled(): void {
    if (!this.#pulling && performance.now() - this.#lastReadMs > STALLED_MS) this.destroy()
  }
}
