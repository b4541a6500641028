import { fieldsOf, textOf, type Fields } from '../../lib/fields.ts'
import { eventFields } from '../contract/chunks.ts'
import type { ChatReader, NativeRequest, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { ABSENT, type UsageReading } from '../contract/usage.ts'
import { anthropicFinish, anthropicUsage } from './answer.ts'
import { anthropicError } from './errors.ts'
import { withoutPrices } from './native.ts'

const NONE: readonly string[] = []

/** Most events are pieces of text, written like this. Any other form is read as JSON. */
const PLAIN_DELTA =
  /^\{"type":"content_block_delta","index":\d+,"delta":\{"type":"text_delta","text":"([^"\\\p{Cc}]*)"\} *\}$/u

/** Passes events on as they are, with our names, and counts what they say. */
export class NativeReader implements ChatReader {
  readonly native = true
  done = false
  finishReason: string | null = null
  finishes = 0
  readonly finished = new Set<number>()
  generationId: string | undefined
  outputBytes = 0
  readonly pictures = 0
  #usage: Fields | undefined
  /** The end of a block. If nothing follows it tells the end of the answer, so it waits for more. */
  #stop = ''
  /** The block that is open, if any. */
  #open: unknown
  readonly #ours: NativeRequest['ours']

  constructor({ ours }: NativeRequest) {
    this.#ours = ours
  }

  get usage(): UsageReading {
    return this.#usage ? anthropicUsage(this.#usage) : ABSENT
  }

  read(sse: SseEvent): readonly string[] {
    if (sse.data === '[DONE]') {
      this.done = true
      return NONE
    }
    const said = PLAIN_DELTA.exec(sse.data)?.[1]
    if (said !== undefined) return this.#passDelta(sse.data, said)
    const event = eventFields(sse)
    const text = this.#readOne(event, sse)
    // Clients take the first event for the start.
    if (this.#usage === undefined) return NONE
    if (event.type === 'ping') return [text]
    if (event.type !== 'content_block_stop') return this.#pass(text)
    const before = this.#stop
    this.#stop = text
    return before === '' ? NONE : [before]
  }

  #pass(text: string): readonly string[] {
    const before = this.#stop
    this.#stop = ''
    return before === '' ? [text] : [before, text]
  }

  #passDelta(data: string, said: string): readonly string[] {
    this.outputBytes += Buffer.byteLength(said)
    return this.#usage === undefined ? NONE : this.#pass(framed('content_block_delta', data))
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
        return this.#messageDelta(event)
      case 'message_stop':
        this.done = true
        // Held back like the reason to finish: it tells the end as well.
        this.finishes += 1
        return frame(event, data)
      case 'error':
        throw anthropicError(event)
      default:
        return frame(event, data)
    }
  }

  close(): void {
    if (this.#usage === undefined) throw new UpstreamError('garbage', 'empty_stream')
    if (!this.done && this.finishReason === null) throw new UpstreamError('reset', 'stream_end')
  }

  cutShort(): readonly string[] {
    if (this.finished.size > 0) return NONE
    const delta = { stop_reason: 'max_tokens', stop_sequence: null }
    const end = ready({ type: 'message_delta', delta, usage: { ...this.#usage } })
    if (this.#open === undefined) return [this.#stop, end]
    return [ready({ type: 'content_block_stop', index: this.#open }), end]
  }

  #start(event: Fields): string {
    const message = fieldsOf(event.message)
    this.generationId = textOf(message.id)
    this.#usage = fieldsOf(message.usage)
    const shown = { ...withoutPrices(message), ...this.#ours }
    return ready({ ...event, message: shown })
  }

  /** Its counts are totals. Clients want all of them, so those of the start are put in. */
  #messageDelta(event: Fields): string {
    const totals = { ...this.#usage }
    for (const [name, value] of Object.entries(fieldsOf(event.usage))) {
      if (value !== null && value !== undefined) totals[name] = value
    }
    this.#usage = totals
    const { stop_reason: reason } = fieldsOf(event.delta)
    if (typeof reason === 'string') {
      this.finishReason = anthropicFinish(reason)
      this.finishes += 1
      this.finished.add(0)
    }
    return ready(withoutPrices({ ...event, usage: totals }))
  }
}

const NAME = /^\w{1,64}$/

function ready(event: Fields): string {
  return frame(event, JSON.stringify(event))
}

/** One line of data, whatever it came in. */
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
