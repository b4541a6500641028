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
    context.addIssue('must be a mobile number in E.164 form, such as +255712345678')
    return z.NEVER
  })

export const identifierField = z.string().min(1).max(254)
export const codeField = z.string().regex(/^[0-9]{6}$/, 'must be six digits')
/** Bounds and rules are told by the room; this only keeps a megabyte from being looked at. */
export const passwordField = z.string().max(1024, 'must be 8 to 128 characters')

export const webAddressField = z
  .url({ protocol: /^https?$/, message: 'must be an http or https address' })
  .max(2048)

/** RFC 3339; `+99:99` has the form but is no time. */
export const momentField = z.iso
  .datetime({ offset: true, message: 'must be an RFC 3339 time' })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be an RFC 3339 time')
  .transform((text) => new Date(text))

export const stamp = z.iso.datetime()
