import { Failure } from '../../lib/failure.ts'
import { profileOf } from '../account.ts'
import type { Account, Profile } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, lockAccount, setProfile } from '../accounts-store.ts'
import { changeMfa, changesMfa } from '../codes/mfa.ts'
import type { MfaChange, MfaSecrets } from '../codes/mfa.ts'
import { countPasskeys } from '../codes/passkeys-store.ts'
import { countRecoveryCodes } from '../codes/recovery-codes-store.ts'
import { withSecondFactor } from '../codes/second-factor.ts'
import type { Caller } from '../codes/second-factor.ts'
import { enrolmentTries, takeTry } from '../codes/throttle.ts'
import { forgetSecondFactors, markSecondFactor } from '../credentials/sessions-store.ts'

export type ProfileChange = MfaChange & {
  fullName?: string | undefined
  avatarUrl?: string | undefined
  locale?: 'sw' | 'en' | undefined
  /** The second factor, where the change asks for it. */
  mfaCode?: string | undefined
}

export type ChangedProfile = Profile & MfaSecrets

export async function readProfile(
  accounts: Pick<Accounts, 'db'>,
  accountId: string,
): Promise<Profile> {
  return profileOf(present(await findAccount(accounts.db, accountId)))
}

/** Recovery codes belong to an authenticator app and to passkeys. */
export async function readMfa(accounts: Pick<Accounts, 'db'>, accountId: string) {
  const { mfaMethod: method } = present(await findAccount(accounts.db, accountId))
  return {
    method,
    passkeys: await countPasskeys(accounts.db, accountId),
    recovery_codes_left: await countRecoveryCodes(accounts.db, accountId),
  }
}

export async function changeProfile(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  caller: Caller,
  change: ProfileChange,
): Promise<ChangedProfile> {
  const { accountId } = caller
  const account = present(await findAccount(accounts.db, accountId))
  const asks = changesMfa(change, account)
  const { code, rest } = splitCodes(account, change)
  if (rest.totpCode !== undefined) await takeTry(accounts.db, enrolmentTries(accountId))
  return withSecondFactor(accounts, caller, {
    code: asks ? code : undefined,
    async change(tx, required) {
      const locked = present(await lockAccount(tx, accountId))
      if (asks) await required(locked)
      await setProfile(tx, accountId, change)
      const secrets = asks ? await changeMfa(accounts, tx, { account: locked, change: rest }) : {}
      if (rest.totpCode !== undefined) {
        await forgetSecondFactors(tx, accountId)
        await markSecondFactor(tx, caller.sessionId, 'device')
      }
      return { ...profileOf(present(await findAccount(tx, accountId))), ...secrets }
    },
  })
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
