import { audioFormat } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import { ebmlSeconds } from '../media/ebml.ts'
import { mediaType } from '../media/media-format.ts'
import { mp4Seconds } from '../media/mp4-boxes.ts'
import { pdfPages } from '../media/pdf-pages.ts'
import { textTokens } from './prompt-size.ts'

/*
 * How many tokens a model will count for a file: only the hold is made from it, and the charge where
 * the upstream reports no usage. What a file says about itself is believed only upwards: its size
 * sets a floor, so that a large file cannot claim to be one page or one second.
 */

/** One picture costs an upstream 85 to 1,600 tokens; large ones are cut into tiles and cost more. */
export const IMAGE_TOKENS = 1_600
const IMAGE_BYTES_PER_TOKEN = 750

export function imageTokens(bytes: number): number {
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / IMAGE_BYTES_PER_TOKEN))
}

/** Tokens of a picture that comes out, where nobody says how many. */
export const PICTURE_TOKENS = 4_175

/** `type` is what the file is declared as; where that is nothing, its first bytes decide. */
export function fileTokens(bytes: Buffer, type: string): number {
  const known = type === '' || type === 'application/octet-stream' ? mediaType(bytes) : type
  if (known === undefined || known === 'image/svg+xml') return textTokens(bytes.length)
  if (known.startsWith('image/')) return imageTokens(bytes.length)
  if (known.startsWith('video/')) return filmTokens(bytes, known)
  if (known.startsWith('audio/')) return soundTokens(bytes)
  const isPdf = known === 'application/pdf' && mediaType(bytes) === 'application/pdf'
  // Whatever else a model reads, it reads as text.
  return isPdf ? pdfTokens(bytes) : textTokens(bytes.length)
}

/** A page of text and its picture; upstreams count 300 to 3,000. */
const TOKENS_PER_PAGE = 1_500
/**
 * A page of text takes 3 to 50 kB and a scanned one about 100 kB. Beyond that a file is held for more
 * pages than it says it has: 15 MiB that claim one page are held as 105, at about 157,000 tokens.
 */
const MOST_BYTES_PER_PAGE = 150_000
/** Where a file does not say how many pages it has, they are packed, and text packs well. */
const PACKED_BYTES_PER_TOKEN = 37.5

function pdfTokens(bytes: Buffer): number {
  const pages = pdfPages(bytes)
  const least = Math.ceil(bytes.length / MOST_BYTES_PER_PAGE) * TOKENS_PER_PAGE
  if (pages === undefined) return Math.max(least, Math.ceil(bytes.length / PACKED_BYTES_PER_TOKEN))
  return Math.max(least, pages * TOKENS_PER_PAGE)
}

/** By the length that it claims, within what its size allows. */
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

/** One picture and its sound each second; no second of film is smaller than 2 kB. */
const FILM = { tokensPerS: 300, leastBytesPerS: 2_000, bytesPerToken: 375 }

function filmTokens(bytes: Buffer, type: string): number {
  return lengthTokens(bytes, filmSeconds(bytes, type), FILM)
}

function filmSeconds(bytes: Buffer, type: string): number | undefined {
  if (type === 'video/webm') return ebmlSeconds(bytes)
  return type === 'video/mpeg' ? undefined : mp4Seconds(bytes)
}

/** Models count 10 to 32 tokens a second; speech is packed into no less than 750 bytes. */
const SOUND = { tokensPerS: 32, leastBytesPerS: 750, bytesPerToken: 450 }

export function soundTokens(bytes: Buffer): number {
  const format = audioFormat(bytes)
  return lengthTokens(bytes, format && audioSeconds(bytes, format), SOUND)
}
