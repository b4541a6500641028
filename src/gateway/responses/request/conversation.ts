import { Failure } from '../../../lib/failure.ts'
import type { Fields } from '../../../lib/json.ts'
import { attachedHeading, shown } from '../../chat/dialects.ts'
import { carriedDetails } from '../../chat/reasoning.ts'
import { textOnly } from './content.ts'
import { kindOf, type SentItem } from './item-kinds.ts'
import {
  callId,
  calledFunction,
  inputMessage,
  resultParts,
  resultsOf,
  type SentResult,
  type WaitingResults,
} from './items.ts'

/** The messages of a chat, and the request's field that each was made from. */
export type Conversation = { messages: Fields[]; origins: string[] }

/**
 * What the model wrote between two other messages (reasoning, text, calls) is one message. The
 * results of its calls follow it directly, wherever they were sent; their pictures and files come
 * in one message after them.
 */
export function conversationOf(items: readonly SentItem[], model: string): Conversation {
  const writer = new ConversationWriter(model, resultsOf(items))
  items.forEach((sent, position) => writer.add(sent, position))
  return writer.end()
}

type Turn = {
  at: string
  texts: string[]
  calls: Fields[]
  results: SentResult[]
  details: Fields[]
}

class ConversationWriter {
  readonly #model: string
  readonly #results: Map<string, WaitingResults>
  readonly #messages: Fields[] = []
  readonly #origins: string[] = []
  readonly #ids = new CallIds()
  /** Positions of results that belong to a call. */
  readonly #taken = new Set<number>()
  #turn: Turn | undefined

  constructor(model: string, results: Map<string, WaitingResults>) {
    this.#model = model
    this.#results = results
  }

  add(sent: SentItem, position: number): void {
    const { item, at } = sent
    switch (kindOf(sent)) {
      case 'message':
        if (item.role !== 'assistant') return this.#push(inputMessage(sent), at)
        return void this.#turnAt(at).texts.push(textOnly(item.content, `${at}.content`))
      case 'reasoning':
        return void this.#turnAt(at).details.push(
          ...carriedDetails(item.encrypted_content, this.#model),
        )
      case 'call':
        return this.#call(sent, position)
      case 'result':
        return this.#resultAt(sent, position)
      default:
    }
  }

  end(): Conversation {
    this.#closeTurn()
    return { messages: this.#messages, origins: this.#origins }
  }

  #turnAt(at: string): Turn {
    this.#turn ??= { at, texts: [], calls: [], results: [], details: [] }
    return this.#turn
  }

  #call(sent: SentItem, position: number): void {
    const sentId = callId(sent)
    const waiting = this.#results.get(sentId)
    const result = waiting?.results[waiting.next]
    if (waiting === undefined || result === undefined || result.position < position) {
      throw noResult(sentId)
    }
    waiting.next += 1
    this.#taken.add(result.position)
    const id = this.#ids.fit(sentId)
    const turn = this.#turnAt(sent.at)
    turn.calls.push({ id, type: 'function', function: calledFunction(sent) })
    turn.results.push(result)
  }

  /** Results are sent with their calls; this only refuses one without a call. */
  #resultAt(sent: SentItem, position: number): void {
    if (!this.#taken.has(position)) throw noCall(sent)
    this.#closeTurn()
  }

  #push(message: Fields, at: string): void {
    this.#closeTurn()
    this.#messages.push(message)
    this.#origins.push(at)
  }

  #closeTurn(): void {
    const turn = this.#turn
    this.#turn = undefined
    if (turn === undefined) return
    const content = turn.texts.filter((text) => text !== '').join('\n\n')
    // A chat cannot express reasoning without text or calls.
    if (content === '' && turn.calls.length === 0) return
    this.#push(assistant(content, turn), turn.at)
    const media: Fields[] = []
    turn.calls.forEach((call, i) => {
      const { text, attached } = resultParts(turn.results[i]!)
      this.#push({ role: 'tool', tool_call_id: call.id, content: text }, turn.results[i]!.at)
      if (attached.length > 0) media.push(attachedHeading(call.id), ...attached)
    })
    if (media.length > 0) this.#push({ role: 'user', content: media }, turn.results[0]!.at)
  }
}

function assistant(content: string, { calls, details }: Turn): Fields {
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  }
}

function noResult(id: string): Failure {
  const message = `No tool output found for function call ${shown(id)}.`
  return new Failure('invalid', message, { param: 'input' })
}

function noCall(sent: SentItem): Failure {
  const { at } = sent
  const message = `${at}: no tool call found for call_id ${shown(callId(sent))}.`
  return new Failure('invalid', message, { param: `${at}.call_id` })
}

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 48

/**
 * Call ids that every upstream accepts: plain characters, all different. Made from what was sent,
 * so that they are the same on every turn.
 */
class CallIds {
  readonly #used = new Map<string, number>()

  fit(sent: string): string {
    const plain = FITTING.test(sent) ? sent : `call_${sent.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`
    let id = FITTING.test(plain) ? plain : plain.slice(0, LONGEST)
    for (let times = this.#used.get(id); times !== undefined; times = this.#used.get(id)) {
      this.#used.set(id, times + 1)
      id = `${plain.slice(0, LONGEST)}_${times + 1}`
    }
    this.#used.set(id, 1)
    return id
  }
}
