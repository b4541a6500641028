import { Failure } from '../../lib/failure.ts'
import { isStorable } from '../../lib/storable.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { readEmail, readPhone } from '../identifiers.ts'

/** A person as another service knows them. Email and phone are set only if it verified them. */
export type ExternalIdentity = {
  /** Issuer and subject name the identity for ever. */
  issuer: string
  subject: string
  /** For people to read: `Google`, `GitHub`. */
  provider: string
  email?: string | undefined
  phone?: string | undefined
  name: string
  avatarUrl?: string | undefined
}

export type IdentityClaims = {
  email?: unknown
  emailVerified?: unknown
  phone?: unknown
  phoneVerified?: unknown
  /** The first usable one becomes the name. */
  names: unknown[]
  picture?: unknown
}

/** Only the boolean `true` counts as verified; a missing or odd flag does not. */
export function readIdentity(
  who: { issuer: string; subject: string; provider: string },
  claims: IdentityClaims,
): ExternalIdentity {
  if (!isStorable(who.subject)) throw new Failure('unauthorized', 'The token is not valid.')
  const email = claims.emailVerified === true ? nonEmpty(claims.email) : undefined
  const phone = claims.phoneVerified === true ? nonEmpty(claims.phone) : undefined
  const validEmail = email === undefined ? undefined : readEmail(email)
  return {
    ...who,
    email: validEmail,
    phone: phone === undefined ? undefined : readPhone(phone),
    name: [...claims.names, validEmail?.split('@')[0]].map(nameOf).find(Boolean) ?? 'Mlango',
    avatarUrl: webAddress(claims.picture),
  }
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** One line of at most 120 characters, as for people who register. */
function nameOf(value: unknown): string {
  const line = (nonEmpty(value) ?? '').slice(0, 1_000).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  // The cut may fall within a surrogate pair: the half that is left is replaced.
  return visibleText(line).trim().slice(0, 120).toWellFormed()
}

function webAddress(value: unknown): string | undefined {
  const address = nonEmpty(value)
  if (address === undefined || address.length > 2048 || !isStorable(address)) return undefined
  return URL.parse(address)?.protocol === 'https:' ? address : undefined
}
