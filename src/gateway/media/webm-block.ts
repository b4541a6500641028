import { readVint } from './ebml.ts'

type Frame = { start: number; end: number }

/** A block may hold several frames; `at` is the byte that says how their sizes are written. */
export function lacedFrames(bytes: Buffer, at: number, end: number): Frame[] {
  const lacing = (bytes[at]! >> 1) & 3
  if (lacing === 0 || at + 2 > end) return [{ start: at + 1, end }]
  const count = bytes[at + 1]! + 1
  if (lacing === 2) return evenFrames(at + 2, end, count)
  const read = lacing === 1 ? xiphSizes : ebmlSizes
  const { sizes, start } = read(bytes, at + 2, end, count - 1)
  return framesOf(sizes, start, end)
}

function evenFrames(start: number, end: number, count: number): Frame[] {
  const size = Math.floor((end - start) / count)
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * size,
    end: start + (i + 1) * size,
  }))
}

/** The last one takes what is left. */
function framesOf(sizes: number[], start: number, end: number): Frame[] {
  const frames: Frame[] = []
  let at = start
  for (const size of sizes) {
    if (size < 0 || at + size > end) break
    frames.push({ start: at, end: at + size })
    at += size
  }
  return at < end ? [...frames, { start: at, end }] : frames
}

type Sizes = { sizes: number[]; start: number }

function xiphSizes(bytes: Buffer, at: number, end: number, count: number): Sizes {
  const sizes: number[] = []
  while (sizes.length < count && at < end) {
    let size = 0
    while (at < end && bytes[at] === 255) size += bytes[at++]!
    sizes.push(size + (bytes[at++] ?? 0))
  }
  return { sizes, start: at }
}

/** The first size, then what each differs from the one before. */
function ebmlSizes(bytes: Buffer, at: number, end: number, count: number): Sizes {
  const sizes: number[] = []
  let size = 0
  while (sizes.length < count) {
    const next = readVint(bytes, at, end)
    if (next === undefined) break
    const value = next.value ?? 2 ** (7 * (next.start - at)) - 1
    size = sizes.length === 0 ? value : size + value - (2 ** (7 * (next.start - at) - 1) - 1)
    sizes.push(size)
    at = next.start
  }
  return { sizes, start: at }
}
