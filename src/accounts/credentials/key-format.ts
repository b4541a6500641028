import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomBase62 } from '../../lib/ids.ts'

export const KEY_PREFIX = 'mlg_'
const SHAPE = /^mlg_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `mlg_`, 40 random characters and 6 of checksum: 238 bits, so storing a plain hash is enough. */
export function newKey(): string {
  const body = randomBase62(40)
  return KEY_PREFIX + body + checksum(body)
}

/** False for mistyped and made-up keys, so that nothing is looked up for them. */
export function looksLikeKey(text: string): boolean {
  const parts = SHAPE.exec(text)
  return parts !== null && checksum(parts[1]!) === parts[2]
}

/** What is stored of a key, as text. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'base64')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = BASE62[rest % 62]! + text
    rest = Math.floor(rest / 62)
  }
  return text
}
