import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { eventFields, NO_CHUNKS, StreamProgress } from '../contract/chunks.ts'
import type { ChatReader, NativeRequest, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { ABSENT, type UsageReading } from '../contract/usage.ts'
import { errorInResponse, openAiUsage } from './fields.ts'
import { textDelta, type TextDelta } from './text-delta.ts'

const TEXT_DELTA = 'response.output_text.delta'
const BEGAN =
  /^\{"type":"response\.\w+",(?:"sequence_number":\d+,)?"response":\{"id":"([\w-]{1,100})"/
const ITEM_ID = '"item_id":"'
const NAME = /^[\w.]{1,100}$/

/**
 * Passes events on with our item ids, each as lines: its type and its JSON. The JSON of a text
 * delta has line breaks around the text; one that begins like the last starts at the first of them,
 * so that deltas can be joined. Events of the beginning are left out: the gateway writes its own.
 * The last has three lines: type, how it ended, all items.
 */
export class ResponsesReader extends StreamProgress implements ChatReader {
  readonly native = true
  usage: UsageReading = ABSENT
  #events = 0
  #held: string[] = []
  /** Ours by theirs. */
  readonly #ids = new Map<string, string>()
  readonly #seed: string
  /** The items so far, which an answer that is cut short must repeat. */
  readonly #said: Fields[] = []
  #open: OpenText | undefined
  /** How the last text delta began. */
  #begun: string | undefined

  constructor({ ours }: NativeRequest) {
    super()
    this.#seed = ours.id.slice(ours.id.indexOf('_') + 1)
  }

  read(sse: SseEvent): readonly string[] {
    // Some servers end like a chat.
    if (this.done || sse.data === '[DONE]') return NO_CHUNKS
    const delta = this.#open && textDelta(sse.data, this.#begun)
    if (delta) return this.#passDelta(delta)
    if (this.#saysItBegan(sse)) return NO_CHUNKS
    const event = eventFields(sse)
    const { type } = event
    if (typeof type !== 'string' || !NAME.test(type)) throw new UpstreamError('garbage', 'event')
    this.#events += 1
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.generationId ??= textOf(fieldsOf(event.response).id)
        return NO_CHUNKS
      case 'keepalive':
        return NO_CHUNKS
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(type, fieldsOf(event.response))
      case 'response.failed':
        throw errorInResponse(fieldsOf(event.response).error)
      case 'error':
        throw errorInResponse(isFields(event.error) ? event.error : event)
      default:
        return this.#passOrHold(type, this.#pass(type, event, sse.data))
    }
  }

  /** The usual form; any other is parsed. */
  #saysItBegan({ event, data }: SseEvent): boolean {
    if (event !== 'response.created' && event !== 'response.in_progress') return false
    const id = BEGAN.exec(data)?.[1]
    if (id === undefined) return false
    this.#events += 1
    this.generationId ??= id
    return true
  }

  close(): void {
    if (this.#events === 0) throw new UpstreamError('garbage', 'empty_stream')
    if (!this.done) throw new UpstreamError('reset', 'stream_end')
  }

  cutShort(): readonly string[] {
    // The end of an open message is written here instead of what is held back.
    const closed = this.#open === undefined ? this.#held : closing(this.#open)
    if (this.#open !== undefined) this.#said.push(cutOff(this.#open))
    const details = { reason: 'max_output_tokens' }
    const facts = { status: 'incomplete', incomplete_details: details }
    return [...closed, endText('response.incomplete', facts, this.#said)]
  }

  /** The end of an item may be that of the answer: held back until something else comes. */
  #passOrHold(type: string, text: string): readonly string[] {
    if (type.endsWith('.done')) return this.#hold(text)
    if (this.#held.length === 0) return [text]
    const held = this.#held
    this.#held = []
    return [...held, text]
  }

  #hold(text: string): readonly string[] {
    this.#held.push(text)
    return NO_CHUNKS
  }

  #passDelta({ before, text, after }: TextDelta): readonly string[] {
    this.#events += 1
    this.outputBytes += Buffer.byteLength(text)
    this.#open!.text += text
    const rest = `\n${text}\n${after}`
    if (before === this.#begun) return this.#passOrHold(TEXT_DELTA, rest)
    this.#begun = before
    return this.#passOrHold(TEXT_DELTA, `${TEXT_DELTA}\n${this.#named(before)}${rest}`)
  }

  #named(before: string): string {
    const from = before.indexOf(ITEM_ID) + ITEM_ID.length
    if (from < ITEM_ID.length) return before
    const to = before.indexOf('"', from)
    const theirs = before.slice(from, to)
    const known = this.#ids.get(theirs)
    const ours = known ?? this.#idOf(theirs, /"output_index":(\d+)/.exec(before)?.[1])
    return before.slice(0, from) + ours + before.slice(to)
  }

  #pass(type: string, event: Fields, data: string): string {
    const said = textOf(event.delta)
    if (said !== undefined) this.outputBytes += Buffer.byteLength(said)
    if (type === TEXT_DELTA && this.#open) this.#open.text += said ?? ''
    const { item, item_id: theirs, output_index: position } = event
    if (isFields(item)) {
      item.id = this.#idOf(textOf(item.id) ?? '', position)
      this.#remember(type, item, position)
      return `${type}\n${JSON.stringify(event)}`
    }
    const line = data.includes('\n') ? JSON.stringify(event) : data
    if (typeof theirs !== 'string') return `${type}\n${line}`
    return `${type}\n${line.replace(`"${theirs}"`, `"${this.#idOf(theirs, position)}"`)}`
  }

  #remember(type: string, item: Fields, position: unknown): void {
    this.#open = undefined
    if (type === 'response.output_item.done') this.#said.push(item)
    else if (item.type === 'message') this.#open = { item, position, text: '' }
  }

  #end(type: string, response: Fields): readonly string[] {
    this.done = true
    this.finish(responsesFinish(response))
    this.usage = openAiUsage(response.usage)
    const output = listOf(response.output).filter(isFields)
    output.forEach((item, i) => (item.id = this.#idOf(textOf(item.id) ?? '', i)))
    const { status, incomplete_details } = response
    return [...this.#held, endText(type, { status, incomplete_details }, output)]
  }

  #idOf(theirs: string, position: unknown): string {
    const known = this.#ids.get(theirs)
    if (known !== undefined) return known
    const ours = `${prefixOf(theirs)}${this.#seed}${Number(position) || 0}`
    if (theirs !== '') this.#ids.set(theirs, ours)
    return ours
  }
}

/** The finish reason of a chat. */
export function responsesFinish(response: Fields): string {
  const { reason } = fieldsOf(response.incomplete_details)
  if (reason === 'content_filter') return 'content_filter'
  return response.status === 'incomplete' ? 'length' : 'stop'
}

function endText(type: string, facts: Fields, output: Fields[]): string {
  return `${type}\n${JSON.stringify(facts)}\n${JSON.stringify(output)}`
}

function prefixOf(id: string): string {
  return /^[a-z]{2,5}_/.exec(id)?.[0] ?? 'msg_'
}

/** An open message and its text so far. */
type OpenText = { item: Fields; position: unknown; text: string }

function textPart({ text }: OpenText): Fields {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function cutOff(open: OpenText): Fields {
  return { ...open.item, status: 'incomplete', content: [textPart(open)] }
}

function closing(open: OpenText): string[] {
  const { item, position, text } = open
  const place = { item_id: item.id, output_index: position, content_index: 0 }
  const events = [
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: textPart(open) },
    { type: 'response.output_item.done', output_index: position, item: cutOff(open) },
  ]
  return events.map((event) => `${event.type}\n${JSON.stringify(event)}`)
}
