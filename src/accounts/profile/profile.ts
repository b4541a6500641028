import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { profileOf } from '../account.ts'
import type { Account, MfaMethod, Profile } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount, lockAccount, setProfile } from '../accounts-store.ts'
import { codeWrong } from '../codes/codes.ts'
import { confirmTotp, offerTotp, setMfa } from '../codes/mfa-store.ts'
import { seal, unseal } from '../credentials/sealed.ts'
import { forgive, takeTry } from '../codes/throttle.ts'
import { base32, newTotpSecret, totpStep, totpUri } from '../credentials/totp.ts'

export type ProfileChange = {
  fullName?: string | undefined
  avatarUrl?: string | null | undefined
  locale?: 'sw' | 'en' | undefined
  mfaMethod?: MfaMethod | undefined
  totpCode?: string | undefined
}

/** `totp` is there once, when an enrolment begins. */
export type ChangedProfile = Profile & { totp?: { secret: string; uri: string } }

export async function readProfile(accounts: Accounts, accountId: string): Promise<Profile> {
  return profileOf(present(await findAccount(accounts.db, accountId)))
}

export async function changeProfile(
  accounts: Accounts,
  accountId: string,
  change: ProfileChange,
): Promise<ChangedProfile> {
  if (change.totpCode !== undefined) await takeTry(accounts.db, enrolTries(accountId))
  return accounts.db.begin(async (tx) => {
    const account = present(await lockAccount(tx, accountId))
    await setProfile(tx, accountId, known(change))
    const totp = await changeMfa(accounts, tx, { account, change })
    const changed = present(await findAccount(tx, accountId))
    return { ...profileOf(changed), ...(totp ? { totp } : {}) }
  })
}

/** An authenticator takes effect with its first right code; until then the old method holds. */
async function changeMfa(
  accounts: Accounts,
  tx: Tx,
  { account, change }: { account: Account; change: ProfileChange },
): Promise<ChangedProfile['totp']> {
  const { mfaMethod, totpCode } = change
  if (totpCode !== undefined) {
    if (mfaMethod !== undefined && mfaMethod !== 'totp') {
      throw new Failure('invalid', 'totp_code goes with mfa_method totp only.', {
        param: 'totp_code',
      })
    }
    await finishEnrolment(accounts, tx, { account, code: totpCode })
    return undefined
  }
  if (mfaMethod === undefined) return undefined
  if (mfaMethod === 'totp') return beginEnrolment(accounts, tx, account)
  requireProven(account, mfaMethod)
  await setMfa(tx, account.id, mfaMethod)
  return undefined
}

async function beginEnrolment(accounts: Accounts, tx: Tx, account: Account) {
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
    throw new Failure('invalid', 'totp_code: no enrolment is under way.', { param: 'totp_code' })
  }
  const secret = unseal(accounts.keys.sealing, account.totpPendingSealed, account.id)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined) throw codeWrong()
  await confirmTotp(tx, account.id, step)
  await forgive(tx, enrolTries(account.id))
}

/** Codes must reach the owner, or the next login would be the last. */
function requireProven(account: Account, method: MfaMethod): void {
  const reachable =
    method === 'none' ||
    (method === 'email' && account.emailVerified) ||
    (method === 'phone' && account.phoneVerified)
  if (reachable) return
  throw new Failure('invalid', `mfa_method ${method} needs a verified ${method} on the account.`, {
    param: 'mfa_method',
  })
}

function enrolTries(accountId: string): `wrongCodes:${string}` {
  return `wrongCodes:enrol:${accountId}`
}

function known(change: ProfileChange) {
  return {
    ...(change.fullName === undefined ? {} : { fullName: change.fullName }),
    ...(change.avatarUrl === undefined ? {} : { avatarUrl: change.avatarUrl }),
    ...(change.locale === undefined ? {} : { locale: change.locale }),
  }
}

/** The session was live a moment ago; the account may have gone since. */
function present(account: Account | undefined): Account {
  if (account) return account
  throw new Failure('unauthorized', 'The bearer token is missing, invalid or expired.')
}
