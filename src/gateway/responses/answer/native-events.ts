import type { Failure } from '../../../lib/failure.ts'
import { fieldsOf, type Fields } from '../../../lib/json.ts'
import type { EventWriter } from './event-writer.ts'
import type { ResponseStyle } from './events.ts'
import { shownItem } from './output-items.ts'
import { responseOf, type ResponseTotals } from './response.ts'
import { WholeEvents } from './whole-events.ts'
import { nativeFinish, refuseHalfItems, type StoreResponse } from './whole.ts'

/** Passes an upstream's events on, with our numbers. */
export class NativeEvents {
  readonly #style: ResponseStyle
  readonly #writer: EventWriter
  readonly #whole: WholeEvents
  /** How the last text delta began. */
  #piece = { type: '', before: '' }

  constructor(writer: EventWriter, style: ResponseStyle) {
    this.#writer = writer
    this.#style = style
    this.#whole = new WholeEvents(writer, style.head)
  }

  begin(): string {
    this.#whole.begin()
    return this.#writer.written()
  }

  /**
   * `events` as `ResponsesReader` gives them. Deltas of one text that came together are sent as one
   * event.
   */
  take(events: readonly string[]): string {
    let [text, after] = ['', '']
    const close = () => {
      if (after !== '') this.#writer.pass(this.#piece.type, this.#piece.before + text, after)
      text = after = ''
    }
    for (const event of events) {
      const at = event.indexOf('\n')
      let from = at + 1
      // Without a type: it begins like the last text delta.
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

  /** `last` ends with: type, how the response ended, and its items, each on a line. */
  finish(last: readonly string[], totals: ResponseTotals, store: StoreResponse): string {
    const { head, encrypted } = this.#style
    const [, facts = '', items = ''] = (last.at(-1) ?? '').split('\n')
    const end = { ...nativeFinish(JSON.parse(facts) as Fields), ...totals }
    const output = () => JSON.parse(items) as Fields[]
    if (items.includes('"function_call"')) refuseHalfItems(output(), end.status)
    const closed = this.take(last.slice(0, -1))
    const stored = store(() => responseOf(head, { ...end, output: output() }))
    const hides = !encrypted && items.includes(ENCRYPTED)
    const shown = hides ? JSON.stringify(output().map((item) => shownItem(item, false))) : items
    this.#whole.end({ ...end, store: stored }, shown)
    return closed + this.#writer.written()
  }

  fail(failure: Failure): string {
    this.#whole.fail(failure, '[]')
    return this.#writer.written()
  }
}

const ENCRYPTED = '"encrypted_content"'

/** Only items have what is hidden from some callers. */
function shownData(data: string): string {
  if (!data.includes(ENCRYPTED)) return data
  const event = JSON.parse(data) as Fields
  return JSON.stringify({ ...event, item: shownItem(fieldsOf(event.item), false) })
}
