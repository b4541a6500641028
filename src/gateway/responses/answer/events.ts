import type { Failure } from '../../../lib/failure.ts'
import { fieldsOf, listOf, type Fields } from '../../../lib/fields.ts'
import { prefixedId } from '../../../lib/ids.ts'
import { AnswerWalk } from '../../chat/answer-parts.ts'
import { EventWriter } from './event-writer.ts'
import { failedError } from './failed.ts'
import { ItemEvents } from './item-events.ts'
import { shownItem } from './output-items.ts'
import { endOf, isCutOff, responseOf, ResponseTexts, type ResponseStart } from './response.ts'
import type { OwnTools } from '../request/tools.ts'
import { nativeEnd, type Keep } from './whole.ts'

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
  readonly #texts: ResponseTexts
  /** How the last piece of a native text began. */
  #piece = { type: '', before: '' }

  constructor(style: ResponseStyle) {
    const { head, tools, encrypted } = style
    this.#style = style
    this.#texts = new ResponseTexts(head)
    this.#items = new ItemEvents(this.#writer, { ...head, tools }, encrypted)
    this.#walk = new AnswerWalk(this.#items, () => prefixedId('call_'))
  }

  begin(): string {
    const begun = `"response":${this.#texts.brief({ status: 'in_progress' }, '[]')}`
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
  finish(last: readonly string[], usage: Fields, keep: Keep): string {
    for (const chunk of last) this.#takeOne(chunk)
    const { finish, hasCalls } = this.#walk
    if (isCutOff(finish)) this.#items.cut(hasCalls)
    this.#walk.end()
    const calls = { any: hasCalls, cutOff: this.#items.cutOffCall }
    const end = { ...endOf(finish, calls), usage }
    const { head } = this.#style
    const store = keep(() => responseOf(head, { ...end, output: this.#items.items }))
    const text = this.#texts.whole({ ...end, store }, JSON.stringify(this.#items.shown))
    this.#writer.writeMembers(`response.${end.status}`, `"response":${text}`)
    return this.#writer.written()
  }

  /**
   * Events of an upstream that speaks this dialect: their type, a line break, their JSON. Pieces of
   * one text that came together, with line breaks around their text, go out as one.
   */
  pass(events: readonly string[]): string {
    let [text, after] = ['', '']
    const close = () => {
      if (after !== '') this.#writer.pass(this.#piece.type, this.#piece.before + text, after)
      text = after = ''
    }
    for (const event of events) {
      const at = event.indexOf('\n')
      let from = at + 1
      // What has no type begins as the last piece did.
      if (at > 0) {
        close()
        from = event.indexOf('\n', at + 1) + 1
        if (from === 0) {
          this.#passWhole(event.slice(0, at), event.slice(at + 1))
          continue
        }
        this.#piece = { type: event.slice(0, at), before: event.slice(at + 1, from - 1) }
      }
      const end = event.indexOf('\n', from)
      text += event.slice(from, end)
      after = event.slice(end + 1)
    }
    close()
    return this.#writer.written()
  }

  #passWhole(type: string, json: string): void {
    const isItem = type.startsWith('response.output_item.')
    this.#writer.pass(type, '', isItem && !this.#style.encrypted ? shownData(json) : json)
  }

  /** The last one: its type, how it ended, and its items, a line each. */
  finishNative(last: readonly string[], usage: Fields, keep: Keep): string {
    const { head, encrypted } = this.#style
    const closed = this.pass(last.slice(0, -1))
    const [, facts = '', items = ''] = (last.at(-1) ?? '').split('\n')
    const end = { ...nativeEnd(JSON.parse(facts) as Fields), usage }
    const output = () => JSON.parse(items) as Fields[]
    const store = keep(() => responseOf(head, { ...end, output: output() }))
    const hides = !encrypted && items.includes(ENCRYPTED)
    const shown = hides ? JSON.stringify(output().map((item) => shownItem(item, false))) : items
    const text = this.#texts.whole({ ...end, store }, shown)
    this.#writer.writeMembers(`response.${end.status}`, `"response":${text}`)
    return closed + this.#writer.written()
  }

  fail(failure: Failure): string {
    const end = { status: 'failed', error: failedError(failure) } as const
    const text = this.#texts.brief(end, JSON.stringify(this.#items.shown))
    this.#writer.writeMembers('response.failed', `"response":${text}`)
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

const ENCRYPTED = '"encrypted_content"'

/** Only an item can have what not every caller is to see. */
function shownData(data: string): string {
  if (!data.includes(ENCRYPTED)) return data
  const event = JSON.parse(data) as Fields
  return JSON.stringify({ ...event, item: shownItem(fieldsOf(event.item), false) })
}

function logprobsIn(chunk: string): unknown[] {
  const [choice] = listOf((JSON.parse(chunk) as Fields).choices)
  return listOf(fieldsOf(fieldsOf(choice).logprobs).content)
}
