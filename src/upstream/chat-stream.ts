import type { ChatReader, SseEvent } from './contract/contract.ts'
import type { Source } from './wire/source.ts'
import type { ChatStream } from './work.ts'

/** After the final event the socket gets this long to end by itself and go back to its pool. */
const LET_GO_MS = 1_000

type StreamParts = {
  events: Source<readonly SseEvent[]>
  reader: ChatReader
  /** The generation's id, if the upstream gave it in a header. */
  id: string | undefined
  /** What to throw when the stream breaks after it was handed out. */
  brokenOff(error: unknown): unknown
}

/** Returns once the first chunk is there: until then any error is an ordinary failure. */
export async function openChatStream(parts: StreamParts): Promise<ChatStream> {
  const stream = new OpenStream(parts)
  await stream.prime()
  return stream
}

/** A class, since a stream has a life: primed, flowing, over. */
class OpenStream implements ChatStream {
  readonly #parts: StreamParts
  readonly #events: Source<readonly SseEvent[]>
  readonly #reader: ChatReader
  #first: readonly string[] | undefined
  #over = false

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#events = parts.events
    this.#reader = parts.reader
  }

  get usage() {
    return this.#reader.usage
  }
  get finishReason() {
    return this.#reader.finishReason
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
  get ready() {
    return this.#first !== undefined || this.#reader.done || this.#events.ready
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
      throw error
    }
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
      this.cancel()
      throw this.#parts.brokenOff(error)
    }
  }

  cancel(): void {
    this.#over = true
    this.#first = undefined
    this.#events.cancel()
  }

  #read(): readonly string[] | undefined {
    if (this.#over) return undefined
    const events = this.#reader.done ? undefined : this.#events.take()
    if (events !== undefined) return readAll(this.#reader, events)
    this.#over = true
    this.#reader.close()
    void letGo(this.#events)
    return undefined
  }
}

function readAll(reader: ChatReader, events: readonly SseEvent[]): readonly string[] {
  if (events.length === 1) return reader.read(events[0]!)
  const chunks: string[] = []
  for (const event of events) for (const chunk of reader.read(event)) chunks.push(chunk)
  return chunks
}

/** Waits until it has ended by itself, or sends anything more. */
async function letGo(events: Source<readonly SseEvent[]>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    do {
      if (!events.ready) {
        timer ??= setTimeout(() => events.cancel(), LET_GO_MS)
        await events.more()
      }
    } while (events.take()?.length === 0)
  } catch {
    // It broke: then the socket is gone as well.
  }
  clearTimeout(timer)
  events.cancel()
}
