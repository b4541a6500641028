import { isFields, type Fields } from '../../lib/fields.ts'
import { parseRequestJson } from '../../lib/json.ts'

/*
 * Other dialects have one opaque text that their clients send back as they got it (the signature of
 * a thinking block, the encrypted content of a reasoning). In it travels what the model wants to see
 * of its reasoning again. It is no secret and no proof: whatever it holds could be sent in a chat.
 */

const MARK = 'mlg1.'

export function carrierOf(model: string, details: readonly Fields[]): string {
  return MARK + Buffer.from(JSON.stringify([model, details])).toString('base64url')
}

/** Ours, and so of no use to an upstream. */
export function isCarrier(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(MARK)
}

/** What it carries; nothing if it is of another model, or not as we wrote it. */
export function carriedDetails(text: unknown, model: string): Fields[] {
  if (!isCarrier(text)) return []
  let carried: unknown
  try {
    carried = parseRequestJson(Buffer.from(text.slice(MARK.length), 'base64url'), {
      stored: false,
    })
  } catch {
    // Cut or changed on its way. The model does without.
    return []
  }
  if (!Array.isArray(carried) || carried[0] !== model || !Array.isArray(carried[1])) return []
  return carried[1].filter(isFields)
}
