import { anthropicMessages, systemBlocks } from './messages.ts'
import {
  chatBody,
  effortOf,
  maxTokensOf,
  messagesOf,
  stopsOf,
  unsuitable,
} from '../contract/chat-parts.ts'
import type { ChatRequest, HttpCall, ModelTarget } from '../contract/contract.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../lib/fields.ts'

/** Pinned: the version after it refuses sampling parameters that many callers send. */
const VERSION = '2023-06-01'
const DEFAULT_MAX_TOKENS = 8192
const JSON_ONLY = 'Answer with one JSON object and nothing else.'

export function buildMessages(request: ChatRequest, target: ModelTarget): HttpCall {
  return {
    method: 'POST',
    path: '/messages',
    headers: { 'content-type': 'application/json', 'anthropic-version': VERSION },
    body: JSON.stringify(messagesBody(request, target)),
    expects: request.stream ? 'sse' : 'json',
  }
}

function messagesBody(request: ChatRequest, target: ModelTarget): Fields {
  const body = chatBody(request)
  if (typeof body.n === 'number' && body.n > 1) {
    throw unsuitable('This model gives one answer at a time.', 'n')
  }
  const system = systemBlocks(messagesOf(body))
  if (fieldsOf(body.response_format).type === 'json_object') {
    system.push({ type: 'text', text: JSON_ONLY })
  }
  const stops = stopsOf(body.stop)
  return {
    model: target.model,
    max_tokens:
      maxTokensOf(body) ??
      Math.min(target.maxOutputTokens ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS),
    messages: anthropicMessages(messagesOf(body)),
    ...(system.length > 0 ? { system } : {}),
    ...(stops.length > 0 ? { stop_sequences: stops } : {}),
    ...sampling(body, target),
    ...tools(body),
    ...outputConfig(body),
    ...(request.user === undefined ? {} : { metadata: { user_id: request.user } }),
    ...(request.stream ? { stream: true } : {}),
  }
}

/** Newer models refuse these outright, so they go only where the catalog says they may. */
function sampling(body: Fields, target: ModelTarget): Fields {
  const taken: Fields = {}
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = body[name]
    if (typeof value !== 'number' || !target.supportedParameters?.includes(name)) continue
    taken[name] = name === 'temperature' ? Math.min(value, 1) : value
  }
  return taken
}

function tools(body: Fields): Fields {
  const list = listOf(body.tools).filter(
    (tool): tool is Fields => isFields(tool) && tool.type === 'function',
  )
  if (list.length === 0) return {}
  const choice = toolChoice(body.tool_choice)
  const serial = body.parallel_tool_calls === false && choice?.type !== 'none'
  return {
    tools: list.map((tool) => toolOf(fieldsOf(tool.function))),
    ...(serial
      ? { tool_choice: { type: 'auto', ...choice, disable_parallel_tool_use: true } }
      : choice
        ? { tool_choice: choice }
        : {}),
  }
}

function toolOf(made: Fields): Fields {
  return {
    name: made.name,
    ...(typeof made.description === 'string' ? { description: made.description } : {}),
    input_schema: isFields(made.parameters) ? made.parameters : { type: 'object', properties: {} },
    ...(made.strict === true ? { strict: true } : {}),
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
  const config: Fields = {
    ...(effort !== undefined && EFFORTS[effort] ? { effort: EFFORTS[effort] } : {}),
    ...(format.type === 'json_schema' && isFields(schema)
      ? { format: { type: 'json_schema', schema } }
      : {}),
  }
  return {
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
    ...(effort === 'none' ? { thinking: { type: 'disabled' } } : {}),
  }
}
