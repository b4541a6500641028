import { Failure, invalidField } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Accounts } from '../accounts.ts'
import type { Account } from '../account.ts'
import { findHolder, insertAccount, lockIdentifier, setProfile } from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Device } from '../codes/asker.ts'
import { ownRegistration } from '../codes/registrations.ts'
import { codeRequest, requireSendCode, VERIFY_PURPOSE } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S } from '../codes/codes-store.ts'
import { requireReachable } from '../codes/sms-codes.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import type { Identifier } from '../identifiers.ts'

export type Registration = {
  fullName: string
  email?: string | undefined
  phoneNumber?: string | undefined
  password: string
  /** In which messages are written; Kiswahili when nothing is known. */
  locale?: 'sw' | 'en' | undefined
}

export type PendingView = {
  pending_verification: true
  identifier: string
  channel: 'email' | 'phone'
  purpose: 'verify_email' | 'verify_phone'
  expires_in: number
  resend_after: number
}

/**
 * A pending account and its code. Of two identifiers the email address is verified first. It stands
 * beside what others have registered with the same address; only whoever registered before, and has
 * the same password now, goes on with the same registration.
 */
export async function register(
  accounts: Accounts,
  registration: Registration,
  device: Device,
): Promise<PendingView> {
  const { phoneNumber } = registration
  if (phoneNumber !== undefined) requireReachable(accounts, phoneNumber)
  const claims = claimsOf(registration)
  const [first] = claims
  if (!first) throw invalidField('email', 'or phone_number must be sent')
  const values = claims.map((claim) => claim.value)
  checkNewPassword(registration.password, values, 'password')
  for (const claim of claims) if (await findHolder(accounts.db, claim)) throw taken(claim)
  const purpose = VERIFY_PURPOSE[first.channel]
  const request = codeRequest(accounts, first, purpose)
  const asker = await askerOf(accounts, accounts.db, device)
  const own = await ownRegistration(accounts.db, request, asker)
  const again = own && (await isSame(accounts, own, registration)) ? own : undefined
  const passwordHash = again ? undefined : await accounts.passwords.hash(registration.password)
  await accounts.db.begin(async (tx) => {
    for (const value of [...values].sort()) await lockIdentifier(tx, value)
    for (const claim of claims) if (await findHolder(tx, claim)) throw taken(claim)
    if (again) await setProfile(tx, again.id, registration)
    const account =
      again ?? (await insertAccount(tx, { id: uuidv7(), ...registration, passwordHash }))
    await requireSendCode(accounts, tx, { request, asker, account, to: first.value })
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

async function isSame(
  { passwords }: Pick<Accounts, 'passwords'>,
  own: Account,
  { email, phoneNumber, password }: Registration,
): Promise<boolean> {
  if (own.email !== (email ?? null) || own.phoneNumber !== (phoneNumber ?? null)) return false
  return passwords.verify(own.passwordHash, password)
}

function claimsOf({ email, phoneNumber }: Registration): Identifier[] {
  const claims: Identifier[] = []
  if (email !== undefined) claims.push({ channel: 'email', value: email })
  if (phoneNumber !== undefined) claims.push({ channel: 'phone', value: phoneNumber })
  return claims
}

function taken({ channel }: Identifier): Failure {
  const param = channel === 'email' ? 'email' : 'phone_number'
  return new Failure('conflict', `${param} already belongs to an account.`, { param })
}
