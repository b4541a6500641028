import type { Fields } from '../../lib/json.ts'
import { prefixedId } from '../../lib/ids.ts'
import type { Part } from '../chat/answer-parts.ts'
import { endsEarly, isCutOff } from '../chat/dialects.ts'
import { carrierOf } from '../chat/reasoning.ts'
import { inputOf, wholeParts, type WholePart } from '../chat/whole-parts.ts'
import type { ToolNames } from './tools.ts'

export type AnswerNames = {
  id: string
  /** As the caller wrote it: clients resume a session by it. */
  model: string
  /** The catalog's id: reasoning is sent back only to the same model. */
  catalogId: string
  tools: ToolNames
  /** The caller wants thinking without its text. */
  omitsThinking: boolean
}

export function newToolUseId(): string {
  return prefixedId('toolu_')
}

/**
 * The content of a whole answer, and why it stopped. Throws if a call cannot be used; a call that
 * was cut off is left out, since a client would run half of it.
 */
export function readAnswer(
  message: Fields,
  finish: string | null,
  names: AnswerNames,
): { content: Fields[]; stopReason: string } {
  const parts = wholeParts(message, newToolUseId)
  const said = isCutOff(finish) ? parts.filter((part) => !isBroken(part)) : parts
  const any = parts.some(({ kind }) => kind === 'call')
  return {
    content: said.map((part) => blockOf(part, names)),
    stopReason: stopReasonOf(finish, { any, cutOff: said.length < parts.length }),
  }
}

/** A call whose arguments are incomplete. */
export function isBroken({ kind, whole }: Part): boolean {
  return kind === 'call' && !whole
}

function blockOf(part: WholePart, names: AnswerNames): Fields {
  const { kind, id, name, text } = part
  if (kind === 'text') return { type: 'text', text, citations: null }
  if (kind === 'call') {
    return { type: 'tool_use', id, name: names.tools.full(name), input: inputOf(part) }
  }
  const carrier = carrierFor(part, names)
  if (names.omitsThinking) return { type: 'thinking', thinking: '', signature: carrier }
  return text === ''
    ? { type: 'redacted_thinking', data: carrier }
    : { type: 'thinking', thinking: text, signature: carrier }
}

export function carrierFor({ details }: Part, { catalogId }: AnswerNames): string {
  return carrierOf(catalogId, details)
}

/** Of a message and of its last event: clients want them also where there is nothing to say. */
export const UNTOLD = { stop_details: null, container: null }

export function messageOf(
  names: AnswerNames,
  content: Fields[],
  end: { stopReason: string | null; usage: Fields },
): Fields {
  return {
    id: names.id,
    type: 'message',
    role: 'assistant',
    model: names.model,
    content,
    stop_reason: end.stopReason,
    stop_sequence: null,
    ...UNTOLD,
    usage: end.usage,
  }
}

export function stopReasonOf(
  finish: string | null,
  calls: { any: boolean; cutOff: boolean },
): string {
  if (endsEarly(finish, calls)) return finish === 'length' ? 'max_tokens' : 'refusal'
  return calls.any ? 'tool_use' : 'end_turn'
}
