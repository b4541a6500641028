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
): { content: Fields[]; ending: Ending } {
  const parts = wholeParts(message, newToolUseId)
  const said = isCutOff(finish) ? parts.filter((part) => !isBroken(part)) : parts
  const any = parts.some(({ kind }) => kind === 'call')
  return {
    content: said.map((part) => blockOf(part, names)),
    ending: endingOf(finish, { any, cutOff: said.length < parts.length }),
  }
}

/** A call whose arguments are incomplete. */
export function isBroken({ kind, whole }: Part): boolean {
  return kind === 'call' && !whole
}

function blockOf(part: WholePart, names: AnswerNames): Fields {
  const { kind, text } = part
  if (kind === 'text') return { type: 'text', text, citations: null }
  if (kind === 'call') {
    return { ...calling(part, names), input: inputOf(part) }
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

/** A call without its input. Nothing but the model itself calls a tool here. */
export function calling({ id, name }: Part, { tools }: AnswerNames): Fields {
  return { type: 'tool_use', id, name: tools.full(name), caller: { type: 'direct' } }
}

/* What clients want also where there is nothing to say. */
export const UNTOLD_END = { stop_details: null, container: null }
export const UNTOLD = { ...UNTOLD_END, diagnostics: null }

export function messageOf(
  names: AnswerNames,
  content: Fields[],
  { ending, usage }: { ending: Ending; usage: Fields },
): Fields {
  return {
    id: names.id,
    type: 'message',
    role: 'assistant',
    model: names.model,
    content,
    ...UNTOLD,
    ...ending,
    usage,
  }
}

/** How a message ends: the same in a whole one and in the last event of a stream. */
export type Ending = {
  stop_reason: string | null
  stop_sequence: null
  stop_details: Fields | null
  container: null
}

export const NOT_ENDED: Ending = { stop_reason: null, stop_sequence: null, ...UNTOLD_END }

export function endingOf(finish: string | null, calls: { any: boolean; cutOff: boolean }): Ending {
  const isEarly = endsEarly(finish, calls)
  if (!isEarly) return { ...NOT_ENDED, stop_reason: calls.any ? 'tool_use' : 'end_turn' }
  if (finish === 'length') return { ...NOT_ENDED, stop_reason: 'max_tokens' }
  return { ...NOT_ENDED, stop_reason: 'refusal', stop_details: REFUSED }
}

/** Of which kind it was, and why, is not known. */
const REFUSED = { type: 'refusal', category: null, explanation: null }
