import { audioFormat } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import { ebmlSeconds } from '../media/ebml.ts'
import { mediaType } from '../media/media-format.ts'
import { mp4Seconds } from '../media/mp4-boxes.ts'
import { pdfPages } from '../media/pdf-pages.ts'
import { textTokens } from './prompt-size.ts'

/*
 * Estimates of a file's tokens, for the hold, and for the charge where the upstream reports no
 * usage. A file's own claims can only raise them: its size sets a floor.
 */

/** A picture costs 85 to 1,600 tokens; large ones are cut into tiles and cost more. */
export const IMAGE_TOKENS = 1_600
const IMAGE_BYTES_PER_TOKEN = 750

export function imageTokens(bytes: number): number {
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / IMAGE_BYTES_PER_TOKEN))
}

/** Tokens of a generated picture, where they are not reported. */
export const PICTURE_TOKENS = 4_175

/** `type` is the declared type; without one the first bytes decide. */
export function fileTokens(bytes: Buffer, type: string): number {
  const known = type === '' || type === 'application/octet-stream' ? mediaType(bytes) : type
  if (known === undefined || known === 'image/svg+xml') return textTokens(bytes.length)
  if (known.startsWith('image/')) return imageTokens(bytes.length)
  if (known.startsWith('video/')) return lengthTokens(bytes, filmSeconds(bytes, known), FILM)
  if (known.startsWith('audio/')) return soundTokens(bytes)
  const isPdf = known === 'application/pdf' && mediaType(bytes) === 'application/pdf'
  // Anything else is read as text.
  return isPdf ? pdfTokens(bytes) : textTokens(bytes.length)
}

/** A page's text and picture; upstreams count 300 to 3,000. */
const TOKENS_PER_PAGE = 1_500
/**
 * A text page takes 3 to 50 kB and a scanned one about 100 kB. Larger files are held for more pages
 * than they claim: 15 MiB are at least 105 pages, about 157,000 tokens.
 */
const MOST_BYTES_PER_PAGE = 150_000
/** Without a page count the pages are compressed text. */
const PACKED_BYTES_PER_TOKEN = 37.5

function pdfTokens(bytes: Buffer): number {
  const pages = pdfPages(bytes)
  const least = Math.ceil(bytes.length / MOST_BYTES_PER_PAGE) * TOKENS_PER_PAGE
  if (pages === undefined) return Math.max(least, Math.ceil(bytes.length / PACKED_BYTES_PER_TOKEN))
  return Math.max(least, pages * TOKENS_PER_PAGE)
}

/** By the claimed length, within what the size allows. */
function lengthTokens(
  bytes: Buffer,
  seconds: number | undefined,
  rule: { tokensPerS: number; leastBytesPerS: number; bytesPerToken: number },
): number {
  const floor = Math.ceil(bytes.length / rule.bytesPerToken)
  if (seconds === undefined || !(seconds > 0)) return floor
  const most = bytes.length / rule.leastBytesPerS + 1
  return Math.max(floor, Math.ceil(Math.min(seconds, most) * rule.tokensPerS))
}

/** One picture and its sound each second; a second of video has at least 2 kB. */
const FILM = { tokensPerS: 300, leastBytesPerS: 2_000, bytesPerToken: 375 }

function filmSeconds(bytes: Buffer, type: string): number | undefined {
  if (type === 'video/webm') return ebmlSeconds(bytes)
  return type === 'video/mpeg' ? undefined : mp4Seconds(bytes)
}

/** Models count 10 to 32 tokens a second; a second of speech has at least 750 bytes. */
const SOUND = { tokensPerS: 32, leastBytesPerS: 750, bytesPerToken: 450 }

export function soundTokens(bytes: Buffer): number {
  const format = audioFormat(bytes)
  return lengthTokens(bytes, format && audioSeconds(bytes, format), SOUND)
}
