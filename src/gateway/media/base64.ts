import { Failure } from '../../lib/failure.ts'

/**
 * Strict base64 to bytes: the standard alphabet, whole padding, no data URI. What it decodes to is
 * measured before anything is decoded; `tooLarge` words the refusal of the route.
 */
export function decodeBase64(
  given: string,
  rules: { field: string; maxBytes: number; tooLarge(): Failure },
): Buffer {
  const { field } = rules
  if (given.startsWith('data:')) throw wrong(field, 'must be raw base64, not a data: URI')
  const text = /[\r\n]/.test(given.slice(0, LINE_LENGTH)) ? given.replaceAll(/\r?\n/g, '') : given
  if (text === '') throw wrong(field, 'must not be empty')
  const bytes = decodedSize(text, field)
  if (bytes > rules.maxBytes) throw rules.tooLarge()
  if (text.includes('-') || text.includes('_')) {
    throw wrong(field, 'must use the standard base64 alphabet (+ and /), not the URL-safe one')
  }
  // The decoder skips what is no base64, so the length tells; it reads wide characters as others.
  const decoded = Buffer.from(text, 'base64')
  if (decoded.length !== bytes || Buffer.byteLength(text) !== text.length) {
    throw wrong(field, 'contains characters that are not base64')
  }
  return decoded
}

/** What line breaks every 64 or 76 characters show up in. */
const LINE_LENGTH = 128

function decodedSize(text: string, field: string): number {
  const first = text.indexOf('=')
  const padding = first < 0 ? 0 : text.length - first
  if (text.length % 4 !== 0 || padding > 2 || (padding === 2 && !text.endsWith('=='))) {
    throw wrong(field, 'is not base64: its length or its padding is wrong')
  }
  return (text.length / 4) * 3 - padding
}

function wrong(field: string, why: string): Failure {
  return new Failure('invalid', `${field} ${why}.`, { param: field })
}
