import { parseForeignJson } from '../lib/json.ts'
import { chunkText } from './contract/chunks.ts'
import type { ChatReader, OurNames, SseEvent } from './contract/contract.ts'
import { UpstreamError, type UpstreamErrorKind } from './contract/upstream-error.ts'
import type { Followed } from './followed.ts'
import type { Source } from './wire/source.ts'
import type { ChatStream } from './work.ts'

/** After the last event, how long the connection may take to end and return to its pool. */
const AWAIT_END_MS = 1_000
/** The limit of a whole answer: an upstream may mark every chunk as the last. */
const MOST_HELD_BACK = 32 * 1024 * 1024
/** Errors that do not matter once the answer is complete. */
const HARMLESS: ReadonlySet<UpstreamErrorKind> = new Set(['reset', 'timeout', 'garbage', 'aborted'])

type StreamParts = {
  events: Source<readonly SseEvent[]>
  reader: ChatReader
  choices: number
  ours: OurNames
  /** The generation id from the header. */
  id: string | undefined
  followed?: Followed | undefined
  /** What to throw for an answer that cannot be read. */
  refusal(error: unknown): unknown
  /** What to throw when the stream breaks after it was returned. */
  streamFailure(error: unknown): unknown
}

/** Returns with the first chunk: until then errors are ordinary failures. */
export async function openChatStream(parts: StreamParts): Promise<ChatStream> {
  const stream = new OpenStream(parts)
  await stream.prime()
  stream.follow()
  return stream
}

/** Primed (the first chunk is read), then flowing, then over. */
class OpenStream implements ChatStream {
  readonly #parts: StreamParts
  readonly #events: Source<readonly SseEvent[]>
  readonly #reader: ChatReader
  readonly #last: string[] = []
  #heldBack = 0
  #first: readonly string[] | undefined
  #over = false
  #timedOut = false
  #firstOutputAtMs: number | undefined
  #followed: Followed | undefined
  #seen = false

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#events = parts.events
    this.#reader = parts.reader
  }

  get usage() {
    return this.#reader.usage
  }
  get finishReason() {
    return this.#timedOut ? 'length' : this.#reader.finishReason
  }
  get generationId() {
    return this.#parts.id ?? this.#reader.generationId
  }
  get outputBytes() {
    return this.#reader.outputBytes
  }
  get pictures() {
    return this.#reader.pictures
  }
  get native() {
    return this.#reader.native === true
  }
  get last() {
    return this.#last
  }
  get firstOutputAtMs() {
    return this.#firstOutputAtMs
  }
  get timedOut() {
    return this.#timedOut
  }
  get finished() {
    return this.#reader.done || this.#reader.finished.size >= this.#parts.choices
  }
  get ready() {
    return this.#first !== undefined || this.#over || this.#reader.done || this.#events.ready
  }

  async prime(): Promise<void> {
    try {
      let batch: readonly string[] | undefined
      do {
        if (!this.ready) await this.more()
        batch = this.#read()
      } while (batch?.length === 0)
      this.#first = batch
    } catch (error) {
      this.cancel()
      throw this.#parts.refusal(error)
    }
  }

  follow(): void {
    const { followed } = this.#parts
    followed?.firstChunk()
    if (this.#over) followed?.end('ok', this)
    else this.#followed = followed
  }

  more(): Promise<void> {
    return this.#events.more()
  }

  take(): readonly string[] | undefined {
    const first = this.#first
    if (first !== undefined) {
      this.#first = undefined
      return first
    }
    try {
      return this.#read()
    } catch (error) {
      this.#end('broken_off')
      this.cancel()
      throw this.#parts.streamFailure(this.#parts.refusal(error))
    }
  }

  rest(): void {
    this.#events.rest()
  }

  cancel(): void {
    this.#end('cancelled')
    this.#first = undefined
    this.#events.cancel()
  }

  #read(): readonly string[] | undefined {
    if (this.#over) return undefined
    try {
      const events = this.#reader.done ? undefined : this.#events.take()
      if (events !== undefined) {
        const chunks = this.#readAll(events)
        if (this.#reader.outputBytes > 0) this.#firstOutputAtMs ??= performance.now()
        return chunks
      }
    } catch (error) {
      if (this.#isOwnTimeout(error)) return this.#endHere()
      const harmless = error instanceof UpstreamError && HARMLESS.has(error.kind)
      if (!this.finished || !harmless) throw error
    }
    this.#reader.close()
    this.#end('ok')
    void awaitEnd(this.#events)
    return undefined
  }

  /**
   * Our total time-out while text was arriving: not a failure of the upstream. The answer ends with
   * `length`.
   */
  #isOwnTimeout(error: unknown): boolean {
    const total = error instanceof UpstreamError && error.kind === 'timeout' && error.at === 'total'
    return total && this.#reader.outputBytes > 0
  }

  #endHere(): undefined {
    this.#timedOut = true
    this.#end('ok')
    this.#last.push(...(this.#reader.cutShort?.() ?? this.#finishChunks()))
  }

  #end(outcome: string): void {
    this.#over = true
    this.#followed?.end(outcome, this)
    this.#followed = undefined
  }

  /** Only the first event is looked at. */
  #see({ data }: SseEvent): void {
    this.#seen = true
    this.#parts.followed?.saw?.(() => parseForeignJson(data))
  }

  #finishChunks(): string[] {
    const { choices, ours } = this.#parts
    const all = Array.from({ length: choices }, (_, index) => index)
    const open = all.filter((index) => !this.#reader.finished.has(index))
    return open.map((index) => chunkText(ours, {}, { reason: 'length', index }))
  }

  #readAll(events: readonly SseEvent[]): readonly string[] {
    if (events.length === 1) return this.#readOne(events[0]!)
    const chunks: string[] = []
    for (const event of events) for (const chunk of this.#readOne(event)) chunks.push(chunk)
    return chunks
  }

  /**
   * A chunk that finishes a choice waits in `last` until the answer is paid for: held back here for
   * all providers.
   */
  #readOne(event: SseEvent): readonly string[] {
    const { finishes } = this.#reader
    const chunks = this.#reader.read(event)
    if (!this.#seen) this.#see(event)
    if (this.#reader.finishes === finishes) return chunks
    for (const chunk of chunks) this.#heldBack += chunk.length
    if (this.#heldBack > MOST_HELD_BACK) throw new UpstreamError('too_large', 'finish')
    this.#last.push(...chunks)
    return NONE
  }
}

const NONE: readonly string[] = []

async function awaitEnd(events: Source<readonly SseEvent[]>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    do {
      if (!events.ready) {
        timer ??= setTimeout(() => events.cancel(), AWAIT_END_MS)
        await events.more()
      }
    } while (events.take()?.length === 0)
  } catch {
    // The socket is gone as well.
  }
  clearTimeout(timer)
  events.cancel()
}
