import type { Fields } from '../../lib/json.ts'

/**
 * The chunks of a stream differ in little but their text. Once one is parsed and written, the text
 * of chunks that are equal before and after it is copied into what we wrote: 0.8 instead of 4 µs a
 * chunk.
 */
export class ChunkTemplate {
  #theirs: Frame | undefined
  #ours: Frame | undefined
  #learnt = 0

  /** The chunk as we write it, and the bytes of its text; undefined if it differs elsewhere. */
  fill(data: string): { text: string; bytes: number } | undefined {
    const [theirs, ours] = [this.#theirs, this.#ours]
    if (theirs === undefined || ours === undefined) return undefined
    const end = data.length - theirs.after.length
    if (end < theirs.before.length) return undefined
    // Slices compare as memory; `startsWith` and `endsWith` by character.
    if (data.slice(end) !== theirs.after) return undefined
    if (data.slice(0, theirs.before.length) !== theirs.before) return undefined
    const piece = data.slice(theirs.before.length, end)
    const bytes = bytesOf(piece)
    return bytes === undefined ? undefined : { text: ours.before + piece + ours.after, bytes }
  }

  /** `chunk` is what we make of `data`, `delta` its only delta. */
  learn(data: string, chunk: Fields, delta: Fields): void {
    if (this.#learnt === MOST_LEARNT || data.length > LONGEST_LEARNT) return
    this.#learnt += 1
    const theirs = frameOf(data, delta.content as string)
    const ours = writtenFrame(chunk, delta)
    // Checked by parsing with another text.
    const fits = theirs !== undefined && contentIn(theirs.before + MARK + theirs.after) === MARK
    this.#theirs = fits ? theirs : undefined
    this.#ours = ours
  }
}

type Frame = { before: string; after: string }

/** Some upstreams change something else in every chunk: then this stops trying. */
const MOST_LEARNT = 8
const LONGEST_LEARNT = 16_384
const MARK = 'the text of this chunk'

/** No quote, backslash or control character: the inside of one JSON string. */
const PLAIN = /^[ !\x23-\x5b\x5d-\u{10ffff}]*$/u

/** Undefined if the piece would end the string. */
function bytesOf(piece: string): number | undefined {
  if (PLAIN.test(piece)) return Buffer.byteLength(piece)
  try {
    return Buffer.byteLength(JSON.parse(`"${piece}"`) as string)
  } catch {
    // Not the inside of one string.
    return undefined
  }
}

function frameOf(data: string, content: string): Frame | undefined {
  const quoted = JSON.stringify(content)
  for (const name of ['"content":', '"content": ']) {
    const at = data.indexOf(name + quoted)
    if (at < 0) continue
    const start = at + name.length + 1
    const end = start + quoted.length - 2
    return { before: data.slice(0, start), after: data.slice(end) }
  }
  return undefined
}

function contentIn(data: string): unknown {
  const chunk = JSON.parse(data) as { choices: { delta?: Fields }[] }
  return chunk.choices[0]?.delta?.content
}

function writtenFrame(chunk: Fields, delta: Fields): Frame | undefined {
  const { content } = delta
  delta.content = MARK
  const parts = JSON.stringify(chunk).split(MARK)
  delta.content = content
  return parts.length === 2 ? { before: parts[0]!, after: parts[1]! } : undefined
}
