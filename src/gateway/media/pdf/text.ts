import { PdfTokens } from './tokens.ts'

/** What a stream shows: the bytes of its strings, and how often it calls for another stream. */
export type PdfText = { bytes: number; calls: number; longestCode: number }

const SHOW = new Set(['Tj', 'TJ', "'", '"'])
const CODES = new Set(['endbfchar', 'endbfrange'])
/** Most words are others, and are not looked at. */
const FIRST = new Set(Array.from(`TD'"e`, (sign) => sign.charCodeAt(0)))
/** A string of this length that is legible counts even where nothing shows it. */
const LEGIBLE_BYTES = 256

/** Strings count when they are shown. In pictures and the like, hardly any are. */
export function textIn(bytes: Buffer): PdfText {
  const tokens = new PdfTokens(bytes)
  const text = { bytes: 0, calls: 0, longestCode: 0 }
  let [waiting, legible, longest] = [0, 0, 0]
  for (let kind = tokens.next(); kind !== undefined; kind = tokens.next()) {
    if (kind === 'string') {
      waiting += tokens.size
      longest = Math.max(longest, tokens.size)
      if (tokens.size >= LEGIBLE_BYTES && isLegible(bytes, tokens.start, tokens.at)) {
        legible += tokens.size
      }
    } else if (kind === 'word' && FIRST.has(bytes[tokens.start]!)) {
      const word = tokens.text
      if (SHOW.has(word)) {
        text.bytes += waiting
        waiting = legible = 0
      } else if (word === 'Do') text.calls += 1
      else if (CODES.has(word)) text.longestCode = longest
    }
  }
  text.bytes += legible
  return text
}

/** Readers differ in where a picture between the words ends, and so in where a string begins. */
function isLegible(bytes: Buffer, start: number, end: number): boolean {
  let plain = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if ((byte >= 0x20 && byte < 0x7f) || byte === 10 || byte === 13) plain += 1
  }
  return plain >= (end - start) * 0.9
}
