import { Failure } from '../../lib/failure.ts'
import {
  fieldsOf,
  isFields,
  listOf,
  parseForeignJson,
  textOf,
  type Fields,
} from '../../lib/json.ts'
import type { ChatRequest } from './contract.ts'

/* For providers with their own format: reading a chat body in OpenAI's. */

export function chatBody(request: ChatRequest): Fields {
  return { ...request.body, ...request.extra }
}

export function messagesOf(body: Fields): Fields[] {
  return listOf(body.messages).filter(isFields)
}

/** A string is one part; null is none. */
export function partsOf(content: unknown): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).filter(isFields)
}

export function plainText(content: unknown): string {
  return partsOf(content)
    .map((part) => textOf(part.text) ?? '')
    .join('')
}

export function isSystem(message: Fields): boolean {
  return message.role === 'system' || message.role === 'developer'
}

export function urlOf(value: unknown): string {
  return typeof value === 'string' ? value : (textOf(fieldsOf(value).url) ?? '')
}

/** Splits `data:image/png;base64,…` without scanning the data. */
export function dataUri(url: string): { mediaType: string; data: string } | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  const head = comma > 0 && comma < 200 ? url.slice(5, comma) : ''
  if (!head.endsWith(';base64')) return undefined
  return { mediaType: head.split(';')[0]!, data: url.slice(comma + 1) }
}

export type ToolCall = { id: string; name: string; args: Fields; raw: Fields }

export function toolCallsOf(message: Fields): ToolCall[] {
  return listOf(message.tool_calls)
    .filter(isFields)
    .map((raw) => {
      const { name, arguments: text } = fieldsOf(raw.function)
      return { id: textOf(raw.id) ?? '', name: textOf(name) ?? '', args: argumentsOf(text), raw }
    })
}

function argumentsOf(text: unknown): Fields {
  if (typeof text !== 'string' || text.trim() === '') return {}
  try {
    const parsed = parseForeignJson(text)
    if (isFields(parsed)) return parsed
  } catch {
    // Broken JSON and a value that is not an object get one message.
  }
  throw unsuitable('messages', 'the arguments of a tool call must be a JSON object.')
}

export function functionsOf({ tools }: Fields): Fields[] {
  return listOf(tools)
    .filter((tool): tool is Fields => isFields(tool) && tool.type === 'function')
    .map((tool) => fieldsOf(tool.function))
}

export function stopsOf(stop: unknown): string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}

export function effortOf(body: Fields): string | undefined {
  return textOf(body.reasoning_effort) ?? textOf(fieldsOf(body.reasoning).effort)
}

/** The caller's limit, and no more than the account can pay for. */
export function maxTokensOf(
  body: Fields,
  { mostTokens }: Pick<ChatRequest, 'mostTokens'>,
): number | undefined {
  const wanted = body.max_completion_tokens ?? body.max_tokens
  if (typeof wanted !== 'number') return mostTokens
  return Math.min(wanted, mostTokens ?? wanted)
}

/** This model cannot take the field; another provider may. */
export function unsuitable(field: string, why: string): Failure {
  return new Failure('unsuitable', `${field}: ${why}`, { param: field, code: 'model_capability' })
}
