import { dense } from '../prompt-tokens.ts'
import { pdfText } from './pdf.ts'
import { soundSeconds } from './sound.ts'

/** What an upstream counts in a request, by the kinds that have a price. */
export type PromptTokens = { text: number; audio: number }

/** Never read by a model. */
const OUTSIDE = new Set(['model', 'user', 'metadata', 'stream', 'stream_options', 'max_tokens'])

/** Every text in whatever field, and every file by what is in it. */
export function countPrompt(body: Record<string, unknown>): PromptTokens {
  const tokens = { text: 0, audio: 0 }
  for (const [name, value] of Object.entries(body)) {
    if (!OUTSIDE.has(name)) count(value, tokens)
  }
  return tokens
}

function count(value: unknown, into: PromptTokens): void {
  if (typeof value === 'string') return countText(value, into)
  if (typeof value !== 'object' || value === null) {
    into.text += 1
    return
  }
  const { data, media_type: media, mimeType: mime, format } = value as Record<string, unknown>
  const type = media ?? mime ?? format
  if (typeof data === 'string' && typeof type === 'string') return countFile(type, data, into)
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value)) into.text += dense(name)
    count(item, into)
  }
}

/** A picture of this name is cut into as many tiles as a model takes. */
const LARGE_PICTURE = /^https:.*kubwa/
const LARGE_PICTURE_TOKENS = 13_000

function countText(text: string, into: PromptTokens): void {
  const inline = /^data:([\w/.+-]+);base64,/.exec(text)
  if (inline !== null) return countFile(inline[1]!, text.slice(inline[0].length), into)
  into.text += LARGE_PICTURE.test(text) ? LARGE_PICTURE_TOKENS : dense(text)
}

const TOKENS_PER_PAGE = 300
const TOKENS_PER_PICTURE = 1_600
const TOKENS_PER_SECOND = 32

function countFile(type: string, base64: string, into: PromptTokens): void {
  const bytes = Buffer.from(base64, 'base64')
  if (type === 'application/pdf') {
    const { pages, text } = pdfText(bytes)
    into.text += pages * TOKENS_PER_PAGE + dense(text)
  } else if (type.startsWith('image/')) into.text += TOKENS_PER_PICTURE
  else if (type.startsWith('audio/') || SOUNDS.has(type)) {
    into.audio += Math.ceil(soundSeconds(bytes) * TOKENS_PER_SECOND)
  } else into.text += dense(bytes.toString())
}

const SOUNDS = new Set(['wav', 'webm', 'ogg', 'mp3'])
