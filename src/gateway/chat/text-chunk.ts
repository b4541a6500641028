import type { Fields } from '../../lib/fields.ts'

/**
 * Most chunks of a stream differ in nothing but their piece of text. Once one of them was parsed, the
 * text of those that are the same before and after it is cut out, and the rest is not looked at.
 */
export class TextChunk {
  #before = ''
  #after = ''
  #learnt = 0

  /** The text of a chunk that says nothing else; undefined if it is not like the last one. */
  textOf(chunk: string): string | undefined {
    if (this.#before === '') return undefined
    const start = this.#before.length
    const end = chunk.length - this.#after.length
    if (end < start || chunk.slice(end) !== this.#after) return undefined
    if (chunk.slice(0, start) !== this.#before) return undefined
    return unquoted(chunk.slice(start, end))
  }

  /** From a chunk that was parsed: `text` is all that it says. */
  learn(chunk: string, text: string): void {
    if (this.#learnt === MOST_LEARNT || chunk.length > LONGEST_LEARNT) return
    this.#learnt += 1
    const quoted = JSON.stringify(text)
    const at = chunk.indexOf(NAME + quoted)
    const start = at + NAME.length + 1
    const [before, after] = [chunk.slice(0, start), chunk.slice(start + quoted.length - 2)]
    // Parsed once more with another text, so that nothing rests on where the text was found.
    const fits = at >= 0 && contentIn(before + MARK + after) === MARK
    this.#before = fits ? before : ''
    this.#after = fits ? after : ''
  }
}

const NAME = '"content":'
const MARK = 'the text of this chunk'
/** Some upstreams put something new into every chunk; with them it is not worth trying for long. */
const MOST_LEARNT = 8
const LONGEST_LEARNT = 16_384

/** Neither quote, backslash nor control character: then it is the inside of one JSON string. */
const PLAIN = /^[ !\x23-\x5b\x5d-\u{10ffff}]*$/u

function unquoted(piece: string): string | undefined {
  if (PLAIN.test(piece)) return piece
  try {
    return JSON.parse(`"${piece}"`) as string
  } catch {
    // Not the inside of one string: the chunk has something else in this place.
    return undefined
  }
}

function contentIn(chunk: string): unknown {
  const { choices } = JSON.parse(chunk) as { choices: { delta?: Fields }[] }
  return choices[0]?.delta?.content
}
