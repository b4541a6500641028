import { longestFilm, mostlyRead, type Length } from './length.ts'
import { children, path, type Box, type BoxReading } from './mp4-boxes.ts'
import { fragmentSamples, type Samples } from './mp4-fragments.ts'
import { soundCodec, type SoundCodec } from './mp4-sound.ts'

type Track = {
  id: number
  isFilm: boolean
  unitsPerS: number
  codec: SoundCodec | undefined
  samples: Samples
}

/** Enough for an hour in fragments of half a second. */
const MOST_BOXES = 100_000

/** Sound by its samples; the lengths in the headers are not looked at. */
export function mp4Length(bytes: Buffer): Length {
  const { tracks, indexBytes } = tracksOf(bytes)
  const sounds = tracks.filter(({ codec }) => codec !== undefined)
  const seconds = Math.max(0, ...sounds.map(soundSeconds))
  return mostlyRead(seconds, indexBytes + sum(sounds), bytes.length)
}

/** Pictures by the time that each is shown. */
export function mp4FilmLength(bytes: Buffer): Length {
  const { tracks, indexBytes } = tracksOf(bytes)
  const known = tracks.filter(({ isFilm, codec }) => isFilm || codec !== undefined)
  const lengths = known.map((track) => (track.isFilm ? filmSeconds(track) : soundSeconds(track)))
  return mostlyRead(Math.max(0, ...lengths), indexBytes + sum(known), bytes.length)
}

function filmSeconds({ samples, unitsPerS }: Track): number {
  return longestFilm(unitsPerS > 0 ? samples.units / unitsPerS : 0, samples.count)
}

function soundSeconds({ samples, codec }: Track): number {
  return codec === undefined ? 0 : samples.blocks * codec.blockSeconds
}

function sum(tracks: Track[]): number {
  return tracks.reduce((all, { samples }) => all + samples.bytes, 0)
}

/** `indexBytes` is what the lists of samples take, much in short files. */
function tracksOf(bytes: Buffer): { tracks: Track[]; indexBytes: number } {
  const reading = { bytes, boxesLeft: MOST_BOXES }
  const file = { name: '', start: 0, end: bytes.length }
  const top = children(reading, file)
  const movie = top.filter(({ name }) => name === 'moov').flatMap((box) => children(reading, box))
  const tracks = movie.filter(({ name }) => name === 'trak').map((box) => trackOf(reading, box))
  const fragments = top.filter(({ name }) => name === 'moof')
  const defaults = movie.filter(({ name }) => name === 'mvex')
  for (const track of tracks) {
    add(track.samples, fragmentSamples(reading, { fragments, defaults }, track))
  }
  const index = top.filter(({ name }) => name === 'moov' || name === 'moof')
  return { tracks, indexBytes: index.reduce((sum, { start, end }) => sum + end - start, 0) }
}

function add(to: Samples, more: Samples): void {
  to.count += more.count
  to.bytes += more.bytes
  to.blocks += more.blocks
  to.units += more.units
}

function trackOf(reading: BoxReading, trak: Box): Track {
  const { bytes } = reading
  const find = (...names: string[]) => path(reading, trak, names)[0]
  const header = find('tkhd')
  const media = find('mdia', 'mdhd')
  const handler = find('mdia', 'hdlr')
  const kind = handler && bytes.toString('latin1', handler.start + 8, handler.start + 12)
  const entries = find('mdia', 'minf', 'stbl', 'stsd')
  const codec = kind === 'soun' && entries ? soundCodec(reading, entries) : undefined
  const table = (name: string) => find('mdia', 'minf', 'stbl', name)
  const samples = tableSamples(bytes, table('stsz') ?? table('stz2'), codec)
  const times = table('stts')
  return {
    id: header === undefined ? 0 : number(bytes, header, bytes[header.start] === 1 ? 20 : 12),
    isFilm: kind === 'vide',
    unitsPerS: media === undefined ? 0 : number(bytes, media, bytes[media.start] === 1 ? 20 : 12),
    codec,
    samples: { ...samples, units: times === undefined ? 0 : unitsIn(bytes, times) },
  }
}

/** Of four bytes; zero beyond the box. */
function number(bytes: Buffer, box: Box, at: number): number {
  return box.start + at + 4 <= box.end ? bytes.readUInt32BE(box.start + at) : 0
}

/** Samples have one size, or each its own in the list that follows. */
function tableSamples(bytes: Buffer, box: Box | undefined, codec: SoundCodec | undefined): Samples {
  const samples = { count: 0, bytes: 0, blocks: 0, units: 0 }
  if (box === undefined || box.name === 'stz2') return samples
  const size = number(bytes, box, 4)
  const count = Math.min(number(bytes, box, 8), bytes.length)
  if (size > 0) {
    const blocks = count * (codec?.blocksIn(size) ?? 0)
    return { ...samples, count, bytes: Math.min(count * size, bytes.length), blocks }
  }
  const end = Math.min(box.end, box.start + 12 + count * 4)
  for (let at = box.start + 12; at + 4 <= end; at += 4) {
    const each = bytes.readUInt32BE(at)
    samples.count += 1
    samples.bytes += each
    samples.blocks += codec?.blocksIn(each) ?? 0
  }
  return samples
}

function unitsIn(bytes: Buffer, box: Box): number {
  let units = 0
  for (let at = box.start + 8; at + 8 <= box.end; at += 8) {
    units += bytes.readUInt32BE(at) * bytes.readUInt32BE(at + 4)
  }
  return units
}
