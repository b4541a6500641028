import { invalidField } from '../../lib/failure.ts'
import { isFields, type Fields } from '../../lib/fields.ts'
import { encryptedDetail, isThinking, textDetail } from '../../upstream/anthropic/thinking.ts'
import { shown } from '../chat/dialects.ts'
import { addDetails, carriedDetails, isCarrier } from '../chat/reasoning.ts'
import { isMarked, textOfBlocks, userParts } from './blocks.ts'
import type { ReadingModel } from './body.ts'
import { blocksOf, inOrderOfCalls, toolResult, unpaired, type ToolResult } from './results.ts'
import type { ToolNames } from './tools.ts'

type Reading = { model: ReadingModel; names: ToolNames }
type Placed = { block: Fields; at: string }
/** Neighbours of one role are one turn. */
type Turn = { role: string; at: string; blocks: Placed[] }

/** A message of the chat, and the field of the request that it is from. */
export type PlacedMessage = { message: Fields; at: string }

/** The messages of a conversation as those of a chat. */
export function chatTurns(messages: readonly unknown[], reading: Reading): PlacedMessage[] {
  const said: PlacedMessage[] = []
  const say = (at: string, ...more: Fields[]) =>
    said.push(...more.map((message) => ({ message, at })))
  /** The calls of the last turn; their results must follow at once. */
  let calls: { ids: string[]; at: string } = { ids: [], at: '' }
  let waiting: Fields[] = []
  for (const turn of turnsOf(messages)) {
    if (turn.role === 'system') {
      waiting.push(...systemTurn(turn, reading))
    } else if (turn.role === 'user') {
      say(turn.at, ...userTurn(turn, calls, waiting, reading))
      calls = { ids: [], at: '' }
      waiting = []
    } else {
      if (calls.ids.length > 0) throw withoutResult(calls.at, calls.ids)
      say(turn.at, ...waiting, ...assistantTurn(turn, reading))
      waiting = []
      calls = { ids: callIds(turn), at: turn.at }
    }
  }
  if (calls.ids.length > 0) throw withoutResult(calls.at, calls.ids)
  say('messages', ...waiting)
  return said
}

function turnsOf(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = []
  messages.forEach((message, i) => {
    const at = `messages[${i}]`
    if (!isFields(message)) throw invalidField(at, 'must be an object with role and content')
    const { role, content } = message
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw invalidField(`${at}.role`, 'must be user, assistant or system')
    }
    const blocks = blocksOf(content, at)
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, at, blocks })
  })
  return turns
}

function systemTurn({ blocks }: Turn, { model }: Reading): Fields[] {
  const texts = textBlocks(blocks)
  return texts.length === 0 ? [] : [{ role: 'system', content: textOfBlocks(texts, model) }]
}

/** Results first, then what the system says in between, then all that only a user may send. */
function userTurn(
  turn: Turn,
  calls: { ids: string[]; at: string },
  waiting: Fields[],
  { model }: Reading,
): Fields[] {
  const results: ToolResult[] = []
  const parts: Fields[] = []
  for (const { block, at } of turn.blocks) {
    if (block.type === 'tool_result') results.push(toolResult(block, at))
    else parts.push(...userParts(block, at, model.caches))
  }
  const { missing, foreign } = unpaired(results, calls.ids)
  if (missing.length > 0) throw withoutResult(calls.at, missing)
  if (foreign.length > 0) throw withoutCall(turn.at, foreign)
  const ordered = inOrderOfCalls(results, calls.ids)
  const content = [...ordered.flatMap(({ media }) => media), ...parts]
  const own = content.length === 0 ? [] : [{ role: 'user', content: contentOf(content) }]
  return [...ordered.map(({ message }) => message), ...waiting, ...own]
}

/** One text is a string: every server reads that. */
function contentOf(parts: Fields[]): unknown {
  const only = parts.length === 1 ? parts[0]! : undefined
  return only?.type === 'text' && !isMarked(only) ? only.text : parts
}

function assistantTurn({ blocks }: Turn, { model, names }: Reading): Fields[] {
  const message: Fields = { role: 'assistant', content: null }
  const texts = textBlocks(blocks)
  if (texts.length > 0) message.content = textOfBlocks(texts, model)
  const details: Fields[] = []
  for (const { block } of blocks.filter(isThought)) {
    addDetails(details, detailsOf(block, details.length, model))
  }
  if (details.length > 0) message.reasoning_details = details
  const calls = blocks.filter(isCall).map((call) => callOf(call, names))
  if (calls.length > 0) message.tool_calls = calls
  return texts.length === 0 && calls.length === 0 ? [] : [message]
}

function isThought({ block }: Placed): boolean {
  return isThinking(block)
}

/** From our carrier; or as the provider signed it, where the same model reads it again. */
function detailsOf(block: Fields, index: number, model: ReadingModel): Fields[] {
  const { thinking: text, signature, data } = block
  const carrier = block.type === 'thinking' ? signature : data
  if (isCarrier(carrier)) return carriedDetails(carrier, model.id)
  if (!model.signs || typeof carrier !== 'string' || carrier === '') return []
  return block.type === 'thinking'
    ? [textDetail(index, { text, signature })]
    : [encryptedDetail(index, data)]
}

function isCall({ block }: Placed): boolean {
  return block.type === 'tool_use'
}

function callIds({ blocks }: Turn): string[] {
  return blocks.filter(isCall).map(({ block }) => String(block.id))
}

function callOf({ block, at }: Placed, names: ToolNames): Fields {
  const { id, name, input } = block
  if (typeof id !== 'string') throw invalidField(`${at}.id`, 'must be a string')
  if (typeof name !== 'string') throw invalidField(`${at}.name`, 'must be a string')
  const text = JSON.stringify(isFields(input) ? input : {})
  return { id, type: 'function', function: { name: names.short(name), arguments: text } }
}

/** Those that say anything: an empty one is refused by some models. */
function textBlocks(blocks: readonly Placed[]): Fields[] {
  return blocks.flatMap(({ block, at }) => {
    if (block.type !== 'text') return []
    if (typeof block.text !== 'string') throw invalidField(`${at}.text`, 'must be a string')
    return block.text === '' ? [] : [block]
  })
}

/** In the words that clients of this dialect know. */
function withoutResult(at: string, ids: readonly string[]) {
  return invalidField(
    at,
    `has \`tool_use\` ids without \`tool_result\` blocks immediately after: ${shown(ids.slice(0, 3).join(', '), 120)}`,
  )
}

function withoutCall(at: string, ids: readonly string[]) {
  return invalidField(
    at,
    `has \`tool_result\` blocks without a \`tool_use\` block in the previous message: ${shown(ids.slice(0, 3).join(', '), 120)}`,
  )
}
