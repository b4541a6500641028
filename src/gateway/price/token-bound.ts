/*
 * An upper bound of the tokens of any text, hostile ones included, lower than one for each byte
 * where the text is prose. By kind of character, since a real count takes seconds on hostile text:
 * docs/decisions/bounded-loss.md has figures. In eighths of a token.
 */

const WHOLE = 8
/** A letter after another one. Rare letters seldom share a token. */
const LETTER = 5
const RARE_LETTER = 7
/** Of a row of spaces; the first belongs to the next word. */
const REPEATED_SPACE = 2

const SPACE = 0
const BREAK = 1
const LOWER = 2
const RARE = 3
const UPPER = 4
const SIGN = 5
/** Not ASCII: two bytes, three bytes. */
const WIDE = 6
const WIDER = 7
const KIND_COUNT = 8

const KINDS = new Uint8Array(128).fill(SIGN)
KINDS[0x20] = SPACE
for (const code of [0x09, 0x0a, 0x0d]) KINDS[code] = BREAK
for (let code = 0x61; code <= 0x7a; code++) KINDS[code] = LOWER
for (let code = 0x41; code <= 0x5a; code++) KINDS[code] = UPPER
for (const letter of 'jkqvwxz') KINDS[letter.charCodeAt(0)] = RARE

const COSTS = new Uint8Array(KIND_COUNT * KIND_COUNT)
for (let before = 0; before < KIND_COUNT; before++) {
  for (let kind = 0; kind < KIND_COUNT; kind++) {
    COSTS[before * KIND_COUNT + kind] = eighthsOf(kind, before)
  }
}

/** With fractions, so that pieces of a text can be added. Stops soon after `cap`. */
export function mostTokens(text: string, cap = Number.POSITIVE_INFINITY): number {
  let tokens = 0
  for (let at = 0; at < text.length && tokens < cap; at += BLOCK) {
    tokens += blockEighths(text, at, Math.min(text.length, at + BLOCK)) / WHOLE
  }
  return tokens
}

const BLOCK = 4_096

function blockEighths(text: string, start: number, end: number): number {
  let before = start === 0 ? SIGN : kindOf(text.charCodeAt(start - 1))
  let eighths = 0
  for (let i = start; i < end; i++) {
    const kind = kindOf(text.charCodeAt(i))
    eighths += COSTS[before * KIND_COUNT + kind]!
    before = kind
  }
  return eighths
}

/** Of one UTF-16 unit. Characters of four bytes have two units. */
function kindOf(code: number): number {
  if (code < 128) return KINDS[code]!
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? WIDE : WIDER
}

function eighthsOf(kind: number, before: number): number {
  const inWord = before === LOWER || before === RARE || before === UPPER
  if (kind === LOWER) return inWord ? LETTER : WHOLE
  if (kind === RARE) return inWord ? RARE_LETTER : WHOLE
  if (kind === WIDE) return 2 * WHOLE
  if (kind === WIDER) return 3 * WHOLE
  if (kind !== SPACE) return WHOLE
  if (before === SPACE) return REPEATED_SPACE
  return before === BREAK || before === WIDE || before === WIDER ? WHOLE : 0
}

/** The same for a value sent as JSON, with its names and punctuation. */
export function mostJsonTokens(value: unknown, cap: number): number {
  if (typeof value === 'string') return mostTokens(value, cap) + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  let tokens = 2
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [name, item] of entries) {
    if (tokens >= cap) return cap
    if (item === undefined) continue
    if (typeof name === 'string') tokens += mostTokens(name, cap) + 3
    tokens += mostJsonTokens(item, cap - tokens) + 1
  }
  return Math.min(tokens, cap)
}
