import { textOf, type Fields } from '../../../lib/json.ts'
import type { Part } from '../../chat/answer-parts.ts'
import { carrierOf } from '../../chat/reasoning.ts'
import type { OwnTools } from '../request/tools.ts'
import { callItem, callPrefix, type ItemStatus } from './call-items.ts'

export type ItemNames = { seed: string; model: string; tools: OwnTools }

/** The same whether the answer came in pieces or whole. */
export function itemOf(
  names: ItemNames,
  part: Part,
  said: { text: string; status: ItemStatus; logprobs?: unknown[] | undefined },
): Fields {
  switch (part.kind) {
    case 'text':
      return message(names, part, said)
    case 'reasoning':
      return reasoning(names, part, said.text)
    default:
      return callItem(itemId(names, part), part, names.tools, said)
  }
}

/** Contains the response's id, so that a stored response is found by any of its items. */
export function itemId(names: ItemNames, part: Part): string {
  const prefix = part.kind === 'call' ? callPrefix(part, names.tools) : PREFIXES[part.kind]
  return prefix + names.seed + part.position
}

const PREFIXES = { text: 'msg_', reasoning: 'rs_' }
const ITEM_ID = /^[a-z]{2,5}_([0-9A-Za-z]{24})(i?)\d{1,6}$/

/** The response of an item, and on which side of it; undefined if it is none of ours. */
export function placeOfItem(id: string): { response: string; isInput: boolean } | undefined {
  const found = ITEM_ID.exec(id)
  return found === null ? undefined : { response: `resp_${found[1]}`, isInput: found[2] === 'i' }
}

/** An upstream's item with our id. */
export function renamedItem(item: Fields, seed: string, position: number): Fields {
  const prefix = /^[a-z]{2,5}_/.exec(textOf(item.id) ?? '')?.[0] ?? 'msg_'
  return { ...item, id: prefix + seed + position }
}

/** Encrypted reasoning is shown only to callers who asked for it. */
export function shownItem(item: Fields, encrypted: boolean): Fields {
  if (encrypted || item.encrypted_content === undefined) return item
  const { encrypted_content: _encrypted, ...shown } = item
  return shown
}

/** The status of an item that closes in an answer that was cut off; of a call by its arguments. */
export function cutOffStatus(part: Part, hasCalls: boolean): ItemStatus {
  const whole = part.kind === 'call' ? part.whole : hasCalls
  return whole ? 'completed' : 'incomplete'
}

function message(
  names: ItemNames,
  part: Part,
  {
    text,
    status,
    logprobs,
  }: { text: string; status: ItemStatus; logprobs?: unknown[] | undefined },
): Fields {
  const content = status === 'in_progress' ? [] : [outputText(text, logprobs)]
  return { id: itemId(names, part), type: 'message', status, role: 'assistant', content }
}

export function outputText(text: string, logprobs: unknown[] = []): Fields {
  return { type: 'output_text', text, annotations: [], logprobs }
}

function reasoning(names: ItemNames, part: Part, text: string): Fields {
  const { model } = names
  return {
    id: itemId(names, part),
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...(part.details.length === 0 ? {} : { encrypted_content: carrierOf(model, part.details) }),
  }
}
