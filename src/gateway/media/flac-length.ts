import type { Length } from './length.ts'
import { afterTags, nextMark } from './mpeg-frame.ts'

const LARGEST_HEADER = 16
const RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]

/** By the samples that each frame's header names; the total in the file's header is not looked at. */
export function flacLength(bytes: Buffer): Length {
  const start = afterTags(bytes)
  if (start + 42 > bytes.length) return undefined
  const rate = bytes.readUIntBE(start + 18, 3) >> 4
  let seconds = 0
  let at = nextMark(bytes, start + 42)
  while (at + 6 <= bytes.length) {
    const header = frameHeader(bytes, at)
    if (header !== undefined) seconds += header.samples / (header.rate || rate || Infinity)
    at = nextMark(bytes, at + 1)
  }
  return seconds > 0 ? seconds : undefined
}

/** Where a frame begins is not told: a mark of 14 bits, and a sum of the header that must be right. */
function frameHeader(bytes: Buffer, at: number): { samples: number; rate: number } | undefined {
  if ((bytes[at + 1]! & 0xfe) !== 0xf8) return undefined
  const [sizeCode, rateCode] = [bytes[at + 2]! >> 4, bytes[at + 2]! & 15]
  if (sizeCode === 0 || rateCode === 15 || bytes[at + 3]! >> 4 > 10) return undefined
  const sizeAt = at + 4 + numberLength(bytes[at + 4]!)
  const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0)
  const end = rateAt + (rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0)
  if (end - at > LARGEST_HEADER || end >= bytes.length) return undefined
  if (sum(bytes, at, end) !== bytes[end]) return undefined
  return { samples: blockSize(bytes, sizeCode, sizeAt), rate: frameRate(bytes, rateCode, rateAt) }
}

/** Frames are numbered in the way of UTF-8. */
function numberLength(first: number): number {
  return first < 0x80 ? 1 : Math.max(1, Math.clz32(~(first << 24)))
}

function blockSize(bytes: Buffer, code: number, at: number): number {
  if (code === 1) return 192
  if (code < 6) return 576 << (code - 2)
  if (code === 6) return bytes[at]! + 1
  return code === 7 ? bytes.readUInt16BE(at) + 1 : 256 << (code - 8)
}

function frameRate(bytes: Buffer, code: number, at: number): number {
  if (code < 12) return RATES[code]!
  if (code === 12) return bytes[at]! * 1_000
  return bytes.readUInt16BE(at) * (code === 14 ? 10 : 1)
}

/** CRC-8 with the polynomial 7. */
function sum(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = SUMS[value ^ bytes[at]!]!
  return value
}

const SUMS = Uint8Array.from({ length: 256 }, (_, first) => {
  let value = first
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value & 0x80 ? 0x107 : 0)
  return value
})
