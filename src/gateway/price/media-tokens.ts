import { audioFormat } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import { ebmlSeconds } from '../media/ebml.ts'
import { mediaType } from '../media/media-format.ts'
import { mp4Seconds } from '../media/mp4-boxes.ts'
import { pdfPages } from '../media/pdf-pages.ts'
import { textTokens, type MediaSize } from './prompt-size.ts'

/*
 * Estimates of a file's tokens, for the hold, and for the charge where the upstream reports no
 * usage. A file's own claims can only raise them: its size sets a floor.
 */

/** A picture costs 85 to 1,600 tokens; large ones are cut into tiles and cost more. */
const IMAGE_TOKENS = 1_600
const IMAGE_BYTES_PER_TOKEN = 750

export function imageTokens(bytes: number): number {
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / IMAGE_BYTES_PER_TOKEN))
}

/** A page's text and picture; upstreams count 300 to 3,000. */
const TOKENS_PER_PAGE = 1_500

/** What is behind a link, by what such things usually are. */
export const LINKED = {
  /** No larger than the largest that may be sent along. */
  image: { usualTokens: IMAGE_TOKENS, mostTokens: imageTokens(10 * 1024 * 1024) },
  /** A minute, at the 258 to 300 tokens a second that upstreams count. */
  video: { usualTokens: 16_000, mostTokens: Infinity },
  /** Ten pages. */
  document: { usualTokens: 10 * TOKENS_PER_PAGE, mostTokens: Infinity },
} as const satisfies Record<string, MediaSize>

/** Tokens of a generated picture, where they are not reported. */
export const PICTURE_TOKENS = 4_175

/** `type` is the declared type; without one the first bytes decide. */
export function fileSize(bytes: Buffer, type: string): MediaSize {
  const known = type === '' || type === 'application/octet-stream' ? mediaType(bytes) : type
  if (known === undefined || known === 'image/svg+xml') return measured(textTokens(bytes.length))
  if (known.startsWith('image/')) return measured(imageTokens(bytes.length))
  if (known.startsWith('video/')) return sizeByLength(bytes, filmSeconds(bytes, known), FILM)
  if (known.startsWith('audio/')) return soundSize(bytes)
  const isPdf = known === 'application/pdf' && mediaType(bytes) === 'application/pdf'
  // Anything else is read as text.
  return isPdf ? pdfSize(bytes) : measured(textTokens(bytes.length))
}

function measured(tokens: number): MediaSize {
  return { usualTokens: tokens, mostTokens: tokens }
}

/**
 * A text page takes 3 to 50 kB and a scanned one about 100 kB. Larger files are held for more pages
 * than they claim: 15 MiB are at least 105 pages, about 157,000 tokens.
 */
const MOST_BYTES_PER_PAGE = 150_000
/** Compressed text, of pages that cannot be counted. */
const PACKED_BYTES_PER_TOKEN = 37.5

function pdfSize(bytes: Buffer): MediaSize {
  const pages = pdfPages(bytes)
  const least = Math.ceil(bytes.length / MOST_BYTES_PER_PAGE) * TOKENS_PER_PAGE
  if (pages !== undefined) return measured(Math.max(least, pages * TOKENS_PER_PAGE))
  const packed = Math.ceil(bytes.length / PACKED_BYTES_PER_TOKEN)
  const usualTokens = Math.max(least, Math.min(packed, LINKED.document.usualTokens))
  return { usualTokens, mostTokens: Infinity }
}

/** By the claimed length, within what the size allows. */
function sizeByLength(
  bytes: Buffer,
  seconds: number | undefined,
  rule: { tokensPerS: number; leastBytesPerS: number; bytesPerToken: number },
): MediaSize {
  const floor = Math.ceil(bytes.length / rule.bytesPerToken)
  const mostSeconds = bytes.length / rule.leastBytesPerS + 1
  const tokensFor = (length: number) => Math.max(floor, Math.ceil(length * rule.tokensPerS))
  if (seconds !== undefined && seconds > 0) {
    return measured(tokensFor(Math.min(seconds, mostSeconds)))
  }
  return { usualTokens: floor, mostTokens: tokensFor(mostSeconds) }
}

/** One picture and its sound each second; a second of video has at least 2 kB. */
const FILM = { tokensPerS: 300, leastBytesPerS: 2_000, bytesPerToken: 375 }

function filmSeconds(bytes: Buffer, type: string): number | undefined {
  if (type === 'video/webm') return ebmlSeconds(bytes)
  return type === 'video/mpeg' ? undefined : mp4Seconds(bytes)
}

/** Models count 10 to 32 tokens a second; a second of speech has at least 750 bytes. */
const SOUND = { tokensPerS: 32, leastBytesPerS: 750, bytesPerToken: 450 }

export function soundSize(bytes: Buffer): MediaSize {
  const format = audioFormat(bytes)
  return sizeByLength(bytes, format && audioSeconds(bytes, format), SOUND)
}
