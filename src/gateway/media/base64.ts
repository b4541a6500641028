import { invalidField, type Failure } from '../../lib/failure.ts'

/**
 * Strict base64: standard alphabet, full padding, no data URI. The decoded size is checked before
 * decoding; `tooLarge` makes the route's failure.
 */
export function decodeBase64(
  base64: string,
  rules: { field: string; maxBytes: number; tooLarge(): Failure },
): Buffer {
  const { field } = rules
  if (base64.startsWith('data:')) throw invalidField(field, 'must be raw base64, not a data: URI')
  const text = /[\r\n]/.test(base64.slice(0, LINE_LENGTH)) ? joinLines(base64, field) : base64
  if (text === '') throw invalidField(field, 'must not be empty')
  const bytes = decodedSize(text, field)
  if (bytes > rules.maxBytes) throw rules.tooLarge()
  if (text.includes('-') || text.includes('_')) {
    throw invalidField(
      field,
      'must use the standard base64 alphabet (+ and /), not the URL-safe one',
    )
  }
  // The decoder skips invalid characters, so the length shows them; wide characters are compared
  // separately.
  const decoded = Buffer.from(text, 'base64')
  if (decoded.length !== bytes || Buffer.byteLength(text) !== text.length) {
    throw invalidField(field, 'contains characters that are not base64')
  }
  return decoded
}

/** Enough to see line breaks every 64 or 76 characters. */
const LINE_LENGTH = 128

/** Each line costs as much as a hundred characters: a break after every character took seconds. */
const SHORTEST_LINE = 32

function joinLines(base64: string, field: string): string {
  const most = Math.ceil(base64.length / SHORTEST_LINE) + 1
  const lines = base64.split('\n', most + 1)
  if (lines.length > most) {
    throw invalidField(field, `has lines of fewer than ${SHORTEST_LINE} characters`)
  }
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)).join('')
}

function decodedSize(text: string, field: string): number {
  const first = text.indexOf('=')
  const padding = first < 0 ? 0 : text.length - first
  if (text.length % 4 !== 0 || padding > 2 || (padding === 2 && !text.endsWith('=='))) {
    throw invalidField(field, 'is not base64: its length or its padding is wrong')
  }
  return (text.length / 4) * 3 - padding
}
