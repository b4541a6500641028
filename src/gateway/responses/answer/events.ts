import type { Clock } from '../../../lib/clock.ts'
import type { Failure } from '../../../lib/failure.ts'
import { fieldsOf, listOf, type Fields } from '../../../lib/json.ts'
import { prefixedId } from '../../../lib/ids.ts'
import { PartReader } from '../../chat/answer-parts.ts'
import { isCutOff } from '../../chat/dialects.ts'
import type { EventWriter } from './event-writer.ts'
import { ItemEvents } from './item-events.ts'
import { endOf, responseOf, type ResponseStart, type ResponseTotals } from './response.ts'
import { WholeEvents } from './whole-events.ts'
import type { OwnTools } from '../request/tools.ts'
import type { StoreResponse } from './whole.ts'

export type ResponseStyle = {
  head: ResponseStart
  clock: Clock
  tools: OwnTools
  /** The caller wants `encrypted_content`. */
  encrypted: boolean
  logprobs: boolean
}

/**
 * Writes the chunks of a chat as events of a response. The output is kept to the end, since the
 * last event repeats it.
 */
export class ResponseEvents {
  readonly #style: ResponseStyle
  readonly #writer: EventWriter
  readonly #items: ItemEvents
  readonly #reader: PartReader
  readonly #whole: WholeEvents

  constructor(writer: EventWriter, style: ResponseStyle) {
    const { head, tools, encrypted } = style
    this.#writer = writer
    this.#style = style
    this.#whole = new WholeEvents(writer, head)
    this.#items = new ItemEvents(writer, { ...head, tools }, encrypted)
    this.#reader = new PartReader(this.#items, () => prefixedId('call_'))
  }

  begin(): string {
    this.#whole.begin()
    return this.#writer.written()
  }

  take(chunks: readonly string[]): string {
    for (const chunk of chunks) this.#takeOne(chunk)
    this.#items.flush()
    return this.#writer.written()
  }

  /** `store` is given the whole response before the rest is written. */
  finish(last: readonly string[], totals: ResponseTotals, store: StoreResponse): string {
    for (const chunk of last) this.#takeOne(chunk)
    const { finish, hasCalls } = this.#reader
    if (isCutOff(finish)) this.#items.cut(hasCalls)
    this.#reader.endStream()
    const calls = { any: hasCalls, cutOff: this.#items.cutOffCall }
    const end = { ...endOf(finish, calls), ...totals }
    const { head } = this.#style
    const stored = store(() => responseOf(head, { ...end, output: this.#items.items }))
    this.#whole.end({ ...end, store: stored }, JSON.stringify(this.#items.shown))
    return this.#writer.written()
  }

  fail(failure: Failure): string {
    this.#whole.fail(failure, JSON.stringify(this.#items.shown))
    return this.#writer.written()
  }

  #takeOne(chunk: string): void {
    if (this.#style.logprobs) this.#items.logprobs.push(...logprobsIn(chunk))
    this.#reader.take(chunk)
  }
}

function logprobsIn(chunk: string): unknown[] {
  const [choice] = listOf((JSON.parse(chunk) as Fields).choices)
  return listOf(fieldsOf(fieldsOf(choice).logprobs).content)
}
