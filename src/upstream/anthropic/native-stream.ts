import { fieldsOf, textOf, type Fields } from '../../lib/json.ts'
import { eventFields, NO_CHUNKS } from '../contract/chunks.ts'
import type { ChatCapability, ChatReader, NativeRequest, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { anthropicError } from './errors.ts'
import { buildNative, readNative, withoutPrices } from './native.ts'
import { MESSAGES } from './passing.ts'
import { MessageProgress } from './stream.ts'
import { anthropicUsage } from './usage.ts'

export const nativeMessages: ChatCapability = {
  passing: MESSAGES,
  build: (request, target) => buildNative(request.native!, request, target),
  read: (answer, request) => readNative(request.native!, answer, request),
  reader: ({ native }) => new NativeReader(native!),
  usageIn: (json) => anthropicUsage(fieldsOf(json).usage),
}

/** The usual text event. Any other form is parsed. */
const PLAIN_DELTA =
  /^\{"type":"content_block_delta","index":\d+,"delta":\{"type":"text_delta","text":"([^"\\\p{Cc}]*)"\} *\}$/u

/** Passes events on with our names, and counts their output. */
class NativeReader extends MessageProgress implements ChatReader {
  readonly native = true
  /** A block's end, held back: if nothing follows, it tells the end of the answer. */
  #stop = ''
  #open: unknown
  readonly #ours: NativeRequest['ours']

  constructor({ ours }: NativeRequest) {
    super()
    this.#ours = ours
  }

  read(sse: SseEvent): readonly string[] {
    if (sse.data === '[DONE]') {
      this.done = true
      return NO_CHUNKS
    }
    const said = PLAIN_DELTA.exec(sse.data)?.[1]
    if (said !== undefined) return this.#passDelta(sse.data, said)
    const event = eventFields(sse)
    const text = this.#readOne(event, sse)
    // Clients take the first event for the start.
    if (this.counts === undefined) return NO_CHUNKS
    if (event.type === 'ping') return [text]
    if (event.type !== 'content_block_stop') return this.#pass(text)
    const before = this.#stop
    this.#stop = text
    return before === '' ? NO_CHUNKS : [before]
  }

  #pass(text: string): readonly string[] {
    const before = this.#stop
    this.#stop = ''
    return before === '' ? [text] : [before, text]
  }

  #passDelta(data: string, said: string): readonly string[] {
    this.outputBytes += Buffer.byteLength(said)
    return this.counts === undefined ? NO_CHUNKS : this.#pass(framed('content_block_delta', data))
  }

  #readOne(event: Fields, { data }: SseEvent): string {
    switch (event.type) {
      case 'content_block_delta':
        this.outputBytes += deltaBytes(fieldsOf(event.delta))
        return frame(event, data)
      case 'content_block_start':
        this.#open = event.index
        return frame(event, data)
      case 'content_block_stop':
        this.#open = undefined
        return frame(event, data)
      case 'message_start':
        return this.#start(event)
      case 'message_delta':
        this.readDelta(event)
        // Clients want all counts, so those of the start are included.
        return ready(withoutPrices({ ...event, usage: this.counts }))
      case 'message_stop':
        this.done = true
        // Held back like the finish reason: it tells the end too.
        this.finishes += 1
        return frame(event, data)
      case 'error':
        throw anthropicError(event)
      default:
        return frame(event, data)
    }
  }

  cutShort(): readonly string[] {
    if (this.finished.size > 0) return NO_CHUNKS
    const delta = { stop_reason: 'max_tokens', stop_sequence: null }
    const end = ready({ type: 'message_delta', delta, usage: { ...this.counts } })
    if (this.#open === undefined) return [this.#stop, end]
    return [ready({ type: 'content_block_stop', index: this.#open }), end]
  }

  #start(event: Fields): string {
    const message = fieldsOf(event.message)
    this.readStart(message)
    const shown = { ...withoutPrices(message), ...this.#ours }
    return ready({ ...event, message: shown })
  }
}

const NAME = /^\w{1,64}$/

function ready(event: Fields): string {
  return frame(event, JSON.stringify(event))
}

/** Always one line of data. */
function frame(event: Fields, data: string): string {
  const { type } = event
  if (typeof type !== 'string' || !NAME.test(type)) throw new UpstreamError('garbage', 'event')
  const line = data.includes('\n') ? JSON.stringify(event) : data
  return framed(type, line)
}

function framed(type: string, line: string): string {
  return `event: ${type}\ndata: ${line}\n\n`
}

function deltaBytes({ text, thinking, partial_json: json }: Fields): number {
  const said = textOf(text) ?? textOf(thinking) ?? textOf(json) ?? ''
  return Buffer.byteLength(said)
}
