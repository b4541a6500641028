import { Failure, invalidField } from '../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { limitField, unreadOf } from '../chat/dialects.ts'
import { checkCount } from '../chat/messages.ts'
import type { ChatBody } from '../chat/chat.ts'
import type { MessagesBody, ReadingModel } from './body.ts'
import { textOfBlocks } from './blocks.ts'
import { sinceSummary } from './compaction.ts'
import { chatTools, keptTools, type ToolNames } from './tools.ts'
import { chatTurns } from './turns.ts'

export type ReadRequest = {
  chat: ChatBody & Fields
  names: ToolNames
  /** The messages as sent, since the last summary of what came before. */
  messages: unknown[]
  /** The tools that the caller runs, as sent. */
  tools: Fields[]
  /** The request's field that each chat message was made from. */
  places: string[]
}

/** Without it the answer would not be what was asked for. */
function refuseUnsupported(body: MessagesBody & Fields): void {
  if (isFields(body.compaction)) throw notHere('compaction')
  const { edits } = fieldsOf(body.context_management)
  listOf(edits).forEach((edit, i) => {
    const type = textOf(fieldsOf(edit).type)
    if (type?.startsWith('compact')) throw notHere(`context_management.edits[${i}].type`)
  })
}

function notHere(param: string): Failure {
  const message = `${param} is not available here: shorten the conversation yourself.`
  return new Failure('invalid', message, { param })
}

const READ = new Set(
  'model max_tokens messages system stream temperature top_p top_k stop_sequences tools tool_choice thinking output_config metadata session_id'.split(
    ' ',
  ),
)

/** The fields that have no place in a chat, or none in a chat with this model. */
export function unreadInMessages(body: Fields, model: ReadingModel): string[] {
  const unread = unreadOf(body, READ)
  if (isFields(body.thinking) && !reasons(model)) unread.push('thinking')
  if (textOf(fieldsOf(body.output_config).effort) && !reasons(model)) unread.push(EFFORT)
  if (typeof body.top_k === 'number' && !knowsTopK(model)) unread.push('top_k')
  return unread
}

const EFFORT = 'output_config.effort'

export function readRequest(body: MessagesBody, model: ReadingModel): ReadRequest {
  refuseUnsupported(body)
  checkCount(body.messages, 'messages')
  const sent = sinceSummary(body.messages)
  const tools = keptTools(body, model.native)
  const { fields, names } = chatTools(tools, body.tool_choice)
  const placed = [
    ...systemMessage(body.system, model).map((message) => ({ message, at: 'system' })),
    ...chatTurns(sent, { model, names }),
  ]
  if (!placed.some(({ message }) => message.role !== 'system')) {
    throw invalidField('messages', 'must have at least one message of the user')
  }
  const chat: ChatBody & Fields = {
    model: model.id,
    messages: placed.map(({ message }) => message),
    [limitField(model)]: Math.min(body.max_tokens, model.maxOutputTokens ?? body.max_tokens),
    ...sampling(body, model),
    ...fields,
    ...effortFor(body, model),
    ...formatFor(body),
  }
  if (body.stream === true) chat.stream = true
  // Pictures and sound would be charged, and this dialect cannot show them.
  if (model.outputModalities.length > 1) chat.modalities = ['text']
  const messages = sent.map(({ message }) => message)
  return { chat, names, messages, tools, places: placed.map(({ at }) => at) }
}

function sampling(body: MessagesBody, model: ReadingModel): Fields {
  const { temperature, top_p, top_k, stop_sequences: stops } = body
  const taken: Fields = {}
  if (typeof temperature === 'number') taken.temperature = temperature
  if (typeof top_p === 'number') taken.top_p = top_p
  // Not in OpenAI's format: models that do not know it would refuse it.
  if (typeof top_k === 'number' && knowsTopK(model)) taken.top_k = top_k
  if (stops && stops.length > 0) taken.stop = stops
  return taken
}

const OWN_NOTE = 'x-anthropic-'

function knowsTopK({ supportedParameters }: ReadingModel): boolean {
  return supportedParameters.includes('top_k')
}

/** A string or text blocks; the first block may be a client's note to its own provider. */
function systemMessage(system: unknown, model: ReadingModel): Fields[] {
  if (system === undefined || system === null || system === '') return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  if (!Array.isArray(system)) throw invalidField('system', 'must be a string or blocks of text')
  const blocks = listOf(system).filter((block, i) => {
    if (!isFields(block) || typeof block.text !== 'string') {
      throw invalidField(`system[${i}].text`, 'must be a string')
    }
    return block.text !== '' && !(i === 0 && block.text.startsWith(OWN_NOTE))
  })
  if (blocks.length === 0) return []
  return [{ role: 'system', content: textOfBlocks(blocks.map(fieldsOf), model) }]
}

const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning']
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
const LOW_TOKENS = 4_096
const MEDIUM_TOKENS = 16_384

function effortFor(body: MessagesBody, model: ReadingModel): Fields {
  if (!reasons(model)) return {}
  const thinking = fieldsOf(body.thinking)
  if (thinking.type === 'disabled') return { reasoning_effort: 'none' }
  const asked = textOf(fieldsOf(body.output_config).effort)
  if (asked !== undefined && EFFORTS.includes(asked)) return { reasoning_effort: asked }
  const budget = thinking.budget_tokens
  if (thinking.type !== 'enabled' || typeof budget !== 'number') return {}
  return { reasoning_effort: effortOfBudget(budget) }
}

function reasons({ supportedParameters }: ReadingModel): boolean {
  return REASONING.some((name) => supportedParameters.includes(name))
}

function effortOfBudget(tokens: number): string {
  if (tokens <= LOW_TOKENS) return 'low'
  return tokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}

function formatFor(body: MessagesBody): Fields {
  const { format } = fieldsOf(body.output_config)
  const { type, schema } = fieldsOf(format)
  if (type !== 'json_schema' || !isFields(schema)) return {}
  const strict = isStrict(schema) ? true : undefined
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict } },
  }
}

/** `strict` is refused for a schema that leaves anything open. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isFields(schema)) return true
  if (isFields(schema.properties)) {
    const required = listOf(schema.required)
    if (schema.additionalProperties !== false) return false
    if (!Object.keys(schema.properties).every((name) => required.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}
