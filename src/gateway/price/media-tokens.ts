import type { Measured } from '../media/measured.ts'
import { bytesOfText, type MediaSize } from './prompt-size.ts'

/*
 * Estimates of a file's tokens, for the hold, and for the charge where the upstream reports no
 * usage: of what was measured, not of what the file claims.
 */

/** A picture costs 85 to 1,600 tokens; large ones are cut into tiles and cost more. */
const IMAGE_TOKENS = 1_600
const IMAGE_BYTES_PER_TOKEN = 750

function imageTokens(bytes: number): number {
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / IMAGE_BYTES_PER_TOKEN))
}

/** A page's text and picture; upstreams count 300 to 3,000. */
const TOKENS_PER_PAGE = 1_500

/** The most that a model counts for one, in tiles: 2,833 and 5,667 for each of six. */
const LARGEST_IMAGE_TOKENS = 36_835

/** What is behind a link, by what such things usually are. */
export const LINKED = {
  image: { usualTokens: IMAGE_TOKENS, mostTokens: LARGEST_IMAGE_TOKENS },
  /** A minute, at the 258 to 300 tokens a second that upstreams count. */
  video: { usualTokens: 16_000, mostTokens: Infinity },
  /** Ten pages. */
  document: { usualTokens: 10 * TOKENS_PER_PAGE, mostTokens: Infinity },
} as const satisfies Record<string, MediaSize>

/** Tokens of a generated picture, where they are not reported. */
export const PICTURE_TOKENS = 4_175

/** What a file adds to a prompt: tokens of its own, and bytes that count as any text does. */
export type FileSize = MediaSize & { textBytes: number }

/** Without a measurement, the most that a file of unknown kind may be. */
export function fileSize(file: Measured | undefined, bytes: number): FileSize {
  switch (file?.kind) {
    case 'text':
      return { ...measured(0), textBytes: bytes }
    case 'picture':
      return plain(measured(imageTokens(bytes)))
    case 'sound':
      return plain(sizeByLength(bytes, file.seconds, SOUND))
    case 'film':
      return plain(filmSize(bytes, file.seconds))
    case 'pdf':
      return file.size === undefined ? plain(packedSize(bytes)) : pdfSize(bytes, file.size)
    default:
      return plain(packedSize(bytes))
  }
}

function measured(tokens: number): MediaSize {
  return { usualTokens: tokens, mostTokens: tokens }
}

function plain(size: MediaSize): FileSize {
  return { ...size, textBytes: 0 }
}

/**
 * A text page takes 3 to 50 kB and a scanned one about 100 kB. Larger files are held for more pages
 * than they claim: 15 MiB are at least 105 pages, about 157,000 tokens.
 */
const MOST_BYTES_PER_PAGE = 150_000
/** Compressed text, of pages that cannot be counted. */
const PACKED_BYTES_PER_TOKEN = 37.5

function pdfSize(
  bytes: number,
  { pages, textBytes }: { pages: number; textBytes: number },
): FileSize {
  const usualTokens = Math.max(leastPages(bytes), pages) * TOKENS_PER_PAGE
  // Each page has room for as much text as it counts for; such as has more tokens is rare.
  const roomBytes = bytesOfText(usualTokens)
  const mostTokens = Math.max(usualTokens, Math.min(textBytes, roomBytes))
  return { usualTokens, mostTokens, textBytes: Math.max(0, textBytes - roomBytes) }
}

function leastPages(bytes: number): number {
  return Math.ceil(bytes / MOST_BYTES_PER_PAGE)
}

function packedSize(bytes: number): MediaSize {
  const least = leastPages(bytes) * TOKENS_PER_PAGE
  const packed = Math.ceil(bytes / PACKED_BYTES_PER_TOKEN)
  const usualTokens = Math.max(least, Math.min(packed, LINKED.document.usualTokens))
  return { usualTokens, mostTokens: Infinity }
}

type Rule = { tokensPerS: number; leastBytesPerS: number; bytesPerToken: number }

/** Of what cannot be measured, the size says between which lengths it lies. */
function sizeByLength(bytes: number, seconds: number | undefined, rule: Rule): MediaSize {
  if (seconds !== undefined) return measured(Math.ceil(seconds * rule.tokensPerS))
  const usualTokens = Math.ceil(bytes / rule.bytesPerToken)
  const mostSeconds = bytes / rule.leastBytesPerS + 1
  return {
    usualTokens,
    mostTokens: Math.max(usualTokens, Math.ceil(mostSeconds * rule.tokensPerS)),
  }
}

/** One picture and its sound each second; a second of video has at least 2 kB. */
const FILM = { tokensPerS: 300, leastBytesPerS: 2_000, bytesPerToken: 375 }

/** A large film has large pictures, which some models count for more. */
function filmSize(bytes: number, seconds: number | undefined): MediaSize {
  const { usualTokens, mostTokens } = sizeByLength(bytes, seconds, FILM)
  const least = Math.ceil(bytes / FILM.bytesPerToken)
  return { usualTokens: Math.max(least, usualTokens), mostTokens: Math.max(least, mostTokens) }
}

/** Models count 10 to 32 tokens a second; a second of speech has at least 750 bytes. */
const SOUND = { tokensPerS: 32, leastBytesPerS: 750, bytesPerToken: 450 }
