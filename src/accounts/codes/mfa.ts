import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { seal, tryUnseal } from '../../lib/secrets.ts'
import type { Account, MfaMethod } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { base32, newTotpSecret, totpStep, totpUri } from '../credentials/totp.ts'
import type { Identifier } from '../identifiers.ts'
import type { OwnerProof } from '../owner-proof.ts'
import { tellOfChange } from './changes.ts'
import { codeExpired, codeWrong } from './codes.ts'
import { confirmTotp, offerTotp, setMfa, spendTotpStep } from './mfa-store.ts'
import { countPasskeys } from './passkeys-store.ts'
import { deleteRecoveryCodes } from './recovery-codes-store.ts'
import {
  firstRecoveryCodes,
  makeRecoveryCodes,
  RECOVERY_CODE,
  spendRecoveryCode,
} from './recovery-codes.ts'
import { requireReachable } from './sms-codes.ts'

/**
 * A second factor that is a device of its own: a code by SMS or email is not, since numbers and
 * mailboxes are stolen elsewhere.
 */
export async function hasStrongFactor(tx: Tx, { id, mfaMethod }: Account): Promise<boolean> {
  return mfaMethod === 'totp' || (await countPasskeys(tx, id)) > 0
}

/** Where an account's login codes go; undefined for an authenticator app or none at all. */
export function mfaAddress(account: Account): Identifier | undefined {
  const { mfaMethod, email, loginPhone } = account
  if (mfaMethod === 'email' && email !== null) return { channel: 'email', value: email }
  if (mfaMethod === 'phone' && loginPhone !== null) return { channel: 'phone', value: loginPhone }
  return undefined
}

/**
 * Checks the code of an authenticator, or a recovery code in its place; either works once. The
 * caller has counted the try already.
 */
export async function spendTotp(
  accounts: Pick<Accounts, 'clock' | 'db' | 'keys' | 'log'>,
  accountId: string,
  code: string,
): Promise<void> {
  const account = await findAccount(accounts.db, accountId)
  if (!account) throw codeExpired()
  if (RECOVERY_CODE.test(code)) {
    const spent = await accounts.db.begin((tx) => spendRecoveryCode(tx, accountId, code))
    if (!spent) throw codeWrong()
    return
  }
  if (!account.totpSealed) throw codeWrong()
  const secret = openSecret(accounts, account.totpSealed, accountId)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined || !(await spendTotpStep(accounts.db, accountId, step))) throw codeWrong()
}

export type MfaChange = {
  mfaMethod?: MfaMethod | undefined
  totpCode?: string | undefined
  /** Make new ones. */
  recoveryCodes?: boolean | undefined
}

/** Shown once: the secret when an enrolment begins, recovery codes when it ends. */
export type MfaSecrets = {
  totp?: { secret: string; uri: string } | undefined
  recovery_codes?: string[] | undefined
}

/** Whether it would change the second factor or a part of it. */
export function changesMfa({ mfaMethod, totpCode, recoveryCodes }: MfaChange, account: Account) {
  if (totpCode !== undefined || recoveryCodes === true || mfaMethod === 'totp') return true
  return mfaMethod !== undefined && mfaMethod !== account.mfaMethod
}

/** An authenticator takes effect with its first right code; until then the old method stays. */
export async function changeMfa(
  accounts: FactorParts & Pick<Accounts, 'sms'>,
  tx: Tx,
  { account, change, proof }: { account: Account; change: MfaChange; proof: OwnerProof },
): Promise<MfaSecrets> {
  const { mfaMethod, totpCode, recoveryCodes } = change
  if (recoveryCodes === true && (mfaMethod ?? totpCode) !== undefined) {
    throw invalidField('recovery_codes', 'cannot be combined with mfa_method or totp_code')
  }
  if (totpCode !== undefined) {
    if (mfaMethod !== undefined && mfaMethod !== 'totp') {
      throw invalidField('totp_code', 'can be sent only when mfa_method is totp')
    }
    return finishEnrolment(accounts, tx, { account, code: totpCode, proof })
  }
  if (recoveryCodes === true) return renewRecoveryCodes(accounts, tx, { account, proof })
  if (mfaMethod === 'totp') return { totp: await beginEnrolment(accounts, tx, { account, proof }) }
  if (mfaMethod === undefined) return {}
  requireVerified(account, mfaMethod)
  const passkeys = await countPasskeys(tx, account.id)
  requirePasskeysFor(mfaMethod, passkeys)
  if (mfaMethod === 'phone') requireReachable(accounts, account.loginPhone ?? '')
  await announce(accounts, tx, { account, method: mfaMethod })
  await setMfa(tx, proof, mfaMethod)
  if (passkeys === 0) await deleteRecoveryCodes(tx, account.id)
  return mfaMethod === 'phone' ? { recovery_codes: await firstRecoveryCodes(tx, proof) } : {}
}

