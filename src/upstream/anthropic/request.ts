import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import {
  chatBody,
  effortOf,
  functionsOf,
  maxTokensOf,
  messagesOf,
  stopsOf,
  unsuitable,
} from '../contract/chat-parts.ts'
import type { ChatRequest, HttpCall, ModelTarget } from '../contract/contract.ts'
import { anthropicMessages, systemBlocks } from './messages.ts'

/** The next version refuses sampling parameters that many callers send. */
const VERSION = '2023-06-01'
const DEFAULT_MAX_TOKENS = 8192
const JSON_ONLY = 'Answer with one JSON object and nothing else.'

export function buildMessages(request: ChatRequest, target: ModelTarget): HttpCall {
  const expects = request.stream ? 'sse' : 'json'
  const headers = { 'anthropic-version': VERSION }
  return {
    method: 'POST',
    path: '/messages',
    headers,
    json: messagesBody(request, target),
    expects,
  }
}

function messagesBody(request: ChatRequest, target: ModelTarget): Fields {
  const body = chatBody(request)
  if (typeof body.n === 'number' && body.n > 1) {
    throw unsuitable('n', 'this model returns one choice per request.')
  }
  const system = systemBlocks(messagesOf(body))
  if (fieldsOf(body.response_format).type === 'json_object') {
    system.push({ type: 'text', text: JSON_ONLY })
  }
  const stops = stopsOf(body.stop)
  return {
    model: target.model,
    max_tokens: maxTokens(body, request, target),
    messages: anthropicMessages(messagesOf(body)),
    system: system.length > 0 ? system : undefined,
    stop_sequences: stops.length > 0 ? stops : undefined,
    ...sampling(body),
    ...tools(body),
    ...outputConfig(body),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    stream: request.stream ? true : undefined,
  }
}

/** This format requires a limit. */
function maxTokens(body: Fields, request: ChatRequest, target: ModelTarget): number {
  const most = target.maxOutputTokens ?? DEFAULT_MAX_TOKENS
  const usual = request.wholeOutput ? most : Math.min(most, DEFAULT_MAX_TOKENS)
  const wanted = maxTokensOf(body, {}) ?? usual
  return Math.min(wanted, request.mostTokens ?? wanted)
}

function sampling(body: Fields): Fields {
  const taken: Fields = {}
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = body[name]
    if (typeof value !== 'number') continue
    taken[name] = name === 'temperature' ? Math.min(value, 1) : value
  }
  return taken
}

function tools(body: Fields): Fields {
  const functions = functionsOf(body)
  if (functions.length === 0) return {}
  const choice = toolChoice(body.tool_choice)
  const serial = body.parallel_tool_calls === false && choice?.type !== 'none'
  return {
    tools: functions.map(toolOf),
    tool_choice: serial ? { type: 'auto', ...choice, disable_parallel_tool_use: true } : choice,
  }
}

function toolOf(made: Fields): Fields {
  return {
    name: made.name,
    description: textOf(made.description),
    input_schema: isFields(made.parameters) ? made.parameters : { type: 'object', properties: {} },
    strict: made.strict === true ? true : undefined,
  }
}

function toolChoice(choice: unknown): Fields | undefined {
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (choice === 'required') return { type: 'any' }
  const name = textOf(fieldsOf(fieldsOf(choice).function).name)
  return name === undefined ? undefined : { type: 'tool', name }
}

const EFFORTS: Record<string, string> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

function outputConfig(body: Fields): Fields {
  const effort = effortOf(body)
  const format = fieldsOf(body.response_format)
  const schema = fieldsOf(format.json_schema).schema
  const theirEffort = effort === undefined ? undefined : EFFORTS[effort]
  const theirFormat =
    format.type === 'json_schema' && isFields(schema) ? { type: 'json_schema', schema } : undefined
  return {
    output_config:
      theirEffort || theirFormat ? { effort: theirEffort, format: theirFormat } : undefined,
    thinking: effort === 'none' ? { type: 'disabled' } : undefined,
  }
}
