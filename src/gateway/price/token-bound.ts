/*
 * No fewer tokens than a tokenizer makes of any text, hostile ones included, and fewer than one for
 * each byte where the text is prose. By kind of character, since a real count takes seconds on text
 * that is made for it: decision 66 has the figures. In eighths of a token.
 */

const WHOLE = 8
/** A letter that follows another one. Rare letters seldom stand together in a token. */
const LETTER = 5
const RARE_LETTER = 7
/** Of a row of the same spaces; the first one belongs to the word after it. */
const REPEATED_SPACE = 2

const SPACE = 1
const BREAK = 2
const LOWER = 3
const RARE = 4
const UPPER = 5
const SIGN = 6
const WIDE = 7

const KINDS = new Uint8Array(128).fill(SIGN)
KINDS[0x20] = SPACE
for (const code of [0x09, 0x0a, 0x0d]) KINDS[code] = BREAK
for (let code = 0x61; code <= 0x7a; code++) KINDS[code] = LOWER
for (let code = 0x41; code <= 0x5a; code++) KINDS[code] = UPPER
for (const letter of 'jkqvwxz') KINDS[letter.charCodeAt(0)] = RARE

/** With fractions, for a text that comes in pieces. Stops counting at `cap`. */
export function mostTokens(text: string, cap = Number.POSITIVE_INFINITY): number {
  const most = cap * WHOLE
  let [eighths, before] = [0, SIGN]
  for (let i = 0; i < text.length && eighths < most; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? KINDS[code]! : WIDE
    eighths += kind === WIDE ? bytesOf(code) * WHOLE : eighthsOf(kind, before)
    before = kind
  }
  return Math.min(eighths, most) / WHOLE
}

/** Of one unit of UTF-16, of which some characters take two. */
function bytesOf(code: number): number {
  if (code < 0x800) return 2
  return code >= 0xd800 && code < 0xe000 ? 2 : 3
}

function eighthsOf(kind: number, before: number): number {
  const inWord = before === LOWER || before === RARE || before === UPPER
  if (kind === LOWER) return inWord ? LETTER : WHOLE
  if (kind === RARE) return inWord ? RARE_LETTER : WHOLE
  if (kind !== SPACE) return WHOLE
  if (before === SPACE) return REPEATED_SPACE
  return before === BREAK || before === WIDE ? WHOLE : 0
}

/** The same for a value that is sent as JSON, its names and marks included. */
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
