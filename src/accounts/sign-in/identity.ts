import { readEmail, readPhone } from '../identifiers.ts'

/** Somebody whom another service vouches for. Email and phone stand here only when it proved them. */
export type OutsideIdentity = {
  /** With `subject` the name of the identity, for ever. */
  issuer: string
  subject: string
  /** For people: `Google`, `GitHub`. */
  provider: string
  email?: string
  phone?: string
  name: string
  avatarUrl?: string
}

export type Claims = {
  email?: unknown
  emailVerified?: unknown
  phone?: unknown
  phoneVerified?: unknown
  /** The first that is a usable name counts. */
  names: unknown[]
  picture?: unknown
}

/** Only the boolean `true` proves: a missing or odd flag is a no. */
export function readIdentity(
  who: { issuer: string; subject: string; provider: string },
  claims: Claims,
): OutsideIdentity {
  const email = claims.emailVerified === true ? text(claims.email) : undefined
  const phone = claims.phoneVerified === true ? text(claims.phone) : undefined
  const knownEmail = email === undefined ? undefined : readEmail(email)
  const knownPhone = phone === undefined ? undefined : readPhone(phone)
  const avatarUrl = webAddress(claims.picture)
  return {
    ...who,
    ...(knownEmail === undefined ? {} : { email: knownEmail }),
    ...(knownPhone === undefined ? {} : { phone: knownPhone }),
    name: [...claims.names, knownEmail?.split('@')[0]].map(nameOf).find(Boolean) ?? 'Mlango',
    ...(avatarUrl === undefined ? {} : { avatarUrl }),
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** One line of at most 120 characters, as for people who register. */
function nameOf(value: unknown): string {
  const line = (text(value) ?? '').replaceAll(/\p{Cc}+/gu, ' ').trim()
  // Cut in the middle of a pair, the half is replaced.
  return line.slice(0, 120).toWellFormed()
}

function webAddress(value: unknown): string | undefined {
  const address = text(value)
  if (address === undefined || address.length > 2048 || !URL.canParse(address)) return undefined
  return new URL(address).protocol === 'https:' ? address : undefined
}
