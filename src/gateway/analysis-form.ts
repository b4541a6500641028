import { invalidField } from '../lib/failure.ts'
import { formField, type Form } from '../lib/form.ts'
import { oversized, type Analysis } from './analyze.ts'
import { decodeBase64 } from './media/base64.ts'
import { measure } from './media/measure.ts'
import { requireMedia, type MediaKind } from './media/media-format.ts'
import { fileSize } from './price/media-tokens.ts'

export const MIB = 1024 * 1024
export const MEDIA_CAPS: Record<MediaKind, number> = {
  document: 15 * MIB,
  vision: 10 * MIB,
  video: 8 * MIB,
}

/** What comes with the file in a JSON body. */
export type AnalysisBody = {
  model: string
  prompt?: string | null | undefined
  instruction?: string | null | undefined
  max_tokens?: number | null | undefined
  temperature?: number | null | undefined
  language?: string | null | undefined
}

export type SentMedia = {
  data: string
  media_type?: string | null | undefined
  filename?: string | null | undefined
}

/** The base64 text is dropped once decoded: it is a third larger than the file. */
export async function analysisFromJson(
  kind: MediaKind,
  body: AnalysisBody,
  sent: SentMedia,
  field: string,
): Promise<Analysis> {
  const maxBytes = MEDIA_CAPS[kind]
  const at = `${field}.data`
  const text = sent.data
  sent.data = ''
  const bytes = decodeBase64(text, { field: at, maxBytes, tooLarge: () => oversized(at, maxBytes) })
  const type = requireMedia(bytes, { kind, field: at, mediaType: sent.media_type ?? undefined })
  const prompt = requirePrompt(body.prompt ?? body.instruction ?? undefined)
  return {
    kind,
    media: await measuredMedia(bytes, type, sent.filename ?? undefined),
    model: body.model,
    prompt,
    maxTokens: body.max_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    language: body.language ?? undefined,
  }
}

export async function analysisFromForm(kind: MediaKind, form: Form): Promise<Analysis> {
  const { file } = form
  if (file?.name !== 'file') throw invalidField('file', 'is required, as an uploaded file')
  const maxBytes = MEDIA_CAPS[kind]
  if (file.bytes.length > maxBytes) throw oversized('file', maxBytes)
  const type = requireMedia(file.bytes, { kind, field: 'file', mediaType: file.mimetype })
  const model = formField(form, 'model')
  if (model === undefined || model.length > 256) throw invalidField('model', 'is required')
  return {
    kind,
    model,
    prompt: requirePrompt(formField(form, 'prompt') ?? formField(form, 'instruction')),
    maxTokens: numberOf(form, 'max_tokens', MAX_TOKENS),
    temperature: numberOf(form, 'temperature', TEMPERATURE),
    language: formField(form, 'language'),
    media: await measuredMedia(file.bytes, type, file.filename),
  }
}

const PICTURE = { kind: 'picture' } as const

async function measuredMedia(
  bytes: Buffer,
  type: string,
  filename: string | undefined,
): Promise<Analysis['media']> {
  const isPicture = type.startsWith('image/')
  const measured = isPicture ? PICTURE : await measure({ content: bytes, type })
  const size = fileSize(measured, bytes.length)
  return { bytes, type, filename: filenameOf(filename, type), size }
}

const MAX_TOKENS = { pattern: /^\d{1,8}$/, least: 1, most: 10_000_000 }
const TEMPERATURE = { pattern: /^\d(?:\.\d{1,10})?$/, least: 0, most: 2 }

function numberOf(form: Form, name: string, rule: typeof MAX_TOKENS): number | undefined {
  const text = formField(form, name)
  if (text === undefined) return undefined
  const value = rule.pattern.test(text) ? Number(text) : Number.NaN
  if (value >= rule.least && value <= rule.most) return value
  throw invalidField(name, `must be a number from ${rule.least} to ${rule.most}`)
}

function requirePrompt(prompt: string | undefined): string {
  if (prompt === undefined || prompt.trim() === '') throw invalidField('prompt', 'is required')
  return prompt
}

/** The model sees this name, so paths and markup are removed. */
function filenameOf(sent: string | undefined, type: string): string {
  const last = (sent ?? '').split(/[/\\]/).at(-1)!
  const plain = last.replaceAll(/[^\p{L}\p{N}._ -]/gu, '').slice(-100)
  return plain === '' ? `file.${type.split('/')[1]}` : plain
}
