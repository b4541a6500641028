import { Failure } from '../../lib/failure.ts'
import type { ChatRequest } from './contract.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../lib/fields.ts'

/** What both translated providers read of a chat body, in OpenAI's words. */

export function chatBody(request: ChatRequest): Fields {
  return { ...request.body, ...request.extra }
}

export function messagesOf(body: Fields): Fields[] {
  return listOf(body.messages).filter(isFields)
}

/** A text is one part; null is none. */
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

/** The address of an `image_url`, `video_url` or `file` part. */
export function urlOf(value: unknown): string {
  return typeof value === 'string' ? value : (textOf(fieldsOf(value).url) ?? '')
}

/** `data:image/png;base64,…` taken apart without scanning the payload. */
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
      return {
        id: textOf(raw.id) ?? '',
        name: textOf(name) ?? '',
        args: argumentsOf(text),
        raw,
      }
    })
}

function argumentsOf(text: unknown): Fields {
  if (typeof text !== 'string' || text.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (isFields(parsed)) return parsed
  } catch {
    // Falls through: the same sentence for what is no JSON and what is no object.
  }
  throw unsuitable('The arguments of a tool call must be a JSON object.')
}

export function stopsOf(stop: unknown): string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}

/** `reasoning_effort`, or `reasoning.effort` as some clients write it. */
export function effortOf(body: Fields): string | undefined {
  return textOf(body.reasoning_effort) ?? textOf(fieldsOf(body.reasoning).effort)
}

export function maxTokensOf(body: Fields): number | undefined {
  const asked = body.max_completion_tokens ?? body.max_tokens
  return typeof asked === 'number' ? asked : undefined
}

export function unsuitable(message: string, param = 'messages'): Failure {
  return new Failure('unsuitable', message, { param, code: 'model_capability' })
}
