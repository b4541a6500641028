import { invalidField } from '../../lib/failure.ts'
import { isFields, type Fields } from '../../lib/json.ts'
import { encryptedDetail, isThinking, textDetail } from '../../upstream/anthropic/thinking.ts'
import { shown } from '../chat/dialects.ts'
import { addDetails, carriedDetails, isCarrier } from '../chat/reasoning.ts'
import { isMarked, textOfBlocks, userParts } from './blocks.ts'
import type { ReadingModel } from './body.ts'
import type { SentMessage } from './compaction.ts'
import { blocksOf, inOrderOfCalls, toolResult, unpaired, type ToolResult } from './results.ts'
import type { ToolNames } from './tools.ts'

type Reading = { model: ReadingModel; names: ToolNames }
type Placed = { block: Fields; at: string }
/** Consecutive messages of one role are one turn. */
type Turn = { role: string; at: string; blocks: Placed[] }

export type PlacedMessage = { message: Fields; at: string }

export function chatTurns(messages: readonly SentMessage[], reading: Reading): PlacedMessage[] {
  const said: PlacedMessage[] = []
  const say = (at: string, ...more: Fields[]) =>
    said.push(...more.map((message) => ({ message, at })))
  /** The calls of the last turn; their results must follow directly. */
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
      calls = { ids: turn.blocks.filter(isCall).map(({ block }) => String(block.id)), at: turn.at }
    }
  }
  if (calls.ids.length > 0) throw withoutResult(calls.at, calls.ids)
  say('messages', ...waiting)
  return said
}

function turnsOf(messages: readonly SentMessage[]): Turn[] {
  const turns: Turn[] = []
  messages.forEach(({ message, at, left }) => {
    if (!isFields(message)) throw invalidField(at, 'must be an object with role and content')
    const { role, content } = message
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw invalidField(`${at}.role`, 'must be user, assistant or system')
    }
    const blocks = blocksOf(content, at, left)
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

/** Tool results first, then system messages in between, then the user's content. */
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

/** A single text is sent as a string, which every server reads. */
function contentOf(parts: Fields[]): unknown {
  const only = parts.length === 1 ? parts[0]! : undefined
  return only?.type === 'text' && !isMarked(only) ? only.text : parts
}

function assistantTurn({ blocks }: Turn, { model, names }: Reading): Fields[] {
  const message: Fields = { role: 'assistant', content: null }
  const texts = textBlocks(blocks)
  if (texts.length > 0) message.content = textOfBlocks(texts, model)
  const details: Fields[] = []
  for (const { block } of blocks.filter(({ block }) => isThinking(block))) {
    addDetails(details, detailsOf(block, details.length, model))
  }
  if (details.length > 0) message.reasoning_details = details
  const calls = blocks.filter(isCall).map((call) => callOf(call, names))
  if (calls.length > 0) message.tool_calls = calls
  return texts.length === 0 && calls.length === 0 ? [] : [message]
}

/** From our carrier, or as signed by the provider of the same model. */
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

function callOf({ block, at }: Placed, names: ToolNames): Fields {
  const { id, name, input } = block
  if (typeof id !== 'string') throw invalidField(`${at}.id`, 'must be a string')
  if (typeof name !== 'string') throw invalidField(`${at}.name`, 'must be a string')
  const text = JSON.stringify(isFields(input) ? input : {})
  return { id, type: 'function', function: { name: names.short(name), arguments: text } }
}

/** Without empty texts, which some models refuse. */
function textBlocks(blocks: readonly Placed[]): Fields[] {
  return blocks.flatMap(({ block, at }) => {
    if (block.type !== 'text') return []
    if (typeof block.text !== 'string') throw invalidField(`${at}.text`, 'must be a string')
    return block.text === '' ? [] : [block]
  })
}

/** Clients know this wording. */
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
