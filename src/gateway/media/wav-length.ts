import type { Length } from './length.ts'
import { mp3Length } from './mpeg-length.ts'

/** What `fmt ` says of the samples. */
type Samples = { codec: number; channels: number; rate: number; blockBytes: number; bits: number }

const EXTENSIBLE = 0xfffe
const MOST_CHUNKS = 256

/** By the bytes after the header of the sound, whatever size it claims, and the size of a sample. */
export function wavLength(bytes: Buffer): Length {
  let samples: Samples | undefined
  let at = 12
  for (let count = 0; count < MOST_CHUNKS && at + 8 <= bytes.length; count++) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    if (name === 'fmt ') samples ??= samplesAt(bytes, at + 8)
    if (name === 'data') return samples && soundLength(bytes.subarray(at + 8), samples)
    at += 8 + size + (size % 2)
  }
  return undefined
}

function samplesAt(bytes: Buffer, at: number): Samples | undefined {
  if (at + 16 > bytes.length) return undefined
  const codec = bytes.readUInt16LE(at)
  const extended = codec === EXTENSIBLE && at + 26 <= bytes.length
  return {
    codec: extended ? bytes.readUInt16LE(at + 24) : codec,
    channels: bytes.readUInt16LE(at + 2),
    rate: bytes.readUInt32LE(at + 4),
    blockBytes: bytes.readUInt16LE(at + 12),
    bits: bytes.readUInt16LE(at + 14),
  }
}

function soundLength(sound: Buffer, samples: Samples): Length {
  if (samples.codec === 0x55) return mp3Length(sound)
  const rate = samples.rate * samplesPerByte(samples)
  return rate > 0 && sound.length > 0
    ? sound.length * (samplesPerByte(samples) / samples.rate)
    : undefined
}

/** In each channel. */
function samplesPerByte({ codec, channels, blockBytes, bits }: Samples): number {
  if (channels === 0) return 0
  const block = blockBytes / channels
  switch (codec) {
    // PCM, whole and broken numbers; A-law, µ-law.
    case 1:
    case 3:
      return bits === 0 ? 0 : 1 / (channels * Math.ceil(bits / 8))
    case 6:
    case 7:
      return 1 / channels
    // ADPCM of Microsoft and IMA: a block begins with whole samples, then two to the byte.
    case 2:
      return block > 7 ? ((block - 7) * 2 + 2) / blockBytes : 0
    case 0x11:
      return block > 4 ? ((block - 4) * 2 + 1) / blockBytes : 0
    // GSM 6.10
    case 0x31:
      return 320 / 65
    default:
      return 0
  }
}
