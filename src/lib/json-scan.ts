import { randomInt } from 'node:crypto'
import { Failure, invalidField } from './failure.ts'

export const DEEPEST_JSON = 64
/** How many values there may be, and how many of them may be anything but numbers. */
export type MostValues = { all: number; noNumbers: number; listed?: number }
/** Of a caller's body. `listed` are the objects in a list that is a member of it, such as messages. */
export const MOST_SENT = { all: 200_000, noNumbers: 200_000, listed: 10_000 }
/** Each new name costs the engine a microsecond or two, many times that of a repeated one. */
const MOST_NAMES = 20_000
const LONGEST_NUMBER = 64

/** A string literal inside JSON bytes, without its quotes. */
export type Span = { start: number; end: number }

/**
 * Checks from the bytes alone what `JSON.parse` would build: its depth, the number of its values, of
 * its different names, and the length of its numbers. One pass, no allocation. Returns the longest
 * string it passed, and how many values.
 */
export function scanJson(
  bytes: Buffer,
  most: MostValues = MOST_SENT,
): { longest: Span; values: number } {
  const names = new Names(bytes)
  let longest: Span = { start: 0, end: 0 }
  let last = longest
  let depth = 0
  let values = 1
  let numbers = 0
  let opened = false
  let listed = 0
  let member = last
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte <= 0x20) continue
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--
      opened = false
      continue
    }
    if (byte === COMMA || opened) {
      if (++values > most.all || values - numbers > most.noNumbers) throw tooManyValues(most)
      opened = false
    }
    if (byte === QUOTE) {
      last = { start: at + 1, end: endOfString(bytes, at + 1) }
      if (last.end - last.start > longest.end - longest.start) longest = last
      at = last.end
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > DEEPEST_JSON) throw tooDeep()
      if (depth === 3 && byte === OPEN_OBJECT && ++listed > (most.listed ?? Infinity)) {
        throw tooManyListed(bytes.toString('latin1', member.start, member.end), listed - 1)
      }
      opened = true
    } else if (byte === COLON) {
      names.note(last)
      if (depth === 1) {
        member = last
        listed = 0
      }
    } else if (isNumeric(byte)) {
      numbers++
      at = endOfNumber(bytes, at) - 1
    }
  }
  return { longest, values }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const SHORT = 64

/** Reads byte by byte where strings are short or full of escapes, else jumps to the next quote. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start
  let quote = -1
  while (at < bytes.length) {
    const near = Math.min(at + SHORT, bytes.length)
    while (at < near && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
    if (at < near) return at
    // The position found is remembered: searching again at every escape would be quadratic.
    if (quote < at) quote = indexFrom(bytes, QUOTE, at)
    const escape = bytes.subarray(at, quote).indexOf(BACKSLASH)
    if (escape < 0) return quote
    at += escape
  }
  return bytes.length
}

function indexFrom(bytes: Buffer, byte: number, at: number): number {
  const found = bytes.indexOf(byte, at)
  return found < 0 ? bytes.length : found
}

function isNumeric(byte: number): boolean {
  // Digits and `+ - . E e`; the parser refuses what is no number.
  return (byte >= 0x2b && byte <= 0x39 && byte !== COMMA) || byte === 0x45 || byte === 0x65
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && isNumeric(bytes[at]!)) at++
  if (at - start <= LONGEST_NUMBER) return at
  throw new Failure(
    'invalid',
    `The request body contains a number with more than ${LONGEST_NUMBER} digits.`,
  )
}

const SLOTS = 1 << 16
/** Secret, so that nobody can find names that are taken for one. */
const SEED = randomInt(2 ** 31)

/** Counts different names without keeping them: a slot for each hash, and how many are filled. */
class Names {
  readonly #bytes: Buffer
  readonly #filled = new Uint8Array(SLOTS)
  #count = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  note({ start, end }: Span): void {
    const slot = this.#hash(start, end) & (SLOTS - 1)
    if (this.#filled[slot] === 1) return
    this.#filled[slot] = 1
    if (++this.#count > MOST_NAMES) throw tooMany(`${MOST_NAMES} different names`)
  }

  /** By its ends, if it is long: there is no room for many names that long. */
  #hash(start: number, end: number): number {
    const headEnd = Math.min(end, start + 512)
    const tailStart = Math.max(headEnd, end - 512)
    let hash = SEED ^ (end - start)
    for (let at = start; at < headEnd; at++) hash = Math.imul(hash ^ this.#bytes[at]!, 16_777_619)
    for (let at = tailStart; at < end; at++) hash = Math.imul(hash ^ this.#bytes[at]!, 16_777_619)
    return hash ^ (hash >>> 15)
  }
}

export function tooDeep(): Failure {
  return new Failure('invalid', `The request body is nested deeper than ${DEEPEST_JSON} levels.`)
}

const PLAIN_NAME = /^\w{1,64}$/

function tooManyListed(member: string, most: number): Failure {
  if (PLAIN_NAME.test(member)) return invalidField(member, `must have at most ${most} items`)
  return tooMany(`${most} objects in a list`)
}

function tooManyValues({ noNumbers }: MostValues): Failure {
  return tooMany(`${noNumbers} JSON values`)
}

function tooMany(what: string): Failure {
  return new Failure('invalid', `The request body has more than ${what}.`)
}
