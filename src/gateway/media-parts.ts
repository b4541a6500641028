import { invalidField } from '../lib/failure.ts'
import { isFields, type Fields } from '../lib/json.ts'
import { whyNotPublic } from '../lib/public-url.ts'
import { measure, type SentFile } from './media/measure.ts'
import { fileSize, LINKED, type FileSize } from './price/media-tokens.ts'
import type { MediaSize, PromptSize } from './price/prompt-size.ts'

export const MEDIA_MODALITY = {
  image_url: 'image',
  video_url: 'video',
  input_video: 'video',
  input_audio: 'audio',
  file: 'file',
} as const

export type MediaType = keyof typeof MEDIA_MODALITY

/** What is measured among the parts of a prompt, in place of their bytes. */
export type MediaReading = Pick<
  PromptSize,
  'imageCount' | 'mediaTokens' | 'audioTokens' | 'unknown'
> & {
  /** Bytes of the outgoing JSON that are measured here. */
  mediaBytes: number
  /** What files hold that counts as text does. */
  fileTextBytes: number
  /** Sound, video and other files, whose sizes are still to be added. */
  files?: Base64File[] | undefined
}

type Base64File = SentFile & { content: string; isSound: boolean }

export const NO_MEDIA: MediaReading = {
  imageCount: 0,
  mediaTokens: 0,
  audioTokens: 0,
  mediaBytes: 0,
  fileTextBytes: 0,
}

/** Checks and measures a picture, video, sound or file. */
export function readMediaPart(
  type: MediaType,
  part: Fields,
  at: string,
  reading: MediaReading,
): void {
  const inner = part[type === 'input_video' ? 'video_url' : type]
  const field = `${at}.${type}`
  if (!isFields(inner)) throw invalidField(field, 'must be an object')
  if (type === 'input_audio') return readSound(inner, field, reading)
  // A file id would name something in the gateway's own account at the upstream.
  const name = type === 'file' ? 'file_data' : 'url'
  const location = inner[name]
  if (typeof location !== 'string') throw invalidField(`${field}.${name}`, 'must be a string')
  const inline = inlineData(location, `${field}.${name}`)
  if (type === 'image_url') reading.imageCount += 1
  if (inline !== undefined) readInline(inline, type, reading)
  else addSize(LINKED[LINKED_AS[type]], 'mediaTokens', reading)
}

const LINKED_AS = {
  image_url: 'image',
  video_url: 'video',
  input_video: 'video',
  file: 'document',
} as const

function addSize(
  { usualTokens, mostTokens }: MediaSize,
  to: 'mediaTokens' | 'audioTokens',
  reading: MediaReading,
): void {
  if (usualTokens === mostTokens) {
    reading[to] += usualTokens
    return
  }
  const before = reading.unknown ?? { usualTokens: 0, mostTokens: 0 }
  reading.unknown = {
    usualTokens: before.usualTokens + usualTokens,
    mostTokens: before.mostTokens + mostTokens,
  }
}

export function addFile(
  size: FileSize,
  to: 'mediaTokens' | 'audioTokens',
  reading: MediaReading,
): void {
  reading.fileTextBytes += size.textBytes
  addSize(size, to, reading)
}

/** Adds the sizes of the files that were found, in place of their bytes. */
export async function measureFiles(reading: MediaReading): Promise<void> {
  for (const { content, type, isSound } of reading.files ?? []) {
    const measured = await measure({ content, type })
    const size = fileSize(measured, bytesIn(content))
    addFile(size, isSound || measured?.kind === 'sound' ? 'audioTokens' : 'mediaTokens', reading)
  }
  reading.files = undefined
}

function bytesIn(base64: string): number {
  return Math.floor((base64.length / 4) * 3)
}

function readSound(sound: Fields, field: string, reading: MediaReading): void {
  const { data, format } = sound
  if (typeof data !== 'string' || typeof format !== 'string') {
    throw invalidField(field, 'must have data (base64) and format, both strings')
  }
  addBase64({ content: data, type: 'audio/*', isSound: true }, reading)
}

/** Parts in another form are not measured here and count as text. */
export function readPictures(parts: unknown, at: string, reading: MediaReading): void {
  if (!Array.isArray(parts)) return
  parts.forEach((part: unknown, i) => {
    if (!isFields(part) || !isFields(part.image_url)) return
    readMediaPart('image_url', part, `${at}[${i}]`, reading)
  })
}

type Inline = { declared: string; base64: string }

/** What is declared as a picture where a picture belongs is read as one. SVG is read as text. */
function readInline({ declared, base64 }: Inline, type: MediaType, reading: MediaReading): void {
  if (type !== 'image_url' || !/^image\/(?!svg)/.test(declared)) {
    return addBase64({ content: base64, type: declared, isSound: false }, reading)
  }
  reading.mediaBytes += base64.length
  addFile(fileSize({ kind: 'picture' }, bytesIn(base64)), 'mediaTokens', reading)
}

/** Each takes a moment of the thread that measures. */
const MOST_FILES = 100

function addBase64(file: Base64File, reading: MediaReading): void {
  reading.mediaBytes += file.content.length
  reading.files ??= []
  reading.files.push(file)
  if (reading.files.length > MOST_FILES) {
    throw invalidField('messages', `have more than ${MOST_FILES} audio, video and file parts`)
  }
}

/** Undefined for a link; anything else that is not inline data is refused. */
function inlineData(location: string, field: string): Inline | undefined {
  if (location.startsWith('data:')) {
    const comma = location.indexOf(',')
    const head = location.slice('data:'.length, Math.max(comma, 0))
    if (comma < 0 || comma > 200 || !head.endsWith(';base64')) {
      throw invalidField(field, 'must be a data URI in base64 or an https URL')
    }
    const declared = head.split(';')[0]!.trim().toLowerCase()
    return { declared, base64: location.slice(comma + 1) }
  }
  if (location.length > 8_192) throw invalidField(field, 'is longer than 8,192 characters')
  const why = whyNotPublic(location)
  if (why !== undefined) throw invalidField(field, why)
  return undefined
}
