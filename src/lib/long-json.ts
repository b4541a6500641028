import { isAscii } from 'node:buffer'
import { randomBase62 } from './ids.ts'
import type { Span } from './json-scan.ts'

/**
 * Parses a body that is mostly one long string (a recording, a picture) without making text of the
 * whole: the rest is parsed around a stand-in, and the string is cut from the bytes once. Undefined
 * when the body is not of that kind; then, or when anything is odd, it is parsed as usual.
 */
export function parseAround(bytes: Buffer, { start, end }: Span): unknown {
  if (end >= bytes.length) return undefined
  const long = bytes.subarray(start, end)
  if (!isAscii(long) || long.includes('\\') || hasControls(long)) return undefined
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

/**
 * JSON allows no raw control characters in a string. A line break is the likely one. Four bytes at a
 * time, all of them ASCII: taking 0x20 from one that is less borrows, and sets its highest bit.
 */
function hasControls(long: Buffer): boolean {
  const unaligned = Math.min((4 - (long.byteOffset % 4)) % 4, long.length)
  const words = new Int32Array(
    long.buffer,
    long.byteOffset + unaligned,
    (long.length - unaligned) >> 2,
  )
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (((word - 0x20202020) & ~word & 0x80808080) !== 0) return true
  }
  const rest = unaligned + words.length * 4
  return hasControl(long.subarray(0, unaligned)) || hasControl(long.subarray(rest))
}

function hasControl(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 0x20)
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
