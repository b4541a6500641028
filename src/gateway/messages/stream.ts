import type { Usage } from '../../upstream/contract/usage.ts'
import { PartReader, type Part } from '../chat/answer-parts.ts'
import {
  calling,
  carrierFor,
  endingOf,
  isBroken,
  messageOf,
  newToolUseId,
  NOT_ENDED,
  type AnswerNames,
} from './answer.ts'
import { endingUsage, messageUsage } from './usage.ts'

export const PING = frame('ping', '')
export const STOP = frame('message_stop', '')

/**
 * Writes the events of an answer from the chunks of a chat. Clients refuse unknown events, so no
 * others are sent.
 */
export class MessageEvents {
  readonly #names: AnswerNames
  readonly #reader: PartReader
  #text = ''
  /** A thinking block has begun. One without text is sent whole at its start. */
  #thinking = false
  /** A call closed with incomplete arguments. */
  #cutOff = false

  constructor(names: AnswerNames) {
    this.#names = names
    const listener = {
      open: (part: Part) => this.#open(part),
      delta: (part: Part, text: string) => this.#delta(part, text),
      close: (part: Part) => this.#close(part),
    }
    this.#reader = new PartReader(listener, newToolUseId)
  }

  /** With the estimated prompt tokens: clients show by them how full the context is. */
  start(promptTokens: number): string {
    const usage = messageUsage({ promptTokens })
    const message = messageOf(this.#names, [], { ending: NOT_ENDED, usage })
    return frame('message_start', `,"message":${JSON.stringify(message)}`) + PING
  }

  write(chunks: readonly string[]): string {
    this.#text = ''
    for (const chunk of chunks) this.#reader.take(chunk)
    return this.#text
  }

  /** Sent after the settlement. */
  end(last: readonly string[], usage: Usage): string {
    this.#text = ''
    for (const chunk of last) this.#reader.take(chunk)
    this.#reader.endStream()
    const { finish, hasCalls } = this.#reader
    const delta = endingOf(finish, { any: hasCalls, cutOff: this.#cutOff })
    const totals = JSON.stringify(endingUsage(usage))
    return (
      this.#text +
      frame('message_delta', `,"delta":${JSON.stringify(delta)},"usage":${totals}`) +
      STOP
    )
  }

  #open(part: Part): void {
    if (part.kind === 'text') this.#start(part, '{"type":"text","text":"","citations":null}')
    if (part.kind !== 'call') return
    this.#start(part, JSON.stringify({ ...calling(part, this.#names), input: {} }))
  }

  #delta(part: Part, text: string): void {
    if (part.kind === 'reasoning') {
      if (!this.#thinking) this.#startThinking(part)
      if (this.#names.omitsThinking) return
    }
    this.#piece(part, DELTAS[part.kind], text)
  }

  #close(part: Part): void {
    if (isBroken(part)) this.#cutOff = true
    if (part.kind === 'reasoning') {
      const carrier = carrierFor(part, this.#names)
      if (this.#names.omitsThinking && !this.#thinking) this.#startThinking(part)
      if (this.#thinking) this.#piece(part, '"signature_delta","signature"', carrier)
      else this.#start(part, JSON.stringify({ type: 'redacted_thinking', data: carrier }))
      this.#thinking = false
    }
    this.#text += frame('content_block_stop', `,"index":${part.position}`)
  }

  #startThinking(part: Part): void {
    this.#thinking = true
    this.#start(part, '{"type":"thinking","thinking":"","signature":""}')
  }

  #start({ position }: Part, block: string): void {
    this.#text += frame('content_block_start', `,"index":${position},"content_block":${block}`)
  }

  #piece({ position }: Part, kind: string, text: string): void {
    const delta = `{"type":${kind}:${JSON.stringify(text)}}`
    this.#text += frame('content_block_delta', `,"index":${position},"delta":${delta}`)
  }
}

/** The type of a delta, and its text member. */
const DELTAS: Record<Part['kind'], string> = {
  reasoning: '"thinking_delta","thinking"',
  text: '"text_delta","text"',
  call: '"input_json_delta","partial_json"',
}

function frame(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}"${members}}\n\n`
}
