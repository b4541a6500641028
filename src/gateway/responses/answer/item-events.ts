import type { Fields } from '../../../lib/json.ts'
import type { Part, PartListener } from '../../chat/answer-parts.ts'
import { customInput } from '../../chat/tools/custom-tools.ts'
import { deltaFrame, type DeltaFrame, type EventWriter } from './event-writer.ts'
import { callKind, isToldWhole } from './call-items.ts'
import {
  cutOffStatus,
  itemId,
  itemOf,
  outputText,
  shownItem,
  type ItemNames,
} from './output-items.ts'

type OpenItem = { said: string; logprobs: unknown[]; frame: DeltaFrame | undefined }

/** Writes the parts of an answer as items, and collects them. */
export class ItemEvents implements PartListener {
  /** All items, as stored. */
  readonly items: Fields[] = []
  /** A call closed with incomplete arguments. */
  cutOffCall = false
  /** Of the text that comes next. */
  logprobs: unknown[] = []
  readonly #writer: EventWriter
  readonly #names: ItemNames
  readonly #encrypted: boolean
  #open: OpenItem | undefined
  #cut: { hasCalls: boolean } | undefined
  /** Text not yet written: many small chunks make one event. */
  #pending = ''

  constructor(writer: EventWriter, names: ItemNames, encrypted: boolean) {
    this.#writer = writer
    this.#names = names
    this.#encrypted = encrypted
  }

  get shown(): Fields[] {
    return this.items.map((item) => shownItem(item, this.#encrypted))
  }

  open(part: Part): void {
    if (!isToldWhole(part, this.#names.tools)) this.#added(part, '')
    this.#open = { said: '', logprobs: [], frame: undefined }
    if (part.kind === 'reasoning') return
    this.#open.frame = this.#frameOf(part)
    if (part.kind === 'text') this.#part(part, 'added', outputText(''))
  }

  delta(part: Part, text: string): void {
    const open = this.#open!
    // Hidden reasoning has no part.
    if (part.kind === 'reasoning' && open.said === '') {
      this.#part(part, 'added', { type: 'summary_text', text: '' })
      open.frame = this.#frameOf(part)
    }
    open.said += text
    if (open.frame !== undefined) this.#pending += text
  }

  /** What closes from now on was cut off. */
  cut(hasCalls: boolean): void {
    this.#cut = { hasCalls }
  }

  close(part: Part): void {
    this.flush()
    const { said: text, logprobs } = this.#open!
    this.#open = undefined
    this.#closeContent(part, text, logprobs)
    if (isToldWhole(part, this.#names.tools)) this.#added(part, text)
    const status = this.#cut ? cutOffStatus(part, this.#cut.hasCalls) : 'completed'
    if (part.kind === 'call' && status === 'incomplete') this.cutOffCall = true
    const item = itemOf(this.#names, part, { text, status, logprobs })
    this.items.push(item)
    this.#writer.write('response.output_item.done', {
      output_index: part.position,
      item: shownItem(item, this.#encrypted),
    })
  }

  flush(): void {
    const open = this.#open
    if (open?.frame === undefined || this.#pending === '') return
    this.#writer.delta(open.frame, this.#pending, this.logprobs)
    open.logprobs.push(...this.logprobs)
    this.logprobs = []
    this.#pending = ''
  }

  #added(part: Part, text: string): void {
    const item = shownItem(itemOf(this.#names, part, { text, status: 'in_progress' }), false)
    this.#writer.write('response.output_item.added', { output_index: part.position, item })
  }

  #closeContent(part: Part, text: string, logprobs: unknown[]): void {
    const place = this.#place(part)
    if (part.kind === 'text') {
      this.#writer.write('response.output_text.done', { ...place, text, logprobs })
      this.#part(part, 'done', outputText(text, logprobs))
    } else if (part.kind === 'reasoning') {
      if (text === '') return
      this.#writer.write('response.reasoning_summary_text.done', { ...place, text })
      this.#part(part, 'done', { type: 'summary_text', text })
    } else {
      this.#closeCall(part, text)
    }
  }

  #closeCall(part: Part, text: string): void {
    const place = this.#place(part)
    const { tools } = this.#names
    const kind = callKind(part, tools)
    if (kind === 'custom') {
      const input = customInput(text)
      // Only known now: before, it is part of a JSON text.
      this.#writer.write('response.custom_tool_call_input.delta', { ...place, delta: input })
      this.#writer.write('response.custom_tool_call_input.done', { ...place, input })
    } else if (kind === 'function') {
      const { name } = tools.get(part.name) ?? part
      const done = { ...place, name, arguments: text }
      this.#writer.write('response.function_call_arguments.done', done)
    }
  }

  #part(part: Part, what: 'added' | 'done', content: Fields): void {
    const type = part.kind === 'text' ? 'content_part' : 'reasoning_summary_part'
    this.#writer.write(`response.${type}.${what}`, { ...this.#place(part), part: content })
  }

  #place(part: Part): Fields {
    const place = { item_id: itemId(this.#names, part), output_index: part.position }
    if (part.kind === 'text') return { ...place, content_index: 0 }
    return part.kind === 'reasoning' ? { ...place, summary_index: 0 } : place
  }

  #frameOf(part: Part): DeltaFrame | undefined {
    // What other tools are called with is told when it is whole.
    if (part.kind === 'call' && callKind(part, this.#names.tools) !== 'function') return undefined
    return deltaFrame(DELTAS[part.kind], this.#place(part), part.kind === 'text')
  }
}

const DELTAS = {
  text: 'response.output_text.delta',
  reasoning: 'response.reasoning_summary_text.delta',
  call: 'response.function_call_arguments.delta',
}
