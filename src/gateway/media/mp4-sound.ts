import { children, path, type Box, type BoxReading } from './mp4-boxes.ts'
import { AAC_SAMPLES, aacBlocks, aacRate } from './mpeg-length.ts'

/** How long a block of sound lasts, and how many a sample of so many bytes has at least. */
export type SoundCodec = { blockSeconds: number; blocksIn(bytes: number): number }

/** Undefined where the samples do not tell their length. `entries` is an `stsd`. */
export function soundCodec(reading: BoxReading, entries: Box): SoundCodec | undefined {
  const [entry] = children(reading, { ...entries, start: entries.start + 8 })
  if (entry === undefined || entry.start + 28 > entry.end) return undefined
  const inner = { ...entry, start: entry.start + 28 }
  if (entry.name === 'alac') return alac(reading, inner)
  if (entry.name !== 'mp4a') return undefined
  // QuickTime puts the description one level deeper.
  const [about] = [...path(reading, inner, ['esds']), ...path(reading, inner, ['wave', 'esds'])]
  return about && aac(reading.bytes.subarray(about.start + 4, about.end))
}

function alac(reading: BoxReading, inner: Box): SoundCodec | undefined {
  const [about] = path(reading, inner, ['alac'])
  if (about === undefined || about.start + 28 > about.end) return undefined
  const samples = reading.bytes.readUInt32BE(about.start + 4)
  const rate = reading.bytes.readUInt32BE(about.start + 24)
  return rate === 0 ? undefined : { blockSeconds: samples / rate, blocksIn: () => 1 }
}

const [STREAM, DECODER, SPECIFIC] = [3, 4, 5]
const MPEG4_AUDIO = 0x40

/** Descriptors within each other; the last has the kind of AAC, its rate and its channels in bits. */
function aac(about: Buffer): SoundCodec | undefined {
  const stream = descriptor(about, 0, STREAM)
  const decoder = stream && descriptor(about, stream + 3, DECODER)
  if (decoder === undefined || about[decoder] !== MPEG4_AUDIO) return undefined
  const specific = descriptor(about, decoder + 13, SPECIFIC)
  if (specific === undefined || specific + 2 > about.length) return undefined
  const word = about.readUInt16BE(specific)
  const [kind, rateIndex, channels] = [word >> 11, (word >> 7) & 15, (word >> 3) & 15]
  const rate = aacRate(rateIndex)
  if (rate === undefined || !PLAIN_AAC.has(kind)) return undefined
  return {
    blockSeconds: AAC_SAMPLES / rate,
    blocksIn: (bytes) => Math.max(1, aacBlocks(bytes, channels || 8)),
  }
}

/** Main, low complexity, scalable rate, long term prediction; with spectral band, with stereo. */
const PLAIN_AAC = new Set([1, 2, 3, 4, 5, 29])

/** Where its content begins. Sizes are of one to four bytes, with seven bits each. */
function descriptor(about: Buffer, at: number, tag: number): number | undefined {
  if (about[at] !== tag) return undefined
  let start = at + 1
  while (start < at + 4 && about[start]! >= 0x80) start += 1
  return start + 1
}
