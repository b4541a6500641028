import { invalidField } from '../../lib/failure.ts'
import { isFields, type Fields } from '../../lib/json.ts'
import {
  MEDIA_MODALITY,
  NO_MEDIA,
  readMediaPart,
  readPictures,
  type MediaReading,
  type MediaType,
} from '../media-parts.ts'

export type InputModality = 'text' | 'image' | 'audio' | 'video' | 'file'

export type ChatReading = MediaReading & { modalities: Set<InputModality> }

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
/** Each part costs tokens at the upstream, and time here. */
export const MOST_PARTS = 10_000

/** Counts messages or items with their parts, before anything is made of them. */
export function checkCount(messages: readonly unknown[], field: string): void {
  let parts = 0
  for (const message of messages) {
    parts += countParts(message)
    if (parts > MOST_PARTS) throw invalidField(field, `have more than ${MOST_PARTS} parts`)
  }
}

function countParts(of: unknown): number {
  if (!isFields(of)) return 1
  const { content, output, source, tool_calls: calls } = of
  const lists = [content, output, calls, isFields(source) ? source.content : undefined]
  return Math.max(
    1,
    lists.reduce<number>((sum, list) => sum + countListed(list), 0),
  )
}

function countListed(list: unknown): number {
  if (!Array.isArray(list)) return 0
  // So many need not be looked into.
  if (list.length > MOST_PARTS) return list.length
  return list.reduce<number>((sum, part) => sum + countParts(part), 0)
}

/**
 * Checked by hand and not by a schema, which would collect every error of 60,000 bad messages; this
 * stops at the first. Only media are measured here: the size of text is that of the body.
 */
export function readMessages(messages: unknown[]): ChatReading {
  checkCount(messages, 'messages')
  const reading: ChatReading = { ...NO_MEDIA, modalities: new Set(['text']) }
  for (let i = 0; i < messages.length; i++) readMessage(messages[i], `messages[${i}]`, reading)
  return reading
}

function readMessage(message: unknown, at: string, reading: ChatReading): void {
  if (!isFields(message)) throw invalidField(at, 'must be an object with role and content')
  if (typeof message.role !== 'string' || !ROLES.has(message.role)) {
    throw invalidField(`${at}.role`, `must be one of ${[...ROLES].join(', ')}`)
  }
  if (message.role === 'tool' && typeof message.tool_call_id !== 'string') {
    throw invalidField(`${at}.tool_call_id`, 'must be a string')
  }
  if (message.tool_calls !== undefined && message.tool_calls !== null) {
    readToolCalls(message.tool_calls, `${at}.tool_calls`)
  }
  if (message.audio && !message.content) {
    throw invalidField(`${at}.audio`, 'is not kept here: send its words as content')
  }
  // Pictures of an earlier answer that is sent back.
  if (message.images) readPictures(message.images, `${at}.images`, reading)
  readContent(message, at, reading)
}

function readContent(message: Fields, at: string, reading: ChatReading): void {
  const { content } = message
  if (typeof content === 'string') return
  if (Array.isArray(content)) {
    if (content.length === 0) throw invalidField(`${at}.content`, 'must not be empty')
    for (let i = 0; i < content.length; i++) readPart(content[i], `${at}.content[${i}]`, reading)
    return
  }
  if (content !== null && content !== undefined) {
    throw invalidField(`${at}.content`, 'must be a string or an array of parts')
  }
  if (message.role !== 'assistant' && message.role !== 'function') {
    throw invalidField(`${at}.content`, 'is required')
  }
}

function readToolCalls(calls: unknown, at: string): void {
  if (!Array.isArray(calls)) throw invalidField(at, 'must be an array')
  calls.forEach((call: unknown, i) => {
    const fn = isFields(call) ? call.function : undefined
    if (!isFields(fn) || typeof fn.name !== 'string' || typeof fn.arguments !== 'string') {
      throw invalidField(`${at}[${i}].function`, 'must have a name and arguments, both strings')
    }
  })
}

function readPart(part: unknown, at: string, reading: ChatReading): void {
  if (!isFields(part) || typeof part.type !== 'string')
    throw invalidField(`${at}.type`, 'is required')
  if (part.type === 'text' || part.type === 'refusal') {
    const text = part.type === 'text' ? part.text : part.refusal
    if (typeof text !== 'string') throw invalidField(`${at}.${part.type}`, 'must be a string')
    return
  }
  if (!Object.hasOwn(MEDIA_MODALITY, part.type)) {
    throw invalidField(`${at}.type`, 'must be text, image_url, video_url, input_audio or file')
  }
  const type = part.type as MediaType
  reading.modalities.add(MEDIA_MODALITY[type])
  readMediaPart(type, part, at, reading)
}
