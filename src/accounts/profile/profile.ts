import { Failure } from '../../lib/failure.ts'
import { profileOf } from '../account.ts'
import type { Account, Profile } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { eraseAccount, findAccount, lockAccount, setProfile } from '../accounts-store.ts'
import { voidCodes } from '../codes/codes-store.ts'
import { changeMfa } from '../codes/mfa.ts'
import type { MfaChange, TotpEnrolment } from '../codes/mfa.ts'
import { enrolmentTries, takeTry } from '../codes/throttle.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { unlinkIdentities } from '../sign-in/identities-store.ts'

export type ProfileChange = MfaChange & {
  fullName?: string | undefined
  avatarUrl?: string | null | undefined
  locale?: 'sw' | 'en' | undefined
}

export type ChangedProfile = Profile & { totp?: TotpEnrolment | undefined }

export async function readProfile(accounts: Accounts, accountId: string): Promise<Profile> {
  return profileOf(present(await findAccount(accounts.db, accountId)))
}

export async function changeProfile(
  accounts: Accounts,
  accountId: string,
  change: ProfileChange,
): Promise<ChangedProfile> {
  if (change.totpCode !== undefined) await takeTry(accounts.db, enrolmentTries(accountId))
  return accounts.db.begin(async (tx) => {
    const account = present(await lockAccount(tx, accountId))
    await setProfile(tx, accountId, change)
    const totp = await changeMfa(accounts, tx, { account, change })
    return { ...profileOf(present(await findAccount(tx, accountId))), totp }
  })
}

/** The row stays, because the ledger refers to it. Identifiers are freed, credentials revoked. */
export async function deleteAccount(accounts: Accounts, accountId: string): Promise<void> {
  await accounts.db.begin(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return
    await endAllSessions(tx, accountId, 'deleted')
    await revokeAllKeys(tx, accountId)
    await voidCodes(tx, accountId)
    await unlinkIdentities(tx, accountId)
    await eraseAccount(tx, accountId)
  })
  accounts.sessions.forget(accountId)
  accounts.apiKeys.forget(accountId)
}

/** The session was live a moment ago; the account may have been deleted since. */
function present(account: Account | undefined): Account {
  if (account) return account
  throw new Failure('unauthorized', 'The bearer token is missing, invalid or expired.')
}
