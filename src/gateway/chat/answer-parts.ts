import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/fields.ts'
import { plainText } from '../../upstream/contract/chat-parts.ts'
import { MintedIds } from './minted-ids.ts'
import { PartLine, type LinePart, type PartListener } from './part-line.ts'
import { addDetails, callSignature, detailsText, withCallId } from './reasoning-details.ts'
import { TextChunk } from './text-chunk.ts'

export type { Part, PartListener } from './part-line.ts'

/** Walks over the chunks of one chat answer, or over a whole message, and tells its parts. */
export class AnswerWalk {
  /** The last reason to finish that was told. */
  finish: string | null = null
  readonly #line: PartLine
  readonly #ids: MintedIds
  readonly #calls = new Map<number, Call>()
  readonly #textChunk = new TextChunk()

  constructor(listener: PartListener, mintId: () => string) {
    this.#line = new PartLine(listener)
    this.#ids = new MintedIds(mintId)
  }

  /** A call that never gets a name is nobody's, and is not told. */
  get hasCalls(): boolean {
    return [...this.#calls.values()].some(({ line }) => line.part.name !== '')
  }

  /** The text of a `chat.completion.chunk`. */
  take(chunk: string): void {
    const text = this.#textChunk.textOf(chunk)
    if (text !== undefined) return this.#write(text)
    const { choices } = JSON.parse(chunk) as Fields
    const choice = fieldsOf(listOf(choices).find((one) => !fieldsOf(one).index))
    const delta = fieldsOf(choice.delta)
    this.add(delta)
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason || this.finish
    else if (saysOnlyText(delta)) this.#textChunk.learn(chunk, String(delta.content))
  }

  /** A delta, or a whole message. */
  add(delta: Fields): void {
    this.#readReasoning(delta)
    const { content, refusal } = delta
    this.#write(typeof content === 'string' ? content : plainText(content))
    this.#write(textOf(refusal) ?? '')
    for (const call of listOf(delta.tool_calls)) if (isFields(call)) this.#call(call)
  }

  /** Nothing more comes: tells what still waits. */
  end(): void {
    this.#line.end()
  }

  #write(text: string): void {
    if (text !== '') this.#line.write(this.#line.lastOr('text'), text)
  }

  #readReasoning(delta: Fields): void {
    const details = listOf(delta.reasoning_details).filter(isFields)
    const text = textOf(delta.reasoning) ?? textOf(delta.reasoning_content) ?? detailsText(details)
    if (text === '' && details.length === 0) return
    const ours = details.map((one) => withCallId(one, (theirs) => this.#ids.of(theirs)))
    this.#reason(text, ours)
  }

  #reason(text: string, details: readonly Fields[]): void {
    const reasoning = this.#line.lastOr('reasoning')
    addDetails(reasoning.part.details, details)
    this.#line.write(reasoning, text)
  }

  #call(raw: Fields): void {
    const sent = readCall(raw)
    const index = typeof raw.index === 'number' ? raw.index : this.#calls.size
    const known = this.#calls.get(index)
    const goesOn = known !== undefined && !isAnother(known, sent)
    const id = goesOn ? known.line.part.id : this.#ids.take(sent.id)
    const signature = callSignature(raw, id)
    // It stands before its call, so that it comes back before it.
    if (signature !== undefined) this.#reason('', [signature])
    const { line } = goesOn ? known : this.#begin(index, id, sent.id)
    if (line.closed) return
    line.part.name ||= sent.name
    line.end.read(sent.text)
    this.#line.write(line, sent.text)
  }

  #begin(index: number, id: string, theirs: string): Call {
    const call = { line: this.#line.push('call'), theirs }
    call.line.part.id = id
    this.#calls.set(index, call)
    return call
  }
}

/** A call, and the upstream's id of it. */
type Call = { line: LinePart; theirs: string }
type SentCall = { id: string; name: string; text: string }

function readCall(raw: Fields): SentCall {
  const { name, arguments: given } = fieldsOf(raw.function)
  const text = isFields(given) ? JSON.stringify(given) : (textOf(given) ?? '')
  return { id: textOf(raw.id) ?? '', name: textOf(name) ?? '', text }
}

/** Some servers give every call the same index. */
function isAnother({ line, theirs }: Call, sent: SentCall): boolean {
  if (sent.name === '' || line.part.name === '') return false
  if (sent.id !== '' && theirs !== '') return sent.id !== theirs
  return line.end.reached && sent.text !== ''
}

const PLAIN_MEMBERS = new Set(['content', 'role'])

function saysOnlyText(delta: Fields): boolean {
  if (typeof delta.content !== 'string') return false
  return Object.entries(delta).every(([name, value]) => PLAIN_MEMBERS.has(name) || value === null)
}
