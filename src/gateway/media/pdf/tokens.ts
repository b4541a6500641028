/** What PDF is written in. A `[`, `]`, `<<` or `>>` is its own kind. */
export type TokenKind = 'number' | 'name' | 'word' | 'string' | '[' | ']' | '<<' | '>>'

const [SPACE, DELIMITER, DIGIT, REGULAR] = [0, 1, 2, 3]
const KINDS = new Uint8Array(256).fill(REGULAR)
for (const code of [0, 9, 10, 12, 13, 32]) KINDS[code] = SPACE
for (const sign of '()<>[]{}/%') KINDS[sign.charCodeAt(0)] = DELIMITER
for (const sign of '0123456789+-.') KINDS[sign.charCodeAt(0)] = DIGIT

const HEX = new Uint8Array(256)
for (const sign of '0123456789abcdefABCDEF') HEX[sign.charCodeAt(0)] = 1

const code = (sign: string) => sign.charCodeAt(0)
const [OPEN, CLOSE, ESCAPE, COMMENT, SLASH] = ['(', ')', '\\', '%', '/'].map(code)
const [LESS, GREATER, BRACKET, END_BRACKET] = ['<', '>', '[', ']'].map(code)

/** Goes forward over any bytes, also such as are no PDF: each token takes at least one. */
export class PdfTokens {
  readonly bytes: Buffer
  readonly #end: number
  /** Where the last token began, and where it ended. */
  start = 0
  at: number
  /** Of a string, without its brackets; two hexadecimal digits are one. */
  size = 0

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.#end = end
    this.at = at
  }

  next(): TokenKind | undefined {
    this.#skip()
    const { bytes, at } = this
    this.start = at
    if (at >= this.#end) return undefined
    const first = bytes[at]!
    this.at += 1
    if (KINDS[first] === DIGIT) return this.#run('number', DIGIT)
    if (KINDS[first] === REGULAR) return this.#run('word', DIGIT, REGULAR)
    if (first === SLASH) return this.#run('name', DIGIT, REGULAR)
    if (first === OPEN) return this.#literal()
    if (first === BRACKET) return '['
    if (first === END_BRACKET) return ']'
    if (first === LESS) return bytes[at + 1] === LESS ? this.#two('<<') : this.#hexadecimal()
    return first === GREATER && bytes[at + 1] === GREATER ? this.#two('>>') : 'word'
  }

  /** A name without its slash; signs may be written as `#` and two digits. */
  get text(): string {
    const from = this.bytes[this.start] === SLASH ? this.start + 1 : this.start
    const text = this.bytes.toString('latin1', from, Math.min(this.at, from + LONGEST_NAME))
    if (!text.includes('#')) return text
    return text.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }

  #two(kind: '<<' | '>>'): TokenKind {
    this.at += 1
    return kind
  }

  #run(kind: TokenKind, ...kinds: number[]): TokenKind {
    const [one, other = one] = kinds
    let at = this.at
    while (at < this.#end && (KINDS[this.bytes[at]!] === one || KINDS[this.bytes[at]!] === other)) {
      at += 1
    }
    this.at = at
    return kind
  }

  #skip(): void {
    let at = this.at
    while (at < this.#end) {
      const byte = this.bytes[at]!
      if (byte === COMMENT) while (at < this.#end && !isLineEnd(this.bytes[at]!)) at += 1
      else if (KINDS[byte] === SPACE) at += 1
      else break
    }
    this.at = at
  }

  /** Brackets within are balanced, unless escaped. */
  #literal(): TokenKind {
    let depth = 1
    let at = this.at
    for (; at < this.#end && depth > 0; at += 1) {
      const byte = this.bytes[at]!
      if (byte === ESCAPE) at += 1
      else if (byte === OPEN) depth += 1
      else if (byte === CLOSE) depth -= 1
    }
    this.at = Math.min(at, this.#end)
    this.size = this.at - this.start - (depth === 0 ? 2 : 1)
    return 'string'
  }

  /** Without an end, or with other signs in between, it is no string. */
  #hexadecimal(): TokenKind {
    let digits = 0
    let at = this.at
    for (; at < this.#end && this.bytes[at] !== GREATER; at += 1) {
      const byte = this.bytes[at]!
      if (HEX[byte] === 1) digits += 1
      else if (KINDS[byte] !== SPACE) return 'word'
    }
    this.at = Math.min(at + 1, this.#end)
    this.size = Math.ceil(digits / 2)
    return 'string'
  }
}

const LONGEST_NAME = 64

function isLineEnd(byte: number): boolean {
  return byte === 10 || byte === 13
}
