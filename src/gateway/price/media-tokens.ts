import { ebmlSeconds } from '../media/ebml.ts'
import { mp4Seconds } from '../media/mp4-boxes.ts'
import { pdfPages } from '../media/pdf-pages.ts'

/** One picture costs an upstream 85 to 1,600 tokens; PDFs, sound and video go by their size. */
export const IMAGE_TOKENS = 1_600
export const LINKED_MEDIA_TOKENS = 10_000
const BASE64_BYTES_PER_TOKEN = { file: 50, audio: 600, video: 500 }

export function mediaTokens(kind: 'file' | 'audio' | 'video', base64Length: number): number {
  return Math.ceil(base64Length / BASE64_BYTES_PER_TOKEN[kind])
}

/** A page of text and its picture; upstreams count 300 to 3,000. */
const TOKENS_PER_PAGE = 1_500
/** One picture and its sound each second. */
const TOKENS_PER_S = 300
/** No second of film is smaller than this. */
const LEAST_BYTES_PER_S = 2_000

/** How many tokens a model will count for these bytes: only the hold is made from it. */
export function fileTokens(bytes: Buffer, type: string): number {
  if (type.startsWith('image/')) return IMAGE_TOKENS
  const base64Length = Math.ceil(bytes.length / 3) * 4
  if (type === 'application/pdf') {
    const pages = pdfPages(bytes)
    return pages === undefined ? mediaTokens('file', base64Length) : pages * TOKENS_PER_PAGE
  }
  const seconds = filmSeconds(bytes, type)
  if (seconds === undefined || !(seconds > 0)) return mediaTokens('video', base64Length)
  // Headers may lie: the size bounds what they can claim.
  return Math.ceil(Math.min(seconds, bytes.length / LEAST_BYTES_PER_S + 1) * TOKENS_PER_S)
}

function filmSeconds(bytes: Buffer, type: string): number | undefined {
  if (type === 'video/webm') return ebmlSeconds(bytes)
  return type === 'video/mpeg' ? undefined : mp4Seconds(bytes)
}
