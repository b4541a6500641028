import { randomFillSync, randomUUID } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** UUID v7: the first 48 bits are the time, so ids sort by creation. */
export function uuidv7(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** `req_…`, `chatcmpl-…`, `gen_…`, `anl_…`: a prefix and 24 random characters. */
export function prefixedId(prefix: string): string {
  return prefix + randomBase62(24)
}

export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    const byte = nextByte()
    // 248 = 4 × 62: larger bytes are thrown away, so that every character is equally likely.
    if (byte < 248) text += BASE62[byte % 62]
  }
  return text
}

/** Asking the system for each id costs more than the rest of making it; each byte is used once. */
const pool = Buffer.alloc(4096)
let used = pool.length

function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used]!
  pool[used++] = 0
  return byte
}
