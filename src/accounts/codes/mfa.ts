import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { seal, unseal } from '../../lib/secrets.ts'
import type { Account, MfaMethod } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { base32, newTotpSecret, totpStep, totpUri } from '../credentials/totp.ts'
import type { Identifier } from '../identifiers.ts'
import { codeExpired, codeWrong } from './codes.ts'
import { confirmTotp, offerTotp, setMfa, spendTotpStep } from './mfa-store.ts'
import { clearTries, enrolmentTries } from './throttle.ts'

/** Where an account's login codes go; undefined for an authenticator app or none at all. */
export function mfaAddress(account: Account): Identifier | undefined {
  const { mfaMethod, email, loginPhone } = account
  if (mfaMethod === 'email' && email !== null) return { channel: 'email', value: email }
  if (mfaMethod === 'phone' && loginPhone !== null) return { channel: 'phone', value: loginPhone }
  return undefined
}

/** Judges an authenticator's code, which works once. The challenge has counted the try already. */
export async function spendTotp(
  accounts: Accounts,
  accountId: string,
  code: string,
): Promise<void> {
  const account = await findAccount(accounts.db, accountId)
  if (!account?.totpSealed) throw codeExpired()
  const secret = unseal(accounts.keys.sealing, account.totpSealed, accountId)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined || !(await spendTotpStep(accounts.db, accountId, step))) throw codeWrong()
}

export type MfaChange = { mfaMethod?: MfaMethod | undefined; totpCode?: string | undefined }

/** Shown once, when the enrolment of an authenticator app begins. */
export type TotpEnrolment = { secret: string; uri: string }

/** An authenticator takes effect with its first right code; until then the old method stays. */
export async function changeMfa(
  accounts: Accounts,
  tx: Tx,
  { account, change }: { account: Account; change: MfaChange },
): Promise<TotpEnrolment | undefined> {
  const { mfaMethod, totpCode } = change
  if (totpCode !== undefined) {
    if (mfaMethod !== undefined && mfaMethod !== 'totp') {
      throw invalidField('totp_code', 'can be sent only when mfa_method is totp')
    }
    await finishEnrolment(accounts, tx, { account, code: totpCode })
    return undefined
  }
  if (mfaMethod === undefined) return undefined
  if (mfaMethod === 'totp') return beginEnrolment(accounts, tx, account)
  requireVerified(account, mfaMethod)
  await setMfa(tx, account.id, mfaMethod)
  return undefined
}

async function beginEnrolment(
  accounts: Accounts,
  tx: Tx,
  account: Account,
): Promise<TotpEnrolment> {
  const secret = newTotpSecret()
  await offerTotp(tx, account.id, seal(accounts.keys.sealing, secret, account.id))
  const name = account.email ?? account.phoneNumber ?? account.fullName
  return { secret: base32(secret), uri: totpUri(secret, name) }
}

async function finishEnrolment(
  accounts: Accounts,
  tx: Tx,
  { account, code }: { account: Account; code: string },
): Promise<void> {
  if (!account.totpPendingSealed) {
    throw invalidField('totp_code', 'is not expected yet; first set mfa_method to totp')
  }
  const secret = unseal(accounts.keys.sealing, account.totpPendingSealed, account.id)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined) throw codeWrong()
  await confirmTotp(tx, account.id, step)
  await clearTries(tx, enrolmentTries(account.id))
}

/** Login codes must reach the owner, who could not sign in again otherwise. */
function requireVerified(account: Account, method: 'none' | 'email' | 'phone'): void {
  if (method === 'email' && !account.emailVerified) {
    throw invalidField(
      'mfa_method',
      'can be email only once the email address of the account is verified',
    )
  }
  if (method === 'phone' && !account.phoneVerified) {
    throw invalidField(
      'mfa_method',
      'can be phone only once the phone number of the account is verified',
    )
  }
}
