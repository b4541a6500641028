import { fieldsOf, isFields, textOf, parseRequestJson, type Fields } from '../../lib/json.ts'

/**
 * `reasoning_details` as OpenRouter writes them; some models refuse a later request without them.
 * Joins the pieces of one detail that came in several chunks.
 */
export function addDetails(to: Fields[], more: readonly Fields[]): void {
  for (const piece of more) {
    const last = to.at(-1)
    if (last !== undefined && continues(last, piece)) append(last, piece)
    else to.push({ ...piece })
  }
}

/** The readable text. */
export function detailsText(details: readonly Fields[]): string {
  return details.map((one) => textOf(one.text) ?? textOf(one.summary) ?? '').join('')
}

/** The signature that Gemini wants back with a call, as a detail. */
export function callSignature(call: Fields, id: string): Fields | undefined {
  const data = textOf(fieldsOf(fieldsOf(call.extra_content).google).thought_signature)
  return data === undefined
    ? undefined
    : { type: 'reasoning.encrypted', data, id, format: GEMINI_FORMAT }
}

/** Gemini's details belong to a call and have its id. */
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

/*
 * Other dialects have one opaque text that clients send back unchanged (the signature of a thinking
 * block, the encrypted content of a reasoning item). It carries the reasoning details. It is
 * neither secret nor trusted: the same could be sent in a chat.
 */
const MARK = 'mlg1.'

export function carrierOf(model: string, details: readonly Fields[]): string {
  return MARK + Buffer.from(JSON.stringify([model, details])).toString('base64url')
}

export function isCarrier(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(MARK)
}

/** Empty if it belongs to another model or was changed. */
export function carriedDetails(text: unknown, model: string): Fields[] {
  if (!isCarrier(text)) return []
  let carried: unknown
  try {
    carried = parseRequestJson(Buffer.from(text.slice(MARK.length), 'base64url'), { stored: false })
  } catch {
    return []
  }
  if (!Array.isArray(carried) || carried[0] !== model || !Array.isArray(carried[1])) return []
  return carried[1].filter(isFields)
}
