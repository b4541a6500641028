import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/fields.ts'
import { plainText } from '../../upstream/contract/chat-parts.ts'
import { JsonEnd } from './json-end.ts'
import { addDetails, callSignature, detailsText, withCallId } from './reasoning-details.ts'

/**
 * A piece of an answer in the order in which a caller sees it. Other dialects show one after the
 * other, never two at once, while the chunks of a chat may mix them.
 */
export type Part = {
  /** 0, 1, 2… among the parts of the answer. */
  position: number
  kind: 'reasoning' | 'text' | 'call'
  /** Ours, of a call: upstreams repeat theirs, or write them in ways that others refuse. */
  id: string
  /** Of a call. */
  name: string
  /** What must come back with a later request, of a reasoning: complete when it closes. */
  details: Fields[]
}

/** Is told of one part after the other: open, its text in pieces, close. */
export type PartListener = {
  open(part: Part): void
  /** Never empty. Of a call it is a piece of its arguments. */
  delta(part: Part, text: string): void
  close(part: Part): void
}

type Entry = {
  part: Part
  /** What could not be told yet. */
  pending: string
  opened: boolean
  closed: boolean
  /** The upstream's id of a call. */
  theirs: string
  /** Where the arguments of a call end. */
  end: JsonEnd
}

/**
 * Walks over the chunks of one chat answer, or over a whole message, and tells its parts. Only the
 * first part in line is open; one closes when another waits behind it, a call only when its
 * arguments are complete: deltas of another call that come in between wait.
 */
export class AnswerWalk {
  /** The last reason to finish that was told. */
  finish: string | null = null
  hasCalls = false
  readonly #listener: PartListener
  readonly #mintId: () => string
  readonly #line: Entry[] = []
  readonly #calls = new Map<number, Entry>()
  /** Ours by the upstream's; a reasoning may name a call before it comes. */
  readonly #ids = new Map<string, { id: string; taken: boolean }>()
  #parts = 0

  constructor(listener: PartListener, mintId: () => string) {
    this.#listener = listener
    this.#mintId = mintId
  }

  /** The text of a `chat.completion.chunk`. */
  take(chunk: string): void {
    const { choices } = JSON.parse(chunk) as Fields
    const choice = fieldsOf(listOf(choices).find((one) => !fieldsOf(one).index))
    this.add(fieldsOf(choice.delta))
    this.finish = textOf(choice.finish_reason) || this.finish
  }

  /** A delta, or a whole message. */
  add(delta: Fields): void {
    this.#readReasoning(delta)
    const { content, refusal } = delta
    const text = typeof content === 'string' ? content : plainText(content)
    if (text !== '') this.#write(this.#lastOr('text'), text)
    if (typeof refusal === 'string' && refusal !== '') this.#write(this.#lastOr('text'), refusal)
    for (const call of listOf(delta.tool_calls)) if (isFields(call)) this.#call(call)
  }

  /** Nothing more comes: tells what still waits. */
  end(): void {
    while (this.#line.length > 0) {
      const first = this.#line[0]!
      this.#tell(first)
      if (first.opened) this.#close(first)
      // A call that never had a name is nobody's.
      else this.#line.shift()
    }
  }

  #readReasoning(delta: Fields): void {
    const details = listOf(delta.reasoning_details).filter(isFields)
    const text = textOf(delta.reasoning) ?? textOf(delta.reasoning_content) ?? detailsText(details)
    if (text === '' && details.length === 0) return
    const ours = details.map((one) => withCallId(one, (theirs) => this.#ourId(theirs).id))
    this.#reason(text, ours)
  }

  #reason(text: string, details: readonly Fields[]): void {
    const entry = this.#lastOr('reasoning')
    addDetails(entry.part.details, details)
    this.#write(entry, text)
  }

  #call(raw: Fields): void {
    const { name, arguments: given } = fieldsOf(raw.function)
    const text = isFields(given) ? JSON.stringify(given) : (textOf(given) ?? '')
    const sent = { id: textOf(raw.id) ?? '', name: textOf(name) ?? '', text }
    const index = typeof raw.index === 'number' ? raw.index : this.#calls.size
    const known = this.#calls.get(index)
    const id = known && !isAnother(known, sent) ? known.part.id : this.#takeId(sent.id)
    const signature = callSignature(raw, id)
    // It stands before its call, so that it comes back before it.
    if (signature !== undefined) this.#reason('', [signature])
    const entry = known?.part.id === id ? known : this.#newCall(index, id, sent.id)
    if (entry.closed) return
    entry.part.name ||= sent.name
    entry.end.read(text)
    this.#write(entry, text)
  }

  #newCall(index: number, id: string, theirs: string): Entry {
    const entry = this.#push('call')
    entry.part.id = id
    entry.theirs = theirs
    this.#calls.set(index, entry)
    this.hasCalls = true
    return entry
  }

  #ourId(theirs: string): { id: string; taken: boolean } {
    const known = this.#ids.get(theirs)
    if (known !== undefined) return known
    const made = { id: this.#mintId(), taken: false }
    this.#ids.set(theirs, made)
    return made
  }

  #takeId(theirs: string): string {
    if (theirs === '') return this.#mintId()
    if (this.#ids.get(theirs)?.taken) this.#ids.delete(theirs)
    const ours = this.#ourId(theirs)
    ours.taken = true
    return ours.id
  }

  #lastOr(kind: Part['kind']): Entry {
    const last = this.#line.at(-1)
    return last?.part.kind === kind ? last : this.#push(kind)
  }

  #push(kind: Part['kind']): Entry {
    const part: Part = { position: 0, kind, id: '', name: '', details: [] }
    const entry = {
      part,
      pending: '',
      opened: false,
      closed: false,
      theirs: '',
      end: new JsonEnd(),
    }
    this.#line.push(entry)
    return entry
  }

  #write(entry: Entry, text: string): void {
    entry.pending += text
    for (let first = this.#line[0]!; ; first = this.#line[0]!) {
      this.#tell(first)
      if (this.#line.length === 1 || !isComplete(first)) return
      this.#close(first)
    }
  }

  #tell(entry: Entry): void {
    const { part } = entry
    if (!entry.opened) {
      if (part.kind === 'call' && part.name === '') return
      entry.opened = true
      part.position = this.#parts++
      this.#listener.open(part)
    }
    if (entry.pending !== '') this.#listener.delta(part, entry.pending)
    entry.pending = ''
  }

  #close(entry: Entry): void {
    this.#line.shift()
    entry.closed = true
    // A tool without parameters may get no arguments at all; its caller expects an object.
    if (entry.part.kind === 'call' && entry.end.blank) this.#listener.delta(entry.part, '{}')
    this.#listener.close(entry.part)
  }
}

function isComplete({ part, end, opened }: Entry): boolean {
  return part.kind !== 'call' || (opened && end.reached)
}

/** Some servers give every call the same index. */
function isAnother(known: Entry, sent: { id: string; name: string; text: string }): boolean {
  if (sent.name === '' || known.part.name === '') return false
  if (sent.id !== '' && known.theirs !== '') return sent.id !== known.theirs
  return known.end.reached && sent.text !== ''
}
