import { DEEPEST_JSON, scanJson, type MostValues } from './json-scan.ts'

/** Embeddings are millions of numbers, and log probabilities hundreds of thousands of texts. */
const MOST_FOREIGN: MostValues = { all: 2_000_000, noNumbers: 500_000 }
/** Up to here `JSON.parse` of the worst text is harmless. */
const SMALL_LENGTH = 64 * 1024

/**
 * Parses JSON that was written by somebody else: an upstream, a provider of payments, messages or
 * identities, or a caller or a model inside a text. Throws before anything is built when it is nested
 * too deeply or has too many values: `JSON.parse` of 30 MB of `[[[[…` takes half a minute. What a
 * caller sends as a body goes through `parseRequestJson`.
 */
export function parseForeignJson(json: string | Buffer): unknown {
  const isLarge = json.length > SMALL_LENGTH
  if (isLarge) scanJson(typeof json === 'string' ? Buffer.from(json) : json, MOST_FOREIGN)
  const text = typeof json === 'string' ? json : textOf(json)
  if (!isLarge && mayBeDeep(text)) scanJson(Buffer.from(text), MOST_FOREIGN)
  return JSON.parse(text)
}

/** Without the mark that some write in front. */
function textOf(bytes: Buffer): string {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', marked ? 3 : 0)
}

/** Nothing is nested deeper than it has opening brackets. */
function mayBeDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST_JSON) return false
  return count(text, '{') + count(text, '[') > DEEPEST_JSON
}

/** Stops one beyond what may be. */
function count(text: string, bracket: string): number {
  let found = 0
  let at = text.indexOf(bracket)
  while (at >= 0 && found <= DEEPEST_JSON) {
    found++
    at = text.indexOf(bracket, at + 1)
  }
  return found
}
