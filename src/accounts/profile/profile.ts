import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { profileOf } from '../account.ts'
import type { Account, Profile } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, setProfile } from '../accounts-store.ts'
import { changeMfa, changesMfa } from '../codes/mfa.ts'
import type { MfaChange, MfaSecrets } from '../codes/mfa.ts'
import { countPasskeys } from '../codes/passkeys-store.ts'
import { countRecoveryCodes } from '../codes/recovery-codes-store.ts'
import type { Caller } from '../codes/second-factor.ts'
import { clearTries, enrolmentTries, takeTry } from '../codes/throttle.ts'
import { forgetSecondFactors, markSecondFactor } from '../credentials/sessions-store.ts'
import { confirmOwner } from '../sessions/confirm-owner.ts'

export type ProfileChange = MfaChange & {
  fullName?: string | undefined
  avatarUrl?: string | undefined
  locale?: 'sw' | 'en' | undefined
  /** These two where the change asks for them. */
  password?: string | undefined
  mfaCode?: string | undefined
}

export type ChangedProfile = Profile & MfaSecrets

export async function readProfile(
  accounts: Pick<Accounts, 'db'>,
  accountId: string,
): Promise<Profile> {
  return profileOf(present(await findAccount(accounts.db, accountId)))
}

/** Recovery codes belong to an authenticator app, to passkeys and to codes by SMS. */
export async function readMfa(accounts: Pick<Accounts, 'db'>, accountId: string) {
  const { mfaMethod: method } = present(await findAccount(accounts.db, accountId))
  return {
    method,
    passkeys: await countPasskeys(accounts.db, accountId),
    recovery_codes_left: await countRecoveryCodes(accounts.db, accountId),
  }
}

export async function changeProfile(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  change: ProfileChange,
): Promise<ChangedProfile> {
  const { accountId } = caller
  const account = present(await findAccount(accounts.db, accountId))
  if (!changesMfa(change, account)) return accounts.db.begin((tx) => save(tx, accountId, change))
  const { code, rest } = splitCodes(account, change)
  if (rest.totpCode !== undefined) await takeTry(accounts.db, enrolmentTries(caller.sessionId))
  const given = { password: change.password, mfaCode: code }
  return confirmOwner(accounts, caller, given, async (tx, locked, proof) => {
    const secrets = await changeMfa(accounts, tx, { account: locked, change: rest, proof })
    if (rest.totpCode !== undefined) {
      await clearTries(tx, enrolmentTries(caller.sessionId))
      await forgetSecondFactors(tx, accountId)
      await markSecondFactor(tx, caller.sessionId, 'device')
    }
    return { ...(await save(tx, accountId, change)), ...secrets }
  })
}

async function save(tx: Tx, accountId: string, change: ProfileChange): Promise<Profile> {
  await setProfile(tx, accountId, change)
  return profileOf(present(await findAccount(tx, accountId)))
}

/** `totp_code` finishes an enrolment; beside another method it is the second factor of now. */
function splitCodes(account: Account, change: ProfileChange) {
  const { mfaMethod, totpCode, mfaCode } = change
  const leaving = mfaMethod !== undefined && mfaMethod !== 'totp' && account.mfaMethod === 'totp'
  return leaving
    ? { code: mfaCode ?? totpCode, rest: { ...change, totpCode: undefined } }
    : { code: mfaCode, rest: change }
}

/** The session was live a moment ago; the account may have been deleted since. */
function present(account: Account | undefined): Account {
  if (account) return account
  throw new Failure('unauthorized', 'The bearer token is missing, invalid or expired.')
}
