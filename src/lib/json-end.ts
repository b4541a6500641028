/** Finds the end of a JSON object that comes in pieces, reading each character once. */
export class JsonEnd {
  reached = false
  blank = true
  #depth = 0
  #quoted = false
  #escaped = false

  /** It has begun, and its end has not come. */
  get half(): boolean {
    return this.#depth > 0 || this.#quoted
  }

  read(text: string): void {
    if (this.blank && text.trim() !== '') this.blank = false
    for (let at = 0; at < text.length; at++) this.#readOne(text.charCodeAt(at))
  }

  #readOne(letter: number): void {
    if (this.#escaped) this.#escaped = false
    else if (this.#quoted && letter === BACKSLASH) this.#escaped = true
    else if (letter === QUOTE) this.#quoted = !this.#quoted
    else if (this.#quoted) return
    else if (letter === OPEN_OBJECT || letter === OPEN_ARRAY) this.#depth += 1
    else if (letter === CLOSE_OBJECT || letter === CLOSE_ARRAY) {
      this.#depth -= 1
      if (this.#depth === 0) this.reached = true
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
