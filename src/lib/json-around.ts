import { isAscii } from 'node:buffer'
import { randomBase62 } from './ids.ts'

/** A string literal inside JSON bytes, without its quotes. */
export type Span = { start: number; end: number }

const LONG_BYTES = 1024 * 1024
const BACKSLASH = 0x5c

/**
 * Parses a body that is mostly one long string (a recording, a picture) without making text of the
 * whole: the rest is parsed around a stand-in, and the string is cut from the bytes once. Undefined
 * when the body is not of that kind; then, or when anything is odd, it is parsed as usual.
 */
export function parseAround(bytes: Buffer, { start, end }: Span): unknown {
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
