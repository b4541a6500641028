import { z } from 'zod'
import { readEmail, readPhone } from '../accounts/identifiers.ts'

/** One line of text for people: trimmed, bounded, nothing that moves a cursor. */
export function line(low: number, high: number) {
  const size = `must be ${low} to ${high} characters`
  return z
    .string()
    .trim()
    .min(low, size)
    .max(high, size)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of text')
}

export const emailField = z
  .string()
  .max(320)
  .transform((text, context) => {
    const email = readEmail(text)
    if (email !== undefined) return email
    context.addIssue('must be an email address')
    return z.NEVER
  })

export const phoneField = z
  .string()
  .max(32)
  .transform((text, context) => {
    const phone = readPhone(text)
    if (phone !== undefined) return phone
    context.addIssue('must be a mobile number in international format, such as +255712345678')
    return z.NEVER
  })

export const identifierField = z.string().min(1).max(254)
export const codeField = z.string().regex(/^[0-9]{6}$/, 'must be six digits')
/** The rules are checked with the account; this only keeps a megabyte from being read. */
export const passwordField = z.string().max(1024, 'must be 8 to 128 characters')

export const webAddressField = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  .max(2048)

/** RFC 3339; `+99:99` has the form but is no time. */
export const momentField = z.iso
  .datetime({ offset: true, message: 'must be an RFC 3339 time, such as 2026-01-31T08:00:00Z' })
  .refine(
    (text) => !Number.isNaN(Date.parse(text)),
    'must be an RFC 3339 time, such as 2026-01-31T08:00:00Z',
  )
  .transform((text) => new Date(text))

export const stamp = z.iso.datetime()

/** A whole number in a query, which arrives as text. */
export const wholeField = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(low).max(high))

export const MAX_LIMIT = 200
/** Far beyond what people page through, near enough to answer at once. */
export const MAX_OFFSET = 1_000_000

/** `limit` and `offset` of every list: spread it into a query schema. */
export const pageQuery = {
  limit: wholeField(1, MAX_LIMIT).default(50),
  offset: wholeField(0, MAX_OFFSET).default(0),
}

/** The member beside `data` in every list. */
export function pagination(
  { limit, offset }: { limit: number; offset: number },
  { total, hasMore }: { total: number; hasMore: boolean },
) {
  return { pagination: { limit, offset, total, has_more: hasMore } }
}
