import { Failure, invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { limitField, unreadOf } from '../../chat/dialects.ts'
import type { ChatBody } from '../../chat/chat.ts'
import type { ResponsesBody } from './body.ts'
import { clientToolKind, isOfClientTool } from './client-tools.ts'
import { conversationOf } from './conversation.ts'
import { kindOf, type SentItem } from './item-kinds.ts'
import {
  readTools,
  chatToolName,
  refuseHosted,
  type OwnTools,
  type SentTools,
  type ReadTools,
} from './tools.ts'

export type AskedModel = {
  id: string
  outputModalities: readonly string[]
  supportedParameters: readonly string[]
}

/** A request read as a chat, and its tools under the caller's names. */
export type AskedChat = {
  chat: ChatBody & Fields
  tools: OwnTools
  /** The request's field that each message was made from. */
  origins: string[]
  /** No upstream may be given it as it is written. */
  onlyAsChat: boolean
}

/** `items` is the whole conversation, with references replaced. */
export function chatBodyOf(
  body: ResponsesBody,
  items: readonly SentItem[],
  model: AskedModel,
): AskedChat {
  const { messages, origins } = conversationOf(items, model.id)
  if (messages.length === 0) throw invalidField('input', 'must not be empty')
  if (body.instructions) {
    messages.unshift({ role: 'system', content: body.instructions })
    origins.unshift('instructions')
  }
  const read = readTools(toolLists(body, items))
  const { tools, tool_choice } = toolFields(read, body.tool_choice)
  const { effort, format } = lastUpdate(items)
  const logprobs = body.top_logprobs || body.include?.includes(LOGPROBS) ? true : undefined
  const chat: ChatBody & Fields = {
    model: body.model,
    messages,
    stream: body.stream === true ? true : undefined,
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    prompt_cache_key: body.prompt_cache_key ?? undefined,
    tools,
    tool_choice,
    parallel_tool_calls: tools && (body.parallel_tool_calls ?? undefined),
    response_format: responseFormat(format ?? body.text?.format),
    reasoning_effort: takes(model, REASONING)
      ? textOf(effort ?? body.reasoning?.effort)
      : undefined,
    verbosity: takes(model, VERBOSITY) ? textOf(body.text?.verbosity) : undefined,
    logprobs,
    top_logprobs: logprobs && (body.top_logprobs ?? undefined),
    // This dialect has only text: a model that also draws is told not to.
    modalities: model.outputModalities.some((one) => one !== 'text') ? ['text'] : undefined,
  }
  chat[limitField(model)] = body.max_output_tokens ?? undefined
  const kinds = [...read.own.values()].map(({ kind }) => kind)
  const onlyAsChat =
    kinds.some((kind) => kind !== 'function' && kind !== 'custom') ||
    items.some(({ item }) => isOfClientTool(item))
  return { chat, tools: read.own, origins, onlyAsChat }
}

/** Checked before anything else. */
export function refuseUnsupported(body: ResponsesBody): void {
  for (const name of ['conversation', 'prompt'] as const) {
    if (body[name] !== undefined && body[name] !== null) throw unsupported(name)
  }
}

const READ = new Set(
  'model input instructions max_output_tokens temperature top_p top_logprobs parallel_tool_calls tools tool_choice text reasoning include metadata prompt_cache_key session_id store previous_response_id stream stream_options user background'.split(
    ' ',
  ),
)

/** The fields that have no place in a chat, or none in a chat with this model. */
export function unreadInResponses(body: ResponsesBody, model: AskedModel): string[] {
  const unread = unreadOf(body, READ)
  if (body.reasoning?.effort && !takes(model, REASONING)) unread.push('reasoning.effort')
  if (body.text?.verbosity && !takes(model, VERBOSITY)) unread.push('text.verbosity')
  return unread
}

export function unsupported(param: string): Failure {
  const message = `${param} is not supported here. Leave it out.`
  return new Failure('invalid', message, { param, code: 'unsupported_parameter' })
}

function toolLists(body: ResponsesBody, items: readonly SentItem[]): SentTools[] {
  const added = items
    .filter((sent) => kindOf(sent) === 'tools')
    .map(({ item, at }) => ({ tools: listOf(item.tools), at: `${at}.tools` }))
  return [{ tools: body.tools ?? [], at: 'tools' }, ...added]
}

type Update = { effort?: unknown; format?: unknown }
const UNCHANGED: Update = {}

/** Set by later items of the conversation. */
function lastUpdate(items: readonly SentItem[]): Update {
  const updates = items.filter((sent) => kindOf(sent) === 'update').map(({ item }) => item)
  if (updates.length === 0) return UNCHANGED
  const last = (read: (item: Fields) => unknown) => updates.map(read).findLast(Boolean)
  return {
    effort: last((item) => fieldsOf(item.reasoning).effort),
    format: last((item) => fieldsOf(item.text).format),
  }
}

const LOGPROBS = 'message.output_text.logprobs'
const VERBOSITY = ['verbosity']
const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning']

function takes({ supportedParameters }: AskedModel, names: readonly string[]): boolean {
  return names.some((name) => supportedParameters.includes(name))
}

function responseFormat(format: unknown): Fields | undefined {
  if (format === undefined || format === null) return undefined
  if (!isFields(format)) throw invalidField('text.format', 'must be an object')
  switch (format.type) {
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json_object' }
    case 'json_schema':
      return { type: 'json_schema', json_schema: jsonSchema(format) }
    default:
      throw invalidField('text.format.type', 'must be text, json_schema or json_object')
  }
}

function jsonSchema({ name, schema, strict, description }: Fields): Fields {
  if (typeof name !== 'string') throw invalidField('text.format.name', 'must be a string')
  if (!isFields(schema)) throw invalidField('text.format.schema', 'must be an object')
  return {
    name,
    schema,
    strict: typeof strict === 'boolean' ? strict : undefined,
    description: textOf(description),
  }
}

type ChatTools = { tools?: Fields[]; tool_choice?: unknown }

/** Upstreams refuse a tool choice without tools. */
function toolFields(read: ReadTools, choice: unknown): ChatTools {
  if (isFields(choice) && choice.type === 'allowed_tools') return allowed(read, choice)
  const forced = forcedName(read, choice)
  if (read.chat.length === 0) return withoutTools(read, choice)
  if (forced === undefined) return { tools: read.chat, tool_choice: wordOf(choice) }
  if (!read.own.has(forced)) throw invalidField('tool_choice', 'names a tool that is not in tools')
  return { tools: read.chat, tool_choice: { type: 'function', function: { name: forced } } }
}

const WORDS = new Set<unknown>(['auto', 'none', 'required'])

function wordOf(choice: unknown): string | undefined {
  if (choice === undefined || choice === null) return undefined
  if (WORDS.has(choice)) return choice as string
  throw invalidField('tool_choice', 'must be auto, none, required or name a tool')
}

function withoutTools(read: ReadTools, choice: unknown): ChatTools {
  if (wordOf(choice) === 'none') return {}
  if (read.hosted !== undefined) throw refuseHosted(read.hosted)
  if (choice === 'required') throw invalidField('tool_choice', 'needs tools')
  return {}
}

/** The one tool that must be called. */
function forcedName(read: ReadTools, choice: unknown): string | undefined {
  if (!isFields(choice)) return undefined
  const name = nameIn(choice)
  if (name !== undefined) return name
  const hosted = read.hosted?.type === choice.type ? read.hosted : undefined
  throw hosted === undefined
    ? invalidField('tool_choice', 'names a tool that this service does not run')
    : refuseHosted(hosted)
}

function nameIn(choice: Fields): string | undefined {
  const kind = clientToolKind(choice)
  if (kind !== undefined) return kind
  if (choice.type !== 'function' && choice.type !== 'custom') return undefined
  // Some clients write it as in a chat.
  const name = textOf(choice.name) ?? textOf(fieldsOf(choice.function).name)
  return name === undefined ? undefined : chatToolName(name, textOf(choice.namespace))
}

/** Only some tools may be called: the chat gets only those. */
function allowed(read: ReadTools, choice: Fields): ChatTools {
  const names = new Set(listOf(choice.tools).map((tool) => nameIn(fieldsOf(tool))))
  const tools = read.chat.filter((tool) => names.has(textOf(fieldsOf(tool.function).name)))
  const must = choice.mode === 'required'
  if (tools.length > 0) return { tools, tool_choice: must ? 'required' : 'auto' }
  if (must) throw invalidField('tool_choice.tools', 'names no tool that can be called')
  return read.chat.length === 0 ? {} : { tools: read.chat, tool_choice: 'none' }
}
