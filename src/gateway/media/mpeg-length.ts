import { mostlyRead, type Length } from './length.ts'
import { afterTags, isAdts, nextMark, readMpegFrame } from './mpeg-frame.ts'

/** By the frames; the count in the first one is not looked at. */
export function mp3Length(bytes: Buffer): Length {
  return framesLength(bytes, (at) => {
    const frame = readMpegFrame(bytes, at)
    if (frame === undefined || frame.bytes === 0) return undefined
    return { bytes: frame.bytes, seconds: frame.samples / frame.samplesPerS }
  })
}

export function aacLength(bytes: Buffer): Length {
  return framesLength(bytes, (at) => adtsFrame(bytes, at))
}

type Frame = { bytes: number; seconds: number }

/** What stands between frames is skipped, as players do. */
function framesLength(bytes: Buffer, frameAt: (at: number) => Frame | undefined): Length {
  const start = afterTags(bytes)
  let seconds = 0
  let read = 0
  let at = nextMark(bytes, start)
  while (at < bytes.length) {
    const frame = frameAt(at)
    if (frame !== undefined) {
      seconds += frame.seconds
      read += Math.min(frame.bytes, bytes.length - at)
    }
    at = nextMark(bytes, at + (frame?.bytes ?? 1))
  }
  return mostlyRead(seconds, read, bytes.length - start)
}

const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
]
export const AAC_SAMPLES = 1_024
/** Of one channel, by the standard. */
const LARGEST_AAC_BYTES = 768

/** A longer frame has more than one block of sound in it. */
export function aacBlocks(bytes: number, channels: number): number {
  return Math.ceil(bytes / (LARGEST_AAC_BYTES * Math.max(1, channels)))
}

export function aacRate(index: number): number | undefined {
  return AAC_RATES[index]
}

function adtsFrame(bytes: Buffer, at: number): Frame | undefined {
  if (!isAdts(bytes, at)) return undefined
  const size = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  if (size < 7) return undefined
  const channels = ((bytes[at + 2]! & 1) << 2) | (bytes[at + 3]! >> 6)
  const blocks = Math.max((bytes[at + 6]! & 3) + 1, aacBlocks(size, channels || 8))
  return { bytes: size, seconds: (blocks * AAC_SAMPLES) / AAC_RATES[(bytes[at + 2]! >> 2) & 15]! }
}
