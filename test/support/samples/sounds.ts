/** Small recordings made in code, one of every format, each of a known length. */
import { mp3, wav } from '../../../simulator/models/sound.ts'

const words = 'Habari, naitwa Neema Mushi.'

const ascii = (text: string) => Buffer.from(text, 'latin1')
const u32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])

function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(body.length + 8), ascii(name), body])
}

const handler = (kind: string) =>
  box('hdlr', u32(0), u32(0), ascii(kind), Buffer.alloc(12), ascii('x\0'))
const track = (kind: string) => box('trak', box('mdia', handler(kind)))

/** `moovLast`: as recorders write it, after the sound. */
export function mp4(brand: string, kinds: string[], moovLast = false): Buffer {
  const header = box('mvhd', u32(0), u32(0), u32(0), u32(1_000), u32(2_500), Buffer.alloc(80))
  const moov = box('moov', header, ...kinds.map(track))
  const mdat = box('mdat', ascii('hdlr....vide soun'), Buffer.alloc(64, 1))
  const ftyp = box('ftyp', ascii(brand), u32(0), ascii('isom'))
  return Buffer.concat(moovLast ? [ftyp, mdat, moov] : [ftyp, moov, mdat])
}

const element = (id: number[], content: Buffer) =>
  Buffer.concat([Buffer.from(id), Buffer.from([0x40, content.length]), content])

export function ebml(docType: string): Buffer {
  const header = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], ascii(docType)))
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(2_500)
  const info = element([0x15, 0x49, 0xa9, 0x66], element([0x44, 0x89], duration))
  return Buffer.concat([header, element([0x18, 0x53, 0x80, 0x67], info)])
}

export function flac(): Buffer {
  const info = Buffer.alloc(34)
  info.writeUIntBE((16_000 << 4) | 1, 10, 3)
  info[13] = 0xf0
  info.writeUInt32BE(40_000, 14)
  return Buffer.concat([ascii('fLaC'), Buffer.from([0x80, 0, 0, 34]), info])
}

function oggPage(granule: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(28)
  head.write('OggS', 'latin1')
  head.writeBigInt64LE(BigInt(granule), 6)
  head[26] = 1
  head[27] = packet.length
  return Buffer.concat([head, packet])
}

function ogg(): Buffer {
  const head = Buffer.concat([ascii('OpusHead'), Buffer.alloc(40)])
  return Buffer.concat([oggPage(0, head), oggPage(120_000, Buffer.alloc(100))])
}

/** 1,024 samples a frame at 16 kHz: 50 frames are 3.2 seconds. */
export function adts(frames = 50): Buffer {
  const frame = Buffer.alloc(107)
  frame.set([0xff, 0xf1, 0x60, 0x40, 107 >> 3, (107 & 7) << 5, 0])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

export function id3(bytes: Buffer): Buffer {
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 2, 0])
  return Buffer.concat([head, Buffer.alloc(256), bytes])
}

export function rf64(): Buffer {
  const bytes = Buffer.from(wav(words))
  bytes.write('RF64', 'latin1')
  return bytes
}

/** Bare frames, without the tag that the simulator puts before them. */
export function bareMp3(): Buffer {
  const tagged = mp3(words)
  return tagged.subarray(tagged.indexOf(Buffer.from([0xff, 0xf3])))
}

export const SOUNDS = {
  wav: wav(words),
  mp3: mp3(words),
  flac: flac(),
  m4a: mp4('M4A ', ['soun']),
  ogg: ogg(),
  webm: ebml('webm'),
  aac: adts(),
} as const
