import { children, path, type Box, type BoxReading } from './mp4-boxes.ts'
import type { SoundCodec } from './mp4-sound.ts'

/** A sample is one packet of a track. */
export type Samples = { count: number; bytes: number; blocks: number; units: number }

type Track = { id: number; codec: SoundCodec | undefined }
type Usual = { units: number; bytes: number }

/** Which fields are present. */
const IN_HEADER = { base: 1, description: 2, units: 8, bytes: 16 }
const IN_RUN = { offset: 1, first: 4, units: 0x100, bytes: 0x200, flags: 0x400, shift: 0x800 }

/** What is recorded while it is sent comes in fragments, each with its own list of samples. */
export function fragmentSamples(
  reading: BoxReading,
  { fragments, defaults }: { fragments: Box[]; defaults: Box[] },
  track: Track,
): Samples {
  const samples = { count: 0, bytes: 0, blocks: 0, units: 0 }
  const usual = usualOf(reading, defaults, track.id)
  for (const moof of fragments) {
    for (const traf of path(reading, moof, ['traf'])) {
      const parts = children(reading, traf)
      const header = parts.find(({ name }) => name === 'tfhd')
      if (header === undefined || word(reading.bytes, header, 4) !== track.id) continue
      const own = headerOf(reading.bytes, header, usual)
      for (const run of parts.filter(({ name }) => name === 'trun')) {
        addRun(reading.bytes, run, { usual: own, codec: track.codec }, samples)
      }
    }
  }
  return samples
}

function usualOf(reading: BoxReading, defaults: Box[], id: number): Usual {
  const { bytes } = reading
  const boxes = defaults.flatMap((box) => path(reading, box, ['trex']))
  const found = boxes.find((box) => word(bytes, box, 4) === id)
  return found === undefined
    ? { units: 0, bytes: 0 }
    : { units: word(bytes, found, 12), bytes: word(bytes, found, 16) }
}

/** Of four bytes; zero beyond the box. */
function word(bytes: Buffer, box: Box, at: number): number {
  return box.start + at + 4 <= box.end ? bytes.readUInt32BE(box.start + at) : 0
}

function headerOf(bytes: Buffer, box: Box, usual: Usual): Usual {
  const present = word(bytes, box, 0)
  let at = 8 + ((present & IN_HEADER.base) === 0 ? 0 : 8)
  at += (present & IN_HEADER.description) === 0 ? 0 : 4
  const own = { ...usual }
  if ((present & IN_HEADER.units) !== 0) {
    own.units = word(bytes, box, at)
    at += 4
  }
  if ((present & IN_HEADER.bytes) !== 0) own.bytes = word(bytes, box, at)
  return own
}

function addRun(
  bytes: Buffer,
  run: Box,
  { usual, codec }: { usual: Usual; codec: SoundCodec | undefined },
  samples: Samples,
): void {
  const present = word(bytes, run, 0)
  const has = (flag: number) => (present & flag) !== 0
  const step = [IN_RUN.units, IN_RUN.bytes, IN_RUN.flags, IN_RUN.shift].filter(has).length * 4
  const count = Math.min(word(bytes, run, 4), bytes.length)
  let at = 8 + (has(IN_RUN.offset) ? 4 : 0) + (has(IN_RUN.first) ? 4 : 0)
  for (let i = 0; i < count && run.start + at + step <= run.end; i++) {
    const units = has(IN_RUN.units) ? word(bytes, run, at) : usual.units
    const size = has(IN_RUN.bytes)
      ? word(bytes, run, at + (has(IN_RUN.units) ? 4 : 0))
      : usual.bytes
    samples.count += 1
    samples.units += units
    samples.bytes += size
    samples.blocks += codec?.blocksIn(size) ?? 0
    at += step
  }
}
