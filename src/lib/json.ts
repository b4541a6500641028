import { isAscii, isUtf8 } from 'node:buffer'
import { Failure, invalidField } from './failure.ts'
import { randomBase62 } from './ids.ts'
import { isStorable, unstorableField } from './storable.ts'

const DEEPEST_JSON = 64
const MOST_JSON_NODES = 200_000

/** Up to here `JSON.parse` of the worst bytes is harmless, and the check below finds what is wrong. */
const SMALL_BYTES = 64 * 1024

/**
 * Parses a body that a stranger sent. Bombs are refused by a scan over the bytes before anything is
 * built from them: `JSON.parse` of 14.5 MB of `[[[[…` would hold the process for seconds.
 *
 * Integers beyond 2^53 pass, since JSON schemas inside a chat body are full of them; a field whose
 * value matters is declared `z.int()`, which refuses them.
 */
export function parseRequestJson(bytes: Buffer, options: { stored: boolean }): unknown {
  if (!isUtf8(bytes)) throw new Failure('invalid', 'The request body must be valid UTF-8.')
  const longest = bytes.length > SMALL_BYTES ? scan(bytes) : NOTHING_LONG
  const value = parseAround(bytes, longest) ?? parse(bytes)
  if (!checkValue(value, 1, options.stored)) throw unstorable(value)
  return value
}

/** A string literal inside JSON bytes, without its quotes. */
type Span = { start: number; end: number }

const NOTHING_LONG: Span = { start: 0, end: 0 }

/**
 * Checks depth and number of values from the bytes alone. One pass, no allocation. Returns the longest
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

const LONG_BYTES = 1024 * 1024

/**
 * Parses a body that is mostly one long string (a recording, a picture) without making text of the
 * whole: the rest is parsed around a stand-in, and the string is cut from the bytes once. Undefined
 * when the body is not of that kind; then, or when anything is odd, it is parsed as usual.
 */
function parseAround(bytes: Buffer, { start, end }: Span): unknown {
  if (end - start < LONG_BYTES || end >= bytes.length) return undefined
  const long = bytes.subarray(start, end)
  if (!isAscii(long) || long.includes(BACKSLASH) || hasControls(long)) return undefined
  const standIn = randomBase62(32)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8', 0, start) + standIn + bytes.toString('utf8', end))
  } catch {
    // Parsed as usual it fails again, and then with the place where it breaks.
    return undefined
  }
  return putBack(value, standIn, long) ? value : undefined
}

/** JSON allows no raw control characters in a string. A line break is the likely one. */
function hasControls(long: Buffer): boolean {
  for (let at = 0; at < long.length; at++) if (long[at]! < 0x20) return true
  return false
}

/** False when the string is a key, or the body itself. */
function putBack(value: unknown, standIn: string, long: Buffer): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const [name, member] of Object.entries(value)) {
    if (member === standIn) {
      Object.defineProperty(value, name, { value: long.toString('latin1'), ...ORDINARY })
      return true
    }
    if (putBack(member, standIn, long)) return true
  }
  return false
}

const ORDINARY = { enumerable: true, writable: true, configurable: true }

function parse(bytes: Buffer): unknown {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    return JSON.parse(bytes.toString('utf8', marked ? 3 : 0))
  } catch (cause) {
    // The engine's own message quotes the input; only the position is passed on.
    const position = / position (\d+)/.exec(String(cause))?.[1]
    const where = position === undefined ? '' : ` It breaks at position ${position}.`
    throw new Failure('invalid', `The request body is not valid JSON.${where}`)
  }
}

/**
 * What the grammar allows and we do not: depth in small bodies, infinities, `__proto__`. False for
 * text that is stored and cannot be.
 */
function checkValue(value: unknown, depth: number, stored: boolean): boolean {
  if (typeof value === 'string') return !stored || isStorable(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return true
    throw new Failure('invalid', 'The request body contains a number that is out of range.')
  }
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEEPEST_JSON) throw tooDeep()
  if (!Array.isArray(value)) return checkObject(value as Record<string, unknown>, depth, stored)
  return value.every((item) => checkValue(item, depth + 1, stored))
}

function checkObject(object: Record<string, unknown>, depth: number, stored: boolean): boolean {
  for (const key in object) {
    if (key === '__proto__') {
      throw new Failure('invalid', 'The request body must not contain the key "__proto__".')
    }
    if (stored && !isStorable(key)) return false
    if (!checkValue(object[key], depth + 1, stored)) return false
  }
  return true
}

function tooDeep(): Failure {
  return new Failure('invalid', `The request body is nested deeper than ${DEEPEST_JSON} levels.`)
}

function tooManyNodes(): Failure {
  return new Failure('invalid', `The request body has more than ${MOST_JSON_NODES} JSON values.`)
}

function unstorable(value: unknown): Failure {
  const field = unstorableField(value)
  const why = 'must be valid Unicode text without the NUL character'
  return field ? invalidField(field, why) : new Failure('invalid', `The request body ${why}.`)
}
