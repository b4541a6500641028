import { fieldsOf, parseForeignJson, textOf, type Fields } from '../../../lib/json.ts'
import type { Part } from '../../chat/answer-parts.ts'
import { carrierOf } from '../../chat/reasoning.ts'
import type { OwnTools } from '../request/tools.ts'

export type ItemNames = { seed: string; model: string; tools: OwnTools }

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

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
      return isCustom(names, part) ? customCall(names, part, said) : call(names, part, said)
  }
}

/** Contains the response's id, so that a stored response is found by any of its items. */
export function itemId(names: ItemNames, part: Part): string {
  const prefix =
    part.kind === 'call' ? (isCustom(names, part) ? 'ctc_' : 'fc_') : PREFIXES[part.kind]
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

export function isCustom({ tools }: ItemNames, part: Part): boolean {
  return tools.get(part.name)?.kind === 'custom'
}

/** The status of an item that closes in an answer that was cut off; of a call by its arguments. */
export function cutOffStatus(part: Part, hasCalls: boolean): ItemStatus {
  const whole = part.kind === 'call' ? part.whole : hasCalls
  return whole ? 'completed' : 'incomplete'
}

/** Chat models write the free text of a custom tool as an argument. */
export function customInput(args: string): string {
  try {
    return textOf(fieldsOf(parseForeignJson(args)).input) ?? args
  } catch {
    // Not JSON: the model may have written the text itself.
    return args
  }
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
  // A chat does not say whether more will follow.
  const phase = null
  return { id: itemId(names, part), type: 'message', status, role: 'assistant', phase, content }
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

function call(names: ItemNames, part: Part, { text, status }: { text: string; status: string }) {
  return {
    id: itemId(names, part),
    type: 'function_call',
    call_id: part.id,
    ...calledName(names, part),
    arguments: text,
    status,
  }
}

/** Never `incomplete`: some clients do not know it here. */
function customCall(names: ItemNames, part: Part, said: { text: string; status: ItemStatus }) {
  const { text, status } = said
  return {
    id: itemId(names, part),
    type: 'custom_tool_call',
    call_id: part.id,
    ...calledName(names, part),
    input: status === 'in_progress' ? '' : customInput(text),
    status: status === 'in_progress' ? status : 'completed',
  }
}

/** A tool that was not offered keeps the model's name for it. */
function calledName({ tools }: ItemNames, { name }: Part): Fields {
  const own = tools.get(name)
  if (own === undefined) return { name }
  return own.namespace === undefined
    ? { name: own.name }
    : { name: own.name, namespace: own.namespace }
}
