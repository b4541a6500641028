import { elementAt, float, readVint, unsigned, type Element } from './ebml.ts'
import { longestFilm, mostlyRead, type Length } from './length.ts'
import { OPUS_RATE, opusSamples } from './opus.ts'
import { vorbisStream } from './vorbis.ts'
import { lacedFrames } from './webm-block.ts'

const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** Elements whose content is read in turn: segment, tracks, track, sound, cluster, group of blocks. */
const OPENED = new Set([0x18538067, 0x1654ae6b, 0xae, 0xe1, 0x1f43b675, 0xa0, 0x1549a966])
const [TRACK, NUMBER, KIND, CODEC, PRIVATE, PACKED] = [0xae, 0xd7, 0x83, 0x86, 0x63a2, 0x6d80]
const [RATE, CHANNELS, BITS] = [0xb5, 0x9f, 0x6264]
const [TIME_SCALE, CLUSTER_TIME, BLOCK, SIMPLE_BLOCK] = [0x2ad7b1, 0xe7, 0xa1, 0xa3]
const VIDEO = 1

type Track = {
  number: number
  kind: number
  codec: string
  setup: Buffer
  packed: boolean
  rate: number
  channels: number
  bits: number
  /** Seconds of a frame; undefined for a codec whose packets are not understood. */
  secondsOf?: ((start: number, end: number) => number) | undefined
  seconds: number
  frames: number
  lastTime: number
  readBytes: number
}

type Reading = { bytes: Buffer; tracks: Track[]; timeScale: number; clusterTime: number }

/** Sound by its packets; the length in the header is not looked at. */
export function webmLength(bytes: Buffer): Length {
  const { tracks } = read(bytes)
  const seconds = Math.max(0, ...tracks.map((track) => track.seconds))
  return mostlyRead(seconds, sum(tracks.filter(isMeasured)), bytes.length)
}

/** Pictures by the time of the last one. */
export function webmFilmLength(bytes: Buffer): Length {
  const { tracks, timeScale } = read(bytes)
  const lengths = tracks.map(({ kind, seconds, frames, lastTime }) =>
    kind === VIDEO ? longestFilm((lastTime * timeScale) / 1e9, frames) : seconds,
  )
  const pictures = tracks.filter((track) => track.kind === VIDEO || isMeasured(track))
  return mostlyRead(Math.max(0, ...lengths), sum(pictures), bytes.length)
}

function isMeasured(track: Track): boolean {
  return track.secondsOf !== undefined
}

function sum(tracks: Track[]): number {
  return tracks.reduce((bytes, { readBytes }) => bytes + readBytes, 0)
}

const MOST_TRACKS = 64

/**
 * Browsers leave sizes open: a parent ends where the next one begins. From anything else without an
 * end, players go on to the next cluster.
 */
function read(bytes: Buffer): Reading {
  const reading: Reading = { bytes, tracks: [], timeScale: 1_000_000, clusterTime: 0 }
  for (let at = 0; at >= 0 && at < bytes.length;) {
    const element = elementAt(bytes, at, bytes.length)
    const isOpened = element !== undefined && OPENED.has(element.id)
    if (element === undefined || (element.open && !isOpened)) {
      at = bytes.indexOf(CLUSTER, at + 1)
      continue
    }
    if (element.id === TRACK && reading.tracks.length < MOST_TRACKS) reading.tracks.push(newTrack())
    if (!isOpened) note(reading, element)
    at = isOpened ? element.start : element.end
  }
  return reading
}

function newTrack(): Track {
  const size = { rate: 8_000, channels: 1, bits: 0, seconds: 0, frames: 0, lastTime: 0 }
  return {
    number: 0,
    kind: 0,
    codec: '',
    setup: Buffer.alloc(0),
    packed: false,
    readBytes: 0,
    ...size,
  }
}

function note(reading: Reading, element: Element): void {
  const { bytes, tracks } = reading
  if (element.id === BLOCK || element.id === SIMPLE_BLOCK) return readBlock(reading, element)
  if (element.id === CLUSTER_TIME) reading.clusterTime = unsigned(bytes, element)
  if (element.id === TIME_SCALE) reading.timeScale = unsigned(bytes, element)
  const track = tracks.at(-1)
  if (track !== undefined) describe(track, bytes, element)
}

function describe(track: Track, bytes: Buffer, element: Element): void {
  const { id, start, end } = element
  if (id === NUMBER) track.number = unsigned(bytes, element)
  else if (id === KIND) track.kind = unsigned(bytes, element)
  else if (id === CODEC) track.codec = bytes.toString('latin1', start, Math.min(end, start + 32))
  else if (id === PRIVATE) track.setup = bytes.subarray(start, end)
  else if (id === PACKED) track.packed = true
  else if (id === RATE) track.rate = float(bytes, element)
  else if (id === CHANNELS) track.channels = unsigned(bytes, element)
  else if (id === BITS) track.bits = unsigned(bytes, element)
}

function readBlock({ bytes, tracks, clusterTime }: Reading, { start, end }: Element): void {
  const number = readVint(bytes, start, end)
  const track = tracks.find((one) => one.number === number?.value)
  if (number === undefined || track === undefined || number.start + 3 > end) return
  if (track.frames === 0) track.secondsOf = secondsReader(track, bytes)
  const time = clusterTime + bytes.readInt16BE(number.start)
  track.lastTime = Math.max(track.lastTime, time)
  track.readBytes += end - start
  for (const frame of lacedFrames(bytes, number.start + 2, end)) {
    track.frames += 1
    track.seconds += track.secondsOf?.(frame.start, frame.end) ?? 0
  }
}

function secondsReader(track: Track, bytes: Buffer): Track['secondsOf'] {
  const { codec, packed, rate, channels, bits } = track
  if (packed) return undefined
  if (codec.startsWith('A_OPUS')) return (at, end) => opusSamples(bytes, at, end) / OPUS_RATE
  if (codec.startsWith('A_PCM/') && rate > 0 && channels > 0 && bits > 0) {
    return (at, end) => (end - at) / (rate * channels * Math.ceil(bits / 8))
  }
  if (!codec.startsWith('A_VORBIS')) return undefined
  const stream = vorbisStream(...vorbisHeaders(track.setup))
  return stream && ((at, end) => (at < end ? stream.samplesOf(bytes[at]!) / stream.samplesPerS : 0))
}

/** Three headers one after the other; the sizes of the first two come before them. */
function vorbisHeaders(setup: Buffer): [Buffer, Buffer] {
  let at = 1
  const sizes = [0, 0].map(() => {
    let size = 0
    while (setup[at] === 255) size += setup[at++]!
    return size + (setup[at++] ?? 0)
  })
  const [about, comment] = sizes as [number, number]
  return [setup.subarray(at, at + about), setup.subarray(at + about + comment)]
}
