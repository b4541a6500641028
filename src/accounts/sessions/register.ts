import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Accounts } from '../accounts.ts'
import { dropPendingClaims, findOwner, insertAccount, lockIdentifier } from '../accounts-store.ts'
import { sendCode } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, coolDownLeft } from '../codes/codes-store.ts'
import { subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { checkNewPassword } from '../credentials/passwords.ts'

export type Registration = {
  fullName: string
  email?: string | undefined
  phoneNumber?: string | undefined
  password: string
}

export type PendingView = {
  pending_verification: true
  identifier: string
  channel: 'email' | 'phone'
  purpose: 'verify_email' | 'verify_phone'
  expires_in: number
  resend_after: number
}

/** A pending account and its code. With both identifiers the email is verified first. */
export async function register(accounts: Accounts, wish: Registration): Promise<PendingView> {
  const claims = claimsOf(wish)
  const [first] = claims
  if (!first) throw new Failure('invalid', 'email or phone_number is required.', { param: 'email' })
  const values = claims.map((claim) => claim.value)
  checkNewPassword(wish.password, values, 'password')
  for (const claim of claims) if (await findOwner(accounts.db, claim)) throw taken(claim)
  const passwordHash = await accounts.passwords.hash(wish.password)
  const purpose = PURPOSE[first.channel]
  const ask = {
    subject: subjectOf(accounts.keys.identifiers, first.value),
    purpose,
    channel: first.channel,
  }
  await accounts.db.begin(async (tx) => {
    for (const value of [...values].sort()) await lockIdentifier(tx, value)
    for (const claim of claims) if (await findOwner(tx, claim)) throw taken(claim)
    const account = await insertAccount(tx, { id: uuidv7(), ...wish, passwordHash })
    const sent = await sendCode(accounts, tx, { ask, account, to: first.value })
    if (!sent) throw tooSoon(await coolDownLeft(tx, ask.subject, purpose))
    await dropPendingClaims(tx, first, account.id)
  })
  return {
    pending_verification: true,
    identifier: first.value,
    channel: first.channel,
    purpose,
    expires_in: CODE_LIFE_S,
    resend_after: COOL_DOWN_S,
  }
}

export function tooSoon(leftS: number): Failure {
  return new Failure('rate_limited', 'A code was sent a moment ago. Wait before asking again.', {
    retryAfterS: Math.max(1, leftS),
  })
}

export const PURPOSE = { email: 'verify_email', phone: 'verify_phone' } as const

function claimsOf({ email, phoneNumber }: Registration): Identifier[] {
  const claims: Identifier[] = []
  if (email !== undefined) claims.push({ channel: 'email', value: email })
  if (phoneNumber !== undefined) claims.push({ channel: 'phone', value: phoneNumber })
  return claims
}

function taken({ channel }: Identifier): Failure {
  const param = channel === 'email' ? 'email' : 'phone_number'
  return new Failure('conflict', `${param} belongs to an account already.`, { param })
}
