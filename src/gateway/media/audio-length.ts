import type { AudioFormat } from './audio-format.ts'
import { ebmlSeconds } from './ebml.ts'
import { mp4Seconds } from './mp4-boxes.ts'
import { afterTags, isAdts, readMpegFrame } from './mpeg-frame.ts'

const LEAST_S = 0.01
const MOST_S = 86_400

/**
 * The length in the headers: for the hold, and where an upstream reports none. Headers may lie, so
 * the result is at most a day; every reader takes a bounded number of steps.
 */
export function audioSeconds(bytes: Buffer, format: AudioFormat): number | undefined {
  const claimed = READERS[format](bytes)
  if (claimed === undefined || !(claimed > 0)) return undefined
  const seconds = Math.max(LEAST_S, claimed, bytes.length / MOST_BYTES_PER_S[format])
  return Math.round(Math.min(MOST_S, seconds) * 100) / 100
}

/**
 * The most bytes a second in each format: a file that claims to be shorter is held and charged by
 * its size.
 */
const LOSSLESS = 1_200_000
const MOST_BYTES_PER_S: Record<AudioFormat, number> = {
  wav: LOSSLESS,
  mp3: 40_000,
  flac: LOSSLESS,
  m4a: LOSSLESS,
  ogg: 64_000,
  webm: LOSSLESS,
  aac: 80_000,
}

/**
 * An upper bound for a recording of this size, whatever its headers say: PCM by its rate, other
 * formats at the lowest bit rate of speech.
 */
export function longestSeconds(bytes: Buffer, format: AudioFormat): number {
  const plain = format === 'wav' && bytes.length >= 44 && isPlainWav(bytes)
  const bytesPerS = plain ? wavBytesPerS(bytes, 20) : LEAST_BYTES_PER_S
  return Math.max(audioSeconds(bytes, format) ?? 0, bytes.length / bytesPerS)
}

const LEAST_BYTES_PER_S = 750

function isPlainWav(bytes: Buffer): boolean {
  const known = bytes.toString('latin1', 12, 16) === 'fmt '
  return known && PLAIN_SAMPLES.has(bytes.readUInt16LE(20)) && wavBytesPerS(bytes, 20) > 0
}

const READERS: Record<AudioFormat, (bytes: Buffer) => number | undefined> = {
  wav: wavSeconds,
  mp3: mp3Seconds,
  flac: flacSeconds,
  m4a: mp4Seconds,
  ogg: oggSeconds,
  webm: ebmlSeconds,
  aac: aacSeconds,
}

const MOST_CHUNKS = 256

function wavSeconds(bytes: Buffer): number | undefined {
  let bytesPerS = 0
  let at = 12
  for (let count = 0; count < MOST_CHUNKS && at + 8 <= bytes.length; count++) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= bytes.length) bytesPerS = wavBytesPerS(bytes, at + 8)
    // Streaming recorders leave the size open: then the file's length counts.
    if (name === 'data') {
      return bytesPerS === 0 ? undefined : Math.min(size, bytes.length - at - 8) / bytesPerS
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** For PCM the rate is computed, since the header's own rate may be wrong. */
function wavBytesPerS(bytes: Buffer, at: number): number {
  const plain = PLAIN_SAMPLES.has(bytes.readUInt16LE(at))
  const [channels, rate] = [bytes.readUInt16LE(at + 2), bytes.readUInt32LE(at + 4)]
  const played = (rate * channels * bytes.readUInt16LE(at + 14)) / 8
  return plain && played > 0 ? played : bytes.readUInt32LE(at + 8)
}

const PLAIN_SAMPLES = new Set([1, 3, 0xfffe])

/** By the frame count in the first frame, else by the bit rate. */
function mp3Seconds(bytes: Buffer): number | undefined {
  const start = afterTags(bytes)
  const sound = bytes.subarray(start)
  const frame = readMpegFrame(sound)
  if (frame === undefined) return undefined
  const frames = xingFrames(sound, frame.samples === 576, frame.mono) ?? vbriFrames(sound)
  if (frames !== undefined) return (frames * frame.samples) / frame.samplesPerS
  return frame.bitsPerS === 0 ? undefined : (sound.length * 8) / frame.bitsPerS
}

function xingFrames(sound: Buffer, older: boolean, mono: boolean): number | undefined {
  const at = 4 + (older ? (mono ? 9 : 17) : mono ? 17 : 32)
  const name = sound.toString('latin1', at, at + 4)
  const present = (name === 'Xing' || name === 'Info') && at + 12 <= sound.length
  return present && (sound[at + 7]! & 1) === 1 ? sound.readUInt32BE(at + 8) : undefined
}

function vbriFrames(sound: Buffer): number | undefined {
  const present = sound.toString('latin1', 36, 40) === 'VBRI' && sound.length >= 54
  return present ? sound.readUInt32BE(50) : undefined
}

function flacSeconds(bytes: Buffer): number | undefined {
  const at = afterTags(bytes) + 8
  if (at + 18 > bytes.length) return undefined
  const rate = bytes.readUIntBE(at + 10, 3) >> 4
  const samples = (bytes[at + 13]! & 15) * 2 ** 32 + bytes.readUInt32BE(at + 14)
  return rate === 0 || samples === 0 ? undefined : samples / rate
}

/** The last page has the number of samples. */
function oggSeconds(bytes: Buffer): number | undefined {
  const last = bytes.lastIndexOf('OggS')
  if (last < 0 || last + 14 > bytes.length) return undefined
  const samples = Number(bytes.readBigInt64LE(last + 6))
  const rate = oggRate(bytes)
  return samples < 0 || rate === undefined || rate === 0 ? undefined : samples / rate
}

/** Opus always counts in 48 kHz; Vorbis and Speex have their rate in the header. */
function oggRate(bytes: Buffer): number | undefined {
  const head = 27 + (bytes[26] ?? 0)
  if (bytes.length < head + 40) return undefined
  const packet = bytes.subarray(head)
  if (packet.toString('latin1', 0, 8) === 'OpusHead') return 48_000
  if (packet.toString('latin1', 1, 7) === 'vorbis') return packet.readUInt32LE(12)
  return packet.toString('latin1', 0, 5) === 'Speex' ? packet.readUInt32LE(36) : undefined
}

const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
]
const MOST_FRAMES = 500

/** There is no frame count: the first frames are taken as the average. */
function aacSeconds(bytes: Buffer): number | undefined {
  const start = afterTags(bytes)
  let at = start
  let frames = 0
  let rate = 0
  while (frames < MOST_FRAMES && at < bytes.length) {
    const frame = bytes.subarray(at, at + 7)
    const size = isAdts(frame) ? (frame.readUIntBE(3, 3) >> 5) & 0x1fff : 0
    if (size < 7) break
    rate = AAC_RATES[(frame[2]! >> 2) & 15]!
    frames++
    at += size
  }
  return frames === 0 ? undefined : (frames * 1_024 * (bytes.length - start)) / (at - start) / rate
}
