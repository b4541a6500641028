import { mostlyRead, type Length } from './length.ts'
import { OPUS_RATE, opusSamples } from './opus.ts'
import { vorbisStream, type VorbisStream } from './vorbis.ts'

const PAGE = Buffer.from('OggS')
const HEAD_BYTES = 27
const FIRST_PAGE = 2
const CONTINUED = 1
/** Vorbis has three headers, of a few kilobytes. */
const MOST_HEADER_BYTES = 1 << 20

/** One after the other, or side by side: each counts. */
type Stream = {
  codec: 'opus' | 'vorbis' | undefined
  packets: number
  samples: number
  /** The headers of Vorbis, of which the last may be spread over pages. */
  headers: Buffer[][]
  headerBytes: number
  vorbis: VorbisStream | undefined
}

/** By the packets of Opus and Vorbis. The position that a page claims is not looked at. */
export function oggLength(bytes: Buffer): Length {
  const streams = new Map<number, Stream>()
  let seconds = 0
  let read = 0
  for (let at = bytes.indexOf(PAGE); at >= 0 && at + HEAD_BYTES <= bytes.length;) {
    const serial = bytes.readUInt32LE(at + 14)
    if ((bytes[at + 5]! & FIRST_PAGE) !== 0 || !streams.has(serial)) {
      seconds += secondsOf(streams.get(serial))
      streams.set(serial, newStream(bytes, at))
    }
    const stream = streams.get(serial)
    const end = readPage(bytes, at, stream)
    if (stream?.codec !== undefined) read += end - at
    at = bytes.indexOf(PAGE, end)
  }
  for (const stream of streams.values()) seconds += secondsOf(stream)
  return mostlyRead(seconds, read, bytes.length)
}

function newStream(bytes: Buffer, page: number): Stream {
  const at = page + HEAD_BYTES + bytes[page + 26]!
  const isOpus = bytes.toString('latin1', at, at + 8) === 'OpusHead'
  const isVorbis = bytes.toString('latin1', at, at + 7) === '\u0001vorbis'
  return {
    codec: isOpus ? 'opus' : isVorbis ? 'vorbis' : undefined,
    packets: 0,
    samples: 0,
    headers: [],
    headerBytes: 0,
    vorbis: undefined,
  }
}

function secondsOf(stream: Stream | undefined): number {
  if (stream?.codec === 'opus') return stream.samples / OPUS_RATE
  return stream?.vorbis === undefined ? 0 : stream.samples / stream.vorbis.samplesPerS
}

/** A packet is cut into pieces of 255 bytes; a shorter one ends it. Returns where the page ends. */
function readPage(bytes: Buffer, page: number, stream: Stream | undefined): number {
  const table = page + HEAD_BYTES
  const pieces = Math.min(bytes[page + 26]!, bytes.length - table)
  let continued = (bytes[page + 5]! & CONTINUED) !== 0
  let at = table + pieces
  let start = at
  for (let piece = 0; piece < pieces; piece++) {
    const size = bytes[table + piece]!
    at += size
    if (size === 255 && piece < pieces - 1) continue
    if (stream !== undefined) {
      readPacket(bytes, { start, end: Math.min(at, bytes.length), continued }, stream)
    }
    continued = false
    start = at
  }
  return Math.min(at, bytes.length)
}

type Packet = { start: number; end: number; continued: boolean }

function readPacket(bytes: Buffer, { start, end, continued }: Packet, stream: Stream): void {
  if (!continued) stream.packets += 1
  if (stream.codec === 'vorbis' && stream.packets <= 3) {
    return keepHeader(bytes.subarray(start, end), stream)
  }
  if (continued || start >= end) return
  if (stream.codec === 'opus') {
    if (stream.packets > 2) stream.samples += opusSamples(bytes, start, end)
    return
  }
  stream.vorbis ??= vorbisStream(headerOf(stream, 0), headerOf(stream, 2))
  stream.samples += stream.vorbis?.samplesOf(bytes[start]!) ?? 0
}

function keepHeader(piece: Buffer, stream: Stream): void {
  stream.headerBytes += piece.length
  if (stream.headerBytes > MOST_HEADER_BYTES) return
  const header = (stream.headers[Math.max(0, stream.packets - 1)] ??= [])
  header.push(piece)
}

function headerOf({ headers }: Stream, index: number): Buffer {
  return Buffer.concat(headers[index] ?? [])
}
