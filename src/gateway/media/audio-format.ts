import { Failure, invalidField } from '../../lib/failure.ts'
import { docType } from './ebml.ts'
import { mediaType, word } from './media-format.ts'
import { afterTags, isAdts, isMpegFrame } from './mpeg-frame.ts'
import { isAudioOnly } from './mp4-boxes.ts'

export const AUDIO_FORMATS = ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'aac'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** The bytes must be in an accepted format, and in the one that is claimed. */
export function requireAudio(
  bytes: Buffer,
  claim: { field: string; format?: AudioFormat | undefined },
): AudioFormat {
  const { field, format } = claim
  if (bytes.length === 0) throw invalidField(field, 'is empty')
  const found = audioFormat(bytes)
  if (found !== undefined && (format === undefined || found === format)) return found
  const what = found ?? otherKind(bytes)
  const message =
    format === undefined
      ? `${field} must be audio (${AUDIO_FORMATS.join(', ')}); these bytes are ${what}.`
      : `${field} says ${format}, but the bytes are ${what}.`
  throw new Failure('unsuitable', message, { param: field, code: 'audio_format_mismatch' })
}

/**
 * Recognised by the first bytes. The usual library takes audio-only MP4 and WebM for video and does
 * not know RF64 and ADIF.
 */
export function audioFormat(bytes: Buffer): AudioFormat | undefined {
  const first = word(bytes, 0)
  if (RIFF.has(first)) return word(bytes, 8) === 'WAVE' ? 'wav' : undefined
  if (first === 'fLaC') return 'flac'
  if (first === 'OggS') return 'ogg'
  if (first === 'ADIF') return 'aac'
  if (word(bytes, 4) === 'ftyp') return isM4a(bytes) ? 'm4a' : undefined
  if (docType(bytes) === 'webm') return 'webm'
  if (first.startsWith('ID3')) return taggedFormat(bytes.subarray(afterTags(bytes)))
  if (isAdts(bytes)) return 'aac'
  return isMpegFrame(bytes) ? 'mp3' : undefined
}

const RIFF = new Set(['RIFF', 'RF64', 'BW64'])
const APPLE_AUDIO = new Set(['M4A ', 'M4B ', 'M4P '])
/** 3GP recordings and QuickTime are other formats. */
const OTHER_BRANDS = /^(?:3g|qt|hei|hev|mif1|msf1|avi)/

function isM4a(bytes: Buffer): boolean {
  const brand = word(bytes, 8)
  if (APPLE_AUDIO.has(brand)) return true
  return !OTHER_BRANDS.test(brand) && isAudioOnly(bytes)
}

/** Music players write an ID3 tag before FLAC and AAC too; otherwise it is MP3. */
function taggedFormat(rest: Buffer): AudioFormat | undefined {
  if (rest.length === 0) return undefined
  if (word(rest, 0) === 'fLaC') return 'flac'
  return isAdts(rest) ? 'aac' : 'mp3'
}

/** For the error message. */
function otherKind(bytes: Buffer): string {
  if (word(bytes, 4) === 'ftyp') return OTHER_BRANDS.test(word(bytes, 8)) ? 'not m4a' : 'video'
  if (docType(bytes) === 'matroska') return 'mkv'
  const type = mediaType(bytes)
  if (type !== undefined) return type.slice(type.indexOf('/') + 1)
  return looksLikeText(bytes) ? 'text' : 'in an unknown format'
}

/** JSON, HTML or prose in place of sound. */
export function looksLikeText(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 512)
  return start.every((byte) => byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
}
