/** The header of an MPEG audio frame. `bytes` is 0 where the bit rate is left open. */
type MpegFrame = { bytes: number; samplesPerS: number; samples: number }

const SAMPLE_RATES = [44_100, 48_000, 32_000]
/** kbit/s by bit rate index; 0 is "free", 15 invalid. */
const KBITS = {
  1: {
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  },
  2: {
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const

/**
 * Layer III or II. Layer I is not used for recordings, and its mark is also that of UTF-16 text.
 */
export function readMpegFrame(bytes: Buffer, at = 0): MpegFrame | undefined {
  if (bytes.length < at + 4 || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe0) !== 0xe0) {
    return undefined
  }
  const version = (bytes[at + 1]! >> 3) & 3
  const layer = 4 - ((bytes[at + 1]! >> 1) & 3)
  if (version === 1 || (layer !== 3 && layer !== 2)) return undefined
  const generation = version === 3 ? 1 : 2
  const kbits = KBITS[generation][layer][bytes[at + 2]! >> 4]
  const rate = SAMPLE_RATES[(bytes[at + 2]! >> 2) & 3]
  if (kbits === undefined || rate === undefined) return undefined
  const samplesPerS = rate / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3]
  const samples = layer === 3 && generation === 2 ? 576 : 1_152
  const padding = (bytes[at + 2]! >> 1) & 1
  const size = kbits === 0 ? 0 : Math.floor((samples * kbits * 125) / samplesPerS) + padding
  return { bytes: size, samplesPerS, samples }
}

export function isMpegFrame(bytes: Buffer): boolean {
  return readMpegFrame(bytes) !== undefined
}

/** AAC in ADTS frames: sync bits, layer 0, a valid sample rate. */
export function isAdts(bytes: Buffer, at = 0): boolean {
  return (
    bytes.length >= at + 7 &&
    bytes[at] === 0xff &&
    (bytes[at + 1]! & 0xf6) === 0xf0 &&
    ((bytes[at + 2]! >> 2) & 15) < 13
  )
}

/** Where a frame may begin: `Buffer.indexOf` is slow where there are many such places. */
export function nextMark(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 0xff) at += 1
  return at
}

const MOST_TAGS = 4
const MOST_PADDING = 64 * 1024

/** Where the sound begins, after ID3v2 tags and padding. */
export function afterTags(bytes: Buffer): number {
  let at = 0
  for (let tags = 0; tags < MOST_TAGS && at + 10 <= bytes.length; tags++) {
    if (bytes.toString('latin1', at, at + 3) !== 'ID3') break
    const [a, b, c, d] = [bytes[at + 6]!, bytes[at + 7]!, bytes[at + 8]!, bytes[at + 9]!]
    const footer = (bytes[at + 5]! & 0x10) === 0 ? 0 : 10
    at += 10 + footer + ((a & 0x7f) << 21) + ((b & 0x7f) << 14) + ((c & 0x7f) << 7) + (d & 0x7f)
  }
  const end = Math.min(bytes.length, at + MOST_PADDING)
  while (at < end && bytes[at] === 0) at++
  return Math.min(at, bytes.length)
}
