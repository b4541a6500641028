/** A box of an ISO base media file (mp4, m4a). */
type Box = { name: string; start: number; end: number }

/** In total: a video has some dozens before its index is read. */
const MOST_BOXES = 1_024

type Reading = { bytes: Buffer; boxesLeft: number }

/** At least one sound track and no video track. */
export function isAudioOnly(bytes: Buffer): boolean {
  const reading = { bytes, boxesLeft: MOST_BOXES }
  const handlers = inside(reading, 'moov')
    .filter(({ name }) => name === 'trak')
    .flatMap((trak) => path(reading, trak, ['mdia', 'hdlr']))
    .map((hdlr) => bytes.toString('latin1', hdlr.start + 8, hdlr.start + 12))
  return handlers.includes('soun') && !handlers.includes('vide')
}

/** From the movie header; zero in fragmented files. */
export function mp4Seconds(bytes: Buffer): number | undefined {
  const reading = { bytes, boxesLeft: MOST_BOXES }
  const header = inside(reading, 'moov').find(({ name }) => name === 'mvhd')
  if (header === undefined || header.end - header.start < 32) return undefined
  const long = bytes[header.start] === 1
  const scale = bytes.readUInt32BE(header.start + (long ? 20 : 12))
  const length = long
    ? Number(bytes.readBigUInt64BE(header.start + 24))
    : bytes.readUInt32BE(header.start + 16)
  return scale === 0 || length === 0 ? undefined : length / scale
}

function inside(reading: Reading, name: string): Box[] {
  const file = { name: '', start: 0, end: reading.bytes.length }
  return path(reading, file, [name]).flatMap((box) => children(reading, box))
}

function path(reading: Reading, from: Box, names: string[]): Box[] {
  return names.reduce(
    (boxes, name) => boxes.flatMap((box) => children(reading, box)).filter((b) => b.name === name),
    [from],
  )
}

/** Sizes are untrusted: each step goes forward within the parent, and steps are limited. */
function children(reading: Reading, parent: Box): Box[] {
  const boxes: Box[] = []
  let at = parent.start
  while (at + 8 <= parent.end) {
    const box = reading.boxesLeft > 0 ? boxAt(reading.bytes, at, parent.end) : undefined
    if (box === undefined) break
    reading.boxesLeft -= 1
    boxes.push(box)
    at = box.end
  }
  return boxes
}

function boxAt(bytes: Buffer, at: number, limit: number): Box | undefined {
  const name = bytes.toString('latin1', at + 4, at + 8)
  let size = bytes.readUInt32BE(at)
  let head = 8
  if (size === 1) {
    if (at + 16 > limit) return undefined
    size = Number(bytes.readBigUInt64BE(at + 8))
    head = 16
  } else if (size === 0) size = limit - at
  if (size < head) return undefined
  return { name, start: at + head, end: Math.min(at + size, limit) }
}
