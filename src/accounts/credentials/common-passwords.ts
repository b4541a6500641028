import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Whether a password is among those that leaks have shown to be the commonest, so that attackers try
 * it first. No network is asked: a file has the first four bytes of the SHA-256 of each, in order. One
 * in 44,000 other passwords is found too, and refused for nothing.
 */
export function isCommonPassword(lower: string): boolean {
  const wanted = commonHash(lower)
  let [low, high] = [0, COMMON.length / ENTRY_BYTES]
  while (low < high) {
    const middle = (low + high) >> 1
    const found = COMMON.readUInt32BE(middle * ENTRY_BYTES)
    if (found === wanted) return true
    if (found < wanted) low = middle + 1
    else high = middle
  }
  return false
}

/** The file from lists of passwords: of those that are long enough for us, each once. */
export function commonPasswordsFile(passwords: string[]): Buffer {
  const wanted = passwords
    .filter((one) => one.length >= 8)
    .map((one) => commonHash(one.toLowerCase()))
  const sorted = Uint32Array.from(new Set(wanted)).sort()
  const file = Buffer.alloc(sorted.length * ENTRY_BYTES)
  sorted.forEach((entry, nth) => file.writeUInt32BE(entry, nth * ENTRY_BYTES))
  return file
}

export const COMMON_PASSWORDS_FILE = new URL('common-passwords.bin', import.meta.url)

const ENTRY_BYTES = 4
const COMMON = readFileSync(COMMON_PASSWORDS_FILE)

function commonHash(password: string): number {
  return hash('sha256', password, 'buffer').readUInt32BE(0)
}
