import { isUtf8 } from 'node:buffer'
import { Failure } from './failure.ts'
import { parseAround, type Span } from './json-around.ts'

const DEEPEST_JSON = 64
const MOST_JSON_NODES = 200_000

/** Up to here `JSON.parse` of the worst bytes is harmless, and the walk below finds what is wrong. */
const SMALL_BYTES = 64 * 1024

/**
 * Parses a body that a stranger sent. Bombs are refused by a scan over the bytes before anything is
 * built from them: `JSON.parse` of 14.5 MB of `[[[[…` would hold the process for seconds.
 *
 * Integers beyond 2^53 pass, since JSON schemas inside a chat body are full of them; a field whose
 * value matters is declared `z.int()`, which refuses them.
 */
export function parseJson(bytes: Buffer, options: { allowNul: boolean }): unknown {
  if (!isUtf8(bytes)) throw new Failure('invalid', 'The request body must be valid UTF-8.')
  const longest = bytes.length > SMALL_BYTES ? scan(bytes) : NOTHING_LONG
  const value = parseAround(bytes, longest) ?? parse(bytes)
  walk(value, 1, options.allowNul)
  return value
}

const NOTHING_LONG: Span = { start: 0, end: 0 }

/**
 * Depth and number of values, told from the bytes alone. One pass, no allocation. Gives the longest
 * string it passed.
 */
function scan(bytes: Buffer): Span {
  let longest = NOTHING_LONG
  let depth = 0
  let nodes = 1
  let opened = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte <= 0x20) continue
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--
      opened = false
      continue
    }
    if (byte === COMMA || opened) {
      if (++nodes > MOST_JSON_NODES) throw tooManyNodes()
      opened = false
    }
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1)
      if (end - at > longest.end - longest.start) longest = { start: at + 1, end }
      at = end
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > DEEPEST_JSON) throw tooDeep()
      opened = true
    }
  }
  return longest
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function endOfString(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function parse(bytes: Buffer): unknown {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    return JSON.parse(bytes.toString('utf8', marked ? 3 : 0))
  } catch (cause) {
    // The engine's own message quotes the input; only the place is told.
    const place = / position (\d+)/.exec(String(cause))?.[1]
    const where = place === undefined ? '' : ` It breaks at position ${place}.`
    throw new Failure('invalid', `The request body is not valid JSON.${where}`)
  }
}

/** What the grammar allows and we do not: depth in small bodies, infinities, `__proto__`, NUL. */
function walk(value: unknown, depth: number, allowNul: boolean): void {
  if (typeof value === 'string') {
    if (!allowNul && value.includes('\0')) throw nul()
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) {
      throw new Failure('invalid', 'The request body contains a number that is out of range.')
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth > DEEPEST_JSON) throw tooDeep()
    if (Array.isArray(value)) {
      for (const item of value) walk(item, depth + 1, allowNul)
    } else {
      walkObject(value as Record<string, unknown>, depth, allowNul)
    }
  }
}

function walkObject(object: Record<string, unknown>, depth: number, allowNul: boolean): void {
  for (const key in object) {
    if (key === '__proto__') {
      throw new Failure('invalid', 'The request body must not contain the key "__proto__".')
    }
    if (!allowNul && key.includes('\0')) throw nul()
    walk(object[key], depth + 1, allowNul)
  }
}

function tooDeep(): Failure {
  return new Failure('invalid', `The request body is nested deeper than ${DEEPEST_JSON} levels.`)
}

function tooManyNodes(): Failure {
  return new Failure('invalid', `The request body has more than ${MOST_JSON_NODES} JSON values.`)
}

/** PostgreSQL stores no NUL in text, so on routes that keep what they get it is told here. */
function nul(): Failure {
  return new Failure('invalid', 'The request body must not contain the NUL character.')
}
