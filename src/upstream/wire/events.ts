import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import type { Source } from './source.ts'

const EVENT_CAP = 1024 * 1024

/** Bytes to events, a batch for each read of the socket, possibly empty. Comments are dropped. */
export class Events implements Source<readonly SseEvent[]> {
  readonly #bytes: Source<Buffer>
  readonly #parser: EventSourceParser
  #decoder: StringDecoder | undefined
  #batch: SseEvent[] = []
  #tooLarge = false
  #ended = false

  constructor(bytes: Source<Buffer>, cap = EVENT_CAP) {
    this.#bytes = bytes
    this.#parser = createParser({
      maxBufferSize: cap,
      onEvent: (event) => {
        if (event.data.length > cap) this.#tooLarge = true
        this.#batch.push(event)
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooLarge = true
        // Some upstreams report a failure inside a stream as a bare JSON line or as a field
        // `error`.
        else if (error.line?.startsWith('{')) this.#batch.push({ event: 'bare', data: error.line })
        else if (error.field === 'error')
          this.#batch.push({ event: 'error', data: error.value || '{}' })
      },
    })
  }

  get ready(): boolean {
    return this.#bytes.ready
  }

  more(): Promise<void> {
    return this.#bytes.more()
  }

  take(): readonly SseEvent[] | undefined {
    if (this.#ended) return undefined
    const piece = this.#bytes.take()
    this.#ended = piece === undefined
    // A last event without its blank line counts.
    this.#parser.feed(
      piece === undefined ? (this.#decoder?.end() ?? '') + '\n\n' : this.#text(piece),
    )
    if (this.#tooLarge) {
      this.cancel()
      throw new UpstreamError('too_large', 'event')
    }
    const batch = this.#batch
    this.#batch = []
    return batch
  }

  rest(): void {
    this.#bytes.rest()
  }

  cancel(): void {
    this.#ended = true
    this.#bytes.cancel()
  }

  /** A decoder is needed only once a read ends inside a character. */
  #text(piece: Buffer): string {
    if (this.#decoder === undefined && piece.at(-1)! < 0x80) return piece.toString('utf8')
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(piece)
  }
}
