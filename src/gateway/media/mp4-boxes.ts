/** A box of an ISO base media file (mp4, m4a). */
export type Box = { name: string; start: number; end: number }

/** In total: a video has some dozens before its index is read. */
const MOST_BOXES = 1_024

export type BoxReading = { bytes: Buffer; boxesLeft: number }

/** At least one sound track and no video track. */
export function isAudioOnly(bytes: Buffer): boolean {
  const reading = { bytes, boxesLeft: MOST_BOXES }
  const handlers = inside(reading, 'moov')
    .filter(({ name }) => name === 'trak')
    .flatMap((trak) => path(reading, trak, ['mdia', 'hdlr']))
    .map((hdlr) => bytes.toString('latin1', hdlr.start + 8, hdlr.start + 12))
  return handlers.includes('soun') && !handlers.includes('vide')
}

function inside(reading: BoxReading, name: string): Box[] {
  const file = { name: '', start: 0, end: reading.bytes.length }
  return path(reading, file, [name]).flatMap((box) => children(reading, box))
}

export function path(reading: BoxReading, from: Box, names: string[]): Box[] {
  return names.reduce(
    (boxes, name) => boxes.flatMap((box) => children(reading, box)).filter((b) => b.name === name),
    [from],
  )
}

/** Sizes are untrusted: each step goes forward within the parent, and steps are limited. */
export function children(reading: BoxReading, parent: Box): Box[] {
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
