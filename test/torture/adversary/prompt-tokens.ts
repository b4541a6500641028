/** The tokens that a strict upstream counts in a body: every text in it, in whatever field. */
export function promptTokens(value: unknown): number {
  if (typeof value === 'string') return value.startsWith('data:') ? fileTokens(value) : dense(value)
  if (typeof value !== 'object' || value === null) return 1
  let tokens = 0
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value)) tokens += dense(name)
    tokens += promptTokens(item)
  }
  return tokens
}

const LETTERS_PER_TOKEN = 4

/** Words are cheap; digits, signs and what is not ASCII take a token for each byte. */
export function dense(text: string): number {
  let letters = 0
  let others = 0
  for (const byte of Buffer.from(text)) {
    if ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x20) {
      letters += 1
    } else others += 1
  }
  return Math.ceil(letters / LETTERS_PER_TOKEN) + others
}

const BYTES_PER_PAGE = 150_000
const TOKENS_PER_PAGE = 1_500

/** By what it holds, not by what it claims: a scanned page is no larger than this. */
function fileTokens(dataUri: string): number {
  const bytes = (dataUri.length - dataUri.indexOf(',')) * 0.75
  return Math.ceil(bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE
}
