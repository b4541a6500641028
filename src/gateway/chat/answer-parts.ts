import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { plainText } from '../../upstream/contract/chat-parts.ts'
import { brokenCall, isCutOff } from './dialects.ts'
import { PartQueue, type PartListener, type QueuedPart } from './part-queue.ts'
import { addDetails, callSignature, detailsText, withCallId } from './reasoning.ts'

export type { Part, PartListener } from './part-queue.ts'

/** Reads the chunks of a chat answer, or a whole message, and reports its parts to a listener. */
export class PartReader {
  finish: string | null = null
  readonly #queue: PartQueue
  readonly #ids: OwnCallIds
  readonly #calls = new Map<number, Call>()

  constructor(listener: PartListener, mintId: () => string) {
    this.#queue = new PartQueue(listener)
    this.#ids = new OwnCallIds(mintId)
  }

  /** A call that never gets a name is not reported. */
  get hasCalls(): boolean {
    return [...this.#calls.values()].some(({ line }) => line.part.name !== '')
  }

  /** `chunk` is the JSON of a `chat.completion.chunk`. */
  take(chunk: string): void {
    // Cutting the text out of chunks that look alike, without parsing them, saved 3 % of a stream.
    const { choices } = JSON.parse(chunk) as Fields
    const choice = fieldsOf(listOf(choices).find((one) => !fieldsOf(one).index))
    this.add(fieldsOf(choice.delta))
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason || this.finish
  }

  add(delta: Fields): void {
    this.#readReasoning(delta)
    const { content, refusal } = delta
    this.#write(typeof content === 'string' ? content : plainText(content))
    this.#write(textOf(refusal) ?? '')
    for (const call of listOf(delta.tool_calls)) if (isFields(call)) this.#call(call)
  }

  /** Reports what still waits. */
  end(): void {
    this.#queue.end()
  }

  /** Throws where the model stopped in the middle of a call: half of one cannot be made. */
  endStream(): void {
    if (!isCutOff(this.finish) && this.#queue.hasBrokenCall) throw brokenCall()
    this.end()
  }

  #write(text: string): void {
    if (text !== '') this.#queue.write(this.#queue.lastOr('text'), text)
  }

  #readReasoning(delta: Fields): void {
    const details = listOf(delta.reasoning_details).filter(isFields)
    const text = textOf(delta.reasoning) ?? textOf(delta.reasoning_content) ?? detailsText(details)
    if (text === '' && details.length === 0) return
    const ours = details.map((one) => withCallId(one, (theirs) => this.#ids.of(theirs)))
    this.#reason(text, ours)
  }

  #reason(text: string, details: readonly Fields[]): void {
    const reasoning = this.#queue.lastOr('reasoning')
    addDetails(reasoning.part.details, details)
    this.#queue.write(reasoning, text)
  }

  #call(raw: Fields): void {
    const sent = readCall(raw)
    const index = typeof raw.index === 'number' ? raw.index : this.#calls.size
    const known = this.#calls.get(index)
    const goesOn = known !== undefined && !isAnother(known, sent)
    const id = goesOn ? known.line.part.id : this.#ids.take(sent.id)
    const signature = callSignature(raw, id)
    // The signature must stand before its call.
    if (signature !== undefined) this.#reason('', [signature])
    const { line } = goesOn ? known : this.#begin(index, id, sent.id)
    if (line.closed) return
    line.part.name ||= sent.name
    line.end.read(sent.text)
    this.#queue.write(line, sent.text)
  }

  #begin(index: number, id: string, theirs: string): Call {
    const call = { line: this.#queue.push('call'), theirs }
    call.line.part.id = id
    this.#calls.set(index, call)
    return call
  }
}

/** `theirs` is the upstream's id of the call. */
type Call = { line: QueuedPart; theirs: string }
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

/**
 * Maps upstreams' call ids to ours. Theirs may repeat or be in a form that other upstreams refuse,
 * and reasoning may name a call before it comes.
 */
class OwnCallIds {
  readonly #mint: () => string
  readonly #known = new Map<string, { id: string; taken: boolean }>()

  constructor(mint: () => string) {
    this.#mint = mint
  }

  of(theirs: string): string {
    return this.#find(theirs).id
  }

  /** Every call gets its own id, even if the upstream repeats one. */
  take(theirs: string): string {
    if (theirs === '') return this.#mint()
    if (this.#known.get(theirs)?.taken) this.#known.delete(theirs)
    const found = this.#find(theirs)
    found.taken = true
    return found.id
  }

  #find(theirs: string): { id: string; taken: boolean } {
    const known = this.#known.get(theirs)
    if (known !== undefined) return known
    const made = { id: this.#mint(), taken: false }
    this.#known.set(theirs, made)
    return made
  }
}
