import { randomFillSync, randomUUID } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** UUID v7: the first 48 bits are the time, so ids sort by creation. */
export function uuidv7(nowMs: number = Date.now()): string {
  if (nowMs !== written.ms) written = { ms: nowMs, text: timePart(nowMs) }
  return written.text + randomUUID().slice(15)
}

/** Ids in the order of a list, of which the last is known. */
export function uuidsBefore(last: string, count: number): string[] {
  const lastMs = Number.parseInt(last.slice(0, 8) + last.slice(9, 13), 16)
  return Array.from({ length: count }, (_, i) => uuidv7(lastMs - count + i))
}

/** Many ids are made within one millisecond: its part is written once. */
let written = { ms: -1, text: '' }

function timePart(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7`
}

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** `req_…`, `chatcmpl-…`, `gen_…`, `anl_…`: a prefix and 24 random characters. */
export function prefixedId(prefix: string): string {
  return prefix + randomBase62(24)
}

/** The id of an answer: its request's, with a prefix of its kind, so that either leads to the call. */
export function answerId(prefix: string, requestId: string): string {
  return prefix + requestId.slice(REQUEST.length)
}

/** The request of an answer with such an id. */
export function requestOf(id: string): string {
  return REQUEST + id.slice(-24)
}

export const REQUEST = 'req_'

export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    const number = nextNumber()
    // 65,348 = 17 × 62²: larger numbers are thrown away, so that every pair is equally likely.
    if (number < 65_348) text += PAIRS[number % 3844]
  }
  return text.length > length ? text.slice(0, length) : text
}

/** Two characters at a time: ids are made on every request's way. */
const PAIRS = Array.from({ length: 3844 }, (_, i) => BASE62[Math.floor(i / 62)]! + BASE62[i % 62]!)

/** Asking the system for each id costs more than the rest of making it; each number is used once. */
const pool = new Uint16Array(2048)
let used = pool.length

function nextNumber(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const number = pool[used]!
  pool[used++] = 0
  return number
}
