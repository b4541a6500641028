import type { ChatReader, ChatRequest, HttpCall, SseEvent } from './contract.ts'
import { exchange, troubled } from './line.ts'
import type { Line } from './line.ts'
import type { ChatStream, Flow } from './work.ts'

/** After the end word the socket gets this long to end by itself and go back to its pool. */
const LET_GO_MS = 1_000

/** Returns once the first chunk is there: until then any trouble is an ordinary failure. */
export function openChatStream(line: Line, request: ChatRequest): Promise<ChatStream> {
  const chat = line.provider.chat!
  return exchange(line, chat.build(request, line.target), async (call) => {
    const { headers, events } = await line.sender.events(line.place, call, line.signal)
    const reader = chat.reader(request, line.target)
    const stream = new OpenStream({ events, reader, line, call, id: headers['x-generation-id'] })
    await stream.prime()
    return stream
  })
}

type Parts = {
  events: Flow<readonly SseEvent[]>
  reader: ChatReader
  line: Line
  call: HttpCall
  id: string | undefined
}
type Step = IteratorResult<readonly string[], undefined>
const END: Step = { done: true, value: undefined }

/** A class, since a stream has a life: primed, flowing, over. */
class OpenStream implements ChatStream {
  readonly #parts: Parts
  #first: Step | undefined
  #over = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get usage() {
    return this.#parts.reader.usage
  }
  get finishReason() {
    return this.#parts.reader.finishReason
  }
  get generationId() {
    return this.#parts.id ?? this.#parts.reader.generationId
  }
  get outputBytes() {
    return this.#parts.reader.outputBytes
  }

  async prime(): Promise<void> {
    try {
      this.#first = await this.#pull()
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  async next(): Promise<Step> {
    const first = this.#first
    if (first) {
      this.#first = undefined
      return first
    }
    try {
      return await this.#pull()
    } catch (error) {
      this.cancel()
      const { line, call } = this.#parts
      throw line.broken(troubled(error, line, call))
    }
  }

  async return(): Promise<Step> {
    this.cancel()
    return END
  }

  cancel(): void {
    this.#over = true
    this.#first = undefined
    this.#parts.events.cancel()
  }

  [Symbol.asyncIterator]() {
    return this
  }

  /** The next batch that has something for the reader, or the end. */
  async #pull(): Promise<Step> {
    const { events, reader } = this.#parts
    while (!this.#over) {
      const step = await events.next()
      if (step.done) return this.#finish()
      const chunks =
        step.value.length === 1 ? reader.read(step.value[0]!) : readAll(reader, step.value)
      if (chunks.length > 0) return { done: false, value: chunks }
      if (reader.done) return this.#finish()
    }
    return END
  }

  #finish(): Step {
    this.#over = true
    this.#parts.reader.close()
    letGo(this.#parts.events)
    return END
  }
}

function readAll(reader: ChatReader, events: readonly SseEvent[]): readonly string[] {
  const chunks: string[] = []
  for (const event of events) for (const chunk of reader.read(event)) chunks.push(chunk)
  return chunks
}

function letGo(events: Flow<unknown>): void {
  const timer = setTimeout(() => events.cancel(), LET_GO_MS)
  const stop = () => {
    clearTimeout(timer)
    events.cancel()
  }
  events.next().then(stop, stop)
}