type FactorParts = Pick<Accounts, 'clock' | 'keys' | 'log' | 'pagesUrl'>
type Confirmed = { account: Account; proof: OwnerProof }

/** Whether the account has recovery codes: passkeys have them whatever is on beside them. */
export function hasRecoveryCodes(method: MfaMethod, passkeys: number): boolean {
  return passkeys > 0 || method === 'totp' || method === 'phone'
}

async function renewRecoveryCodes(
  accounts: FactorParts,
  tx: Tx,
  { account, proof }: Confirmed,
): Promise<MfaSecrets> {
  const { id: accountId, mfaMethod } = account
  if (!hasRecoveryCodes(mfaMethod, await countPasskeys(tx, accountId))) {
    throw invalidField(
      'recovery_codes',
      'can only be made while mfa_method is totp or phone, or with a passkey',
    )
  }
  await tellOfChange(accounts, tx, { accountId, type: 'security.recovery_codes_made', data: {} })
  return { recovery_codes: await makeRecoveryCodes(tx, proof) }
}

async function beginEnrolment(
  accounts: FactorParts,
  tx: Tx,
  { account, proof }: Confirmed,
): Promise<MfaSecrets['totp']> {
  const secret = newTotpSecret()
  await offerTotp(tx, proof, seal(accounts.keys.sealing[0], secret, account.id))
  const name = account.email ?? account.phoneNumber ?? account.fullName
  return { secret: base32(secret), uri: totpUri(secret, name) }
}

async function finishEnrolment(
  accounts: FactorParts,
  tx: Tx,
  { account, code, proof }: Confirmed & { code: string },
): Promise<MfaSecrets> {
  if (!account.totpPendingSealed) {
    throw invalidField('totp_code', 'is not expected yet; first set mfa_method to totp')
  }
  const secret = openSecret(accounts, account.totpPendingSealed, account.id)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined) throw codeWrong()
  await announce(accounts, tx, { account, method: 'totp' })
  await confirmTotp(tx, proof, step)
  return { recovery_codes: await makeRecoveryCodes(tx, proof) }
}

async function announce(
  accounts: FactorParts,
  tx: Tx,
  { account, method }: { account: Account; method: MfaMethod },
): Promise<void> {
  const data = { method }
  await tellOfChange(accounts, tx, { accountId: account.id, type: 'security.mfa_changed', data })
}

/** After MASTER_KEY is lost, only recovery codes work. */
function openSecret(
  { keys, log }: Pick<Accounts, 'keys' | 'log'>,
  sealed: Uint8Array,
  accountId: string,
): Buffer {
  const secret = tryUnseal(keys.sealing, sealed, accountId)
  if (secret) return secret
  log.warn('MASTER_KEY cannot open an authenticator. MASTER_KEY_PREVIOUS may be missing.')
  throw codeWrong()
}

/** Passkeys are removed one by one, each by its name: nothing else turns them off. */
function requirePasskeysFor(method: MfaMethod, passkeys: number): void {
  if (method === 'none' && passkeys > 0) {
    throw invalidField(
      'mfa_method',
      'cannot be none while the account has passkeys: remove them, or send passkey to use nothing else',
    )
  }
  if (method === 'passkey' && passkeys === 0) {
    throw invalidField('mfa_method', 'can be passkey only once the account has a passkey')
  }
}

/** Login codes must reach the owner, who could not sign in again otherwise. */
function requireVerified(account: Account, method: MfaMethod): void {
  if (method === 'email' && !account.emailVerified) {
    throw invalidField(
      'mfa_method',
      'can be email only once the email address of the account is verified',
    )
  }
  if (method !== 'phone') return
  if (!account.phoneVerified) {
    throw invalidField(
      'mfa_method',
      'can be phone only once the phone number of the account is verified',
    )
  }
  if (account.phoneNumber !== account.loginPhone) {
    throw invalidField(
      'mfa_method',
      'can be phone only once the new number signs in; confirm it with your password at POST /v1/me/phone',
    )
  }
}
