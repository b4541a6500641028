import type { Accounts } from '../accounts.ts'
import { eraseAccount, lockAccount } from '../accounts-store.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { voidCodes } from '../codes/codes-store.ts'
import { unlinkIdentities } from '../sign-in/identities-store.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'

/** Soft: the books keep their row. Its identifiers are free again, its credentials dead. */
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
