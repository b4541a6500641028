import { randomBytes, randomUUID } from 'node:crypto'

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
    // 248 = 4 × 62: larger bytes are thrown away, so that every character is equally likely.
    for (const byte of randomBytes(length + 8)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}
