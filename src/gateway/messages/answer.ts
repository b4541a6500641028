import type { Fields } from '../../lib/fields.ts'
import { prefixedId } from '../../lib/ids.ts'
import type { Part } from '../chat/answer-parts.ts'
import { carrierOf } from '../chat/reasoning-carrier.ts'
import { inputOf, wholeParts, type WholePart } from '../chat/whole-parts.ts'
import type { ToolNames } from './tools.ts'
import type { MessageUsage } from './usage.ts'

/** The names that an answer bears. */
export type AnswerNames = {
  id: string
  /** As it was asked for: clients resume a session by it. */
  model: string
  /** As the catalog has it: reasoning comes back only to the same one. */
  catalogId: string
  tools: ToolNames
}

export function newMessageId(): string {
  return prefixedId('msg_')
}

/** How an id of a call is written here; those of upstreams repeat, or are refused by others. */
export function newToolUseId(): string {
  return prefixedId('toolu_')
}

/**
 * The content of an answer that came as a whole. Throws if a call cannot be used; one that was cut
 * off by the limit of tokens is left out.
 */
export function contentOf(message: Fields, finish: string | null, names: AnswerNames): Fields[] {
  const parts = wholeParts(message, newToolUseId)
  const last = parts.at(-1)
  if (finish === 'length' && last?.kind === 'call' && !isJson(last.text)) parts.pop()
  return parts.map((part) => blockOf(part, names))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function blockOf(part: WholePart, names: AnswerNames): Fields {
  const { kind, id, name, text } = part
  if (kind === 'text') return { type: 'text', text }
  if (kind === 'call') {
    return { type: 'tool_use', id, name: names.tools.full(name), input: inputOf(part) }
  }
  const carrier = carrierFor(part, names)
  return text === ''
    ? { type: 'redacted_thinking', data: carrier }
    : { type: 'thinking', thinking: text, signature: carrier }
}

export function carrierFor({ details }: Part, { catalogId }: AnswerNames): string {
  return carrierOf(catalogId, details)
}

export function messageOf(
  names: AnswerNames,
  content: Fields[],
  end: { stopReason: string | null; usage: MessageUsage },
): Fields {
  return {
    id: names.id,
    type: 'message',
    role: 'assistant',
    model: names.model,
    content,
    stop_reason: end.stopReason,
    stop_sequence: null,
    usage: end.usage,
  }
}

/** An answer that was cut off is not one to act on, even if it calls. */
export function stopReasonOf(finish: string | null, hasCalls: boolean): string {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'content_filter') return 'refusal'
  return hasCalls ? 'tool_use' : 'end_turn'
}
