import { invalidField } from '../../lib/failure.ts'
import { isFields, type Fields } from '../../lib/fields.ts'
import { whyNotPublic } from '../../lib/public-url.ts'
import type { PromptSize } from '../price/call-price.ts'
import { IMAGE_TOKENS, LINKED_MEDIA_TOKENS, mediaTokens } from '../price/media-tokens.ts'

export type InputModality = 'text' | 'image' | 'audio' | 'video' | 'file'

/** What one pass over the messages finds: how large they are and what they are made of. */
export type ChatReading = PromptSize & { modalities: Set<InputModality> }

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const MEDIA_MODALITY = {
  image_url: 'image',
  video_url: 'video',
  input_video: 'video',
  input_audio: 'audio',
  file: 'file',
} as const

/**
 * Checks the messages and measures them in one pass. By hand, not by schema: a schema collects every
 * fault of 60,000 bad messages, and this stops at the first and names it.
 */
export function readMessages(messages: unknown[]): ChatReading {
  const reading: ChatReading = {
    textBytes: 0,
    imageCount: 0,
    mediaTokens: 0,
    modalities: new Set(['text']),
  }
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
  readContent(message, at, reading)
  if (message.tool_calls !== undefined && message.tool_calls !== null) {
    readToolCalls(message.tool_calls, `${at}.tool_calls`, reading)
  }
}

function readContent(message: Fields, at: string, reading: ChatReading): void {
  const { content } = message
  if (typeof content === 'string') {
    reading.textBytes += Buffer.byteLength(content)
  } else if (Array.isArray(content)) {
    if (content.length === 0) throw invalidField(`${at}.content`, 'must not be empty')
    for (let i = 0; i < content.length; i++) readPart(content[i], `${at}.content[${i}]`, reading)
  } else if (content !== null && content !== undefined) {
    throw invalidField(`${at}.content`, 'must be a string or an array of parts')
  } else if (message.role !== 'assistant' && message.role !== 'function') {
    throw invalidField(`${at}.content`, 'is required')
  }
}

function readToolCalls(calls: unknown, at: string, reading: ChatReading): void {
  if (!Array.isArray(calls)) throw invalidField(at, 'must be an array')
  calls.forEach((call: unknown, i) => {
    const fn = isFields(call) ? call.function : undefined
    if (!isFields(fn) || typeof fn.name !== 'string' || typeof fn.arguments !== 'string') {
      throw invalidField(`${at}[${i}].function`, 'must have a name and arguments, both strings')
    }
    reading.textBytes += Buffer.byteLength(fn.name) + Buffer.byteLength(fn.arguments)
  })
}

function readPart(part: unknown, at: string, reading: ChatReading): void {
  if (!isFields(part) || typeof part.type !== 'string')
    throw invalidField(`${at}.type`, 'is required')
  if (part.type === 'text' || part.type === 'refusal') {
    const text = part.type === 'text' ? part.text : part.refusal
    if (typeof text !== 'string') throw invalidField(`${at}.${part.type}`, 'must be a string')
    reading.textBytes += Buffer.byteLength(text)
    return
  }
  if (!Object.hasOwn(MEDIA_MODALITY, part.type)) {
    throw invalidField(`${at}.type`, 'must be text, image_url, video_url, input_audio or file')
  }
  const type = part.type as keyof typeof MEDIA_MODALITY
  reading.modalities.add(MEDIA_MODALITY[type])
  readMedia(type, part, at, reading)
}

function readMedia(
  type: keyof typeof MEDIA_MODALITY,
  part: Fields,
  at: string,
  reading: ChatReading,
): void {
  const inner = part[type === 'input_video' ? 'video_url' : type]
  const field = `${at}.${type}`
  if (!isFields(inner)) throw invalidField(field, 'must be an object')
  if (type === 'input_audio') {
    if (typeof inner.data !== 'string' || typeof inner.format !== 'string') {
      throw invalidField(field, 'must have data (base64) and format, both strings')
    }
    reading.mediaTokens += mediaTokens('audio', inner.data.length)
    return
  }
  if (type === 'file') return readFile(inner, field, reading)
  const { url } = inner
  if (typeof url !== 'string') throw invalidField(`${field}.url`, 'must be a string')
  const linked = checkLocation(url, `${field}.url`)
  if (type === 'image_url') {
    reading.imageCount += 1
    reading.mediaTokens += IMAGE_TOKENS
  } else {
    reading.mediaTokens += linked ? LINKED_MEDIA_TOKENS : mediaTokens('video', url.length)
  }
}

function readFile(file: Fields, field: string, reading: ChatReading): void {
  const { file_data: data } = file
  // A file id names something in the gateway's own account at the upstream: never the caller's.
  if (typeof data !== 'string') throw invalidField(`${field}.file_data`, 'must be a string')
  const linked = checkLocation(data, `${field}.file_data`)
  reading.mediaTokens += linked ? LINKED_MEDIA_TOKENS : mediaTokens('file', data.length)
}

/** True for a link, false for inline data; anything else is refused. */
function checkLocation(location: string, field: string): boolean {
  if (location.startsWith('data:')) {
    const comma = location.indexOf(',')
    if (comma < 0 || !location.slice(0, comma).endsWith(';base64') || comma > 200) {
      throw invalidField(field, 'must be a data URI in base64 or an https URL')
    }
    return false
  }
  if (location.length > 8_192) throw invalidField(field, 'is longer than 8,192 characters')
  const why = whyNotPublic(location)
  if (why !== undefined) throw invalidField(field, why)
  return true
}
