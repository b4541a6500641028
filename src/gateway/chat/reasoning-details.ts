import { fieldsOf, textOf, type Fields } from '../../lib/fields.ts'

/*
 * `reasoning_details` in OpenRouter's shape: `reasoning.text` with a signature, `reasoning.summary`,
 * `reasoning.encrypted`. Some models refuse a later request without them.
 */

/** Joins pieces of one detail that came in several chunks. */
export function addDetails(to: Fields[], more: readonly Fields[]): void {
  for (const piece of more) {
    const last = to.at(-1)
    if (last !== undefined && continues(last, piece)) append(last, piece)
    else to.push({ ...piece })
  }
}

/** What of it people may read. */
export function detailsText(details: readonly Fields[]): string {
  return details.map((one) => textOf(one.text) ?? textOf(one.summary) ?? '').join('')
}

/** What a signed call of Gemini's must come back with, as a detail. */
export function callSignature(call: Fields, id: string): Fields | undefined {
  const data = textOf(fieldsOf(fieldsOf(call.extra_content).google).thought_signature)
  return data === undefined
    ? undefined
    : { type: 'reasoning.encrypted', data, id, format: GEMINI_FORMAT }
}

/** Of these models a detail belongs to a call and bears its id; that of others names itself. */
export function withCallId(detail: Fields, ourId: (theirs: string) => string): Fields {
  if (detail.format !== GEMINI_FORMAT || detail.type !== 'reasoning.encrypted') return detail
  return typeof detail.id === 'string' ? { ...detail, id: ourId(detail.id) } : detail
}

const GEMINI_FORMAT = 'google-gemini-v1'

function continues(known: Fields, piece: Fields): boolean {
  if (known.type !== piece.type || known.index !== piece.index) return false
  if (piece.type === 'reasoning.text') return typeof known.signature !== 'string'
  return piece.type === 'reasoning.summary'
}

function append(open: Fields, piece: Fields): void {
  for (const name of ['text', 'summary']) {
    if (typeof piece[name] === 'string') open[name] = (textOf(open[name]) ?? '') + piece[name]
  }
  if (typeof piece.signature === 'string') open.signature = piece.signature
}
