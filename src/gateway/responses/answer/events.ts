import type { Failure } from '../../../lib/failure.ts'
import { fieldsOf, listOf, type Fields } from '../../../lib/fields.ts'
import { prefixedId } from '../../../lib/ids.ts'
import { AnswerWalk } from '../../chat/answer-parts.ts'
import { EventWriter } from './event-writer.ts'
import { failedError } from './failed.ts'
import { ItemEvents } from './item-events.ts'
import { shownItem } from './output-items.ts'
import { briefResponse, endOf, isCutOff, responseOf, type ResponseStart } from './response.ts'
import type { OwnTools } from '../request/tools.ts'
import { nativeAnswer, wholeResponse } from './whole.ts'

/** What the writing of a response needs to know. */
export type ResponseStyle = {
  head: ResponseStart
  tools: OwnTools
  /** The caller wants what carries a reasoning back to us. */
  encrypted: boolean
  logprobs: boolean
}

/**
 * The chunks of a chat answer as events of a response. What was said is kept to the end, since the
 * last event repeats all of it. A class, because a stream has a life.
 */
export class ResponseEvents {
  readonly #style: ResponseStyle
  readonly #writer = new EventWriter()
  readonly #items: ItemEvents
  readonly #walk: AnswerWalk

  constructor(style: ResponseStyle) {
    const { head, tools, encrypted } = style
    this.#style = style
    this.#items = new ItemEvents(this.#writer, { ...head, tools }, encrypted)
    this.#walk = new AnswerWalk(this.#items, () => prefixedId('call_'))
  }

  begin(): string {
    const response = briefResponse(this.#style.head, { status: 'in_progress', output: [] })
    const begun = `"response":${JSON.stringify(response)}`
    this.#writer.writeMembers('response.created', begun)
    this.#writer.writeMembers('response.in_progress', begun)
    return this.#writer.written()
  }

  take(chunks: readonly string[]): string {
    for (const chunk of chunks) this.#takeOne(chunk)
    this.#items.flush()
    return this.#writer.written()
  }

  /** The rest of the answer. `keep` is given the response as it is to be kept. */
  finish(last: readonly string[], usage: Fields, keep: (kept: Fields) => boolean): string {
    for (const chunk of last) this.#takeOne(chunk)
    const { finish, hasCalls } = this.#walk
    if (isCutOff(finish)) this.#items.cut(hasCalls)
    this.#walk.end()
    const calls = { any: hasCalls, cutOff: this.#items.cutOffCall }
    const end = { ...endOf(finish, calls), usage }
    const { head } = this.#style
    const store = keep(responseOf(head, { ...end, output: this.#items.items }))
    const response = responseOf(head, { ...end, store, output: this.#items.shown })
    this.#writer.write(`response.${end.status}`, { response })
    return this.#writer.written()
  }

  /**
   * Events of an upstream that speaks this dialect: their type, a line break, their JSON. Pieces of
   * one text that came together, with line breaks around their text, go out as one.
   */
  pass(events: readonly string[]): string {
    let [head, text, after] = ['', '', '']
    for (const event of events) {
      // Slices compare as blocks of memory; `startsWith` goes letter by letter.
      const goesOn = head !== '' && event.slice(0, head.length) === head
      if (!goesOn) {
        if (head !== '') this.#passOne(head + text + after)
        const from = event.indexOf('\n', event.indexOf('\n') + 1) + 1
        head = event.slice(0, from)
        text = ''
        if (from === 0) {
          this.#passOne(event)
          continue
        }
      }
      const end = event.indexOf('\n', head.length)
      text += event.slice(head.length, end)
      after = event.slice(end + 1)
    }
    if (head !== '') this.#passOne(head + text + after)
    return this.#writer.written()
  }

  /** Its type, and its JSON in one or two lines. */
  #passOne(event: string): void {
    const at = event.indexOf('\n')
    const type = event.slice(0, at)
    const json = event.slice(at + 1).replace('\n', '')
    const isItem = type.startsWith('response.output_item.')
    this.#writer.pass(type, isItem && !this.#style.encrypted ? shownData(json) : json)
  }

  finishNative(last: readonly string[], usage: Fields, keep: (kept: Fields) => boolean): string {
    const { head, encrypted } = this.#style
    const end = last.at(-1) ?? ''
    const closed = this.pass(last.slice(0, -1))
    const { response } = JSON.parse(end.slice(end.indexOf('\n') + 1)) as { response: Fields }
    const shown = wholeResponse(nativeAnswer(response), usage, { head, encrypted, keep })
    this.#writer.write(`response.${String(shown.status)}`, { response: shown })
    return closed + this.#writer.written()
  }

  fail(failure: Failure): string {
    const output = this.#items.shown
    const end = { status: 'failed', output, error: failedError(failure) } as const
    this.#writer.write('response.failed', { response: briefResponse(this.#style.head, end) })
    return this.#writer.written()
  }

  /** Some clients' clocks run on through comments, but not through events. */
  keepAlive(): string {
    this.#writer.write('keepalive', {})
    return this.#writer.written()
  }

  #takeOne(chunk: string): void {
    if (this.#style.logprobs) this.#items.logprobs.push(...logprobsIn(chunk))
    this.#walk.take(chunk)
  }
}

/** Only an item can have what not every caller is to see. */
function shownData(data: string): string {
  if (!data.includes('"encrypted_content"')) return data
  const event = JSON.parse(data) as Fields
  return JSON.stringify({ ...event, item: shownItem(fieldsOf(event.item), false) })
}

function logprobsIn(chunk: string): unknown[] {
  const [choice] = listOf((JSON.parse(chunk) as Fields).choices)
  return listOf(fieldsOf(fieldsOf(choice).logprobs).content)
}
