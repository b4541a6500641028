import type { Fields } from '../../lib/fields.ts'

/**
 * The chunks of one stream differ in little but their piece of text. Once one of them has been read
 * and written in full, those that are the same before and after the text need neither: the text is
 * put between what we wrote before and after it. Whatever differs anywhere else does not fit.
 */
export class ChunkTemplate {
  #theirs: Frame | undefined
  #ours: Frame | undefined
  #learnt = 0

  /** The chunk as we write it, and the bytes of its text; undefined if it does not fit. */
  fill(data: string): { text: string; bytes: number } | undefined {
    const [theirs, ours] = [this.#theirs, this.#ours]
    if (theirs === undefined || ours === undefined) return undefined
    const end = data.length - theirs.after.length
    if (end < theirs.before.length) return undefined
    // Slices compare as blocks of memory; `startsWith` and `endsWith` go letter by letter.
    if (data.slice(end) !== theirs.after) return undefined
    if (data.slice(0, theirs.before.length) !== theirs.before) return undefined
    const piece = data.slice(theirs.before.length, end)
    const bytes = bytesOf(piece)
    return bytes === undefined ? undefined : { text: ours.before + piece + ours.after, bytes }
  }

  /** From a chunk that was read in full: `chunk` is what we make of `data`, `delta` its only one. */
  learn(data: string, chunk: Fields, delta: Fields): void {
    if (this.#learnt === MOST_LEARNT || data.length > LONGEST_LEARNT) return
    this.#learnt += 1
    const theirs = frameOf(data, delta.content as string)
    const ours = writtenFrame(chunk, delta)
    // Parsed once more with another text, so that nothing rests on where the text was found.
    const fits = theirs !== undefined && contentIn(theirs.before + MARK + theirs.after) === MARK
    this.#theirs = fits ? theirs : undefined
    this.#ours = ours
  }
}

type Frame = { before: string; after: string }

/** Some upstreams put something new into every chunk; with them it is not worth trying for long. */
const MOST_LEARNT = 8
const LONGEST_LEARNT = 16_384
const MARK = 'the text of this chunk'

/** Neither quote, backslash nor control character: then it is the inside of one JSON string. */
const PLAIN = /^[ !\x23-\x5b\x5d-\u{10ffff}]*$/u

/** The bytes that a piece of JSON text stands for; undefined if it would end the string. */
function bytesOf(piece: string): number | undefined {
  if (PLAIN.test(piece)) return Buffer.byteLength(piece)
  try {
    return Buffer.byteLength(JSON.parse(`"${piece}"`) as string)
  } catch {
    // Not the inside of one string: the chunk has something else in this place.
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
