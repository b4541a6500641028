import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import { invalidField } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import { hmacSha256 } from '../lib/secrets.ts'

export type Identifier = { channel: 'email' | 'phone'; value: string }

/** What a person types to say who they are. Lenient: `0712…` is read as a Tanzanian number. */
export function readIdentifier(text: string): Identifier | undefined {
  if (text.includes('@')) {
    const email = readEmail(text)
    return email === undefined ? undefined : { channel: 'email', value: email }
  }
  const phone = readPhone(text.trim()) ?? readPhone(localToE164(text.trim()))
  return phone === undefined ? undefined : { channel: 'phone', value: phone }
}

/** Who answers a challenge: what was typed at the login, or the id of an account. */
export function readChallenged(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : readIdentifier(text)?.value
}

/** Says only that the shape is wrong, which tells nobody whether an account exists. */
export function requireIdentifier(text: string): Identifier {
  const identifier = readIdentifier(text)
  if (identifier) return identifier
  throw invalidField('identifier', 'must be an email address or a phone number')
}

/** Lowercase everywhere: two spellings of one address are one account. */
export function readEmail(text: string): string | undefined {
  if (text.length > LONGEST_TYPED) return undefined
  const parsed = email.safeParse(text.trim().toLowerCase())
  return parsed.success ? parsed.data : undefined
}

/** Strict E.164 of a number that can receive an SMS. */
export function readPhone(text: string): string | undefined {
  if (!/^\+[1-9]\d{6,14}$/.test(text)) return undefined
  const phone = parsePhoneNumberFromString(text)
  if (!phone?.isValid()) return undefined
  return MOBILE.has(phone.getType() ?? '') ? phone.number : undefined
}

/** Enough for the owner to recognise it, too little for anyone else. */
export function masked({ channel, value }: Identifier): string {
  if (channel === 'phone') return `${value.slice(0, 4)}***${value.slice(-3)}`
  const at = value.lastIndexOf('@')
  return `${value.slice(0, 1)}***${value.slice(at)}`
}

/** How tables refer to an identifier without storing it. */
export function subjectOf(key: Buffer, value: string): Buffer {
  return hmacSha256(key, value)
}

const email = z.email().max(254)
/** With spaces around it. Checked before any pattern is applied. */
const LONGEST_TYPED = 320
const MOBILE = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE'])

function localToE164(text: string): string {
  if (/^0\d{9}$/.test(text)) return `+255${text.slice(1)}`
  return /^255\d{9}$/.test(text) ? `+${text}` : text
}
