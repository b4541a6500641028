import type { Db } from '../db/db.ts'
import type { Account } from './account.ts'
import { lockAccount, setStatus } from './accounts-store.ts'
import { announceKeys } from './credentials/api-keys-store.ts'
import { announceSessions } from './credentials/sessions-store.ts'

/** While an account is suspended its sessions and keys do not work, in any process. */
export async function suspendAccount(db: Db, accountId: string): Promise<Account | undefined> {
  return change(db, accountId, () => 'suspended')
}

export async function reinstateAccount(db: Db, accountId: string): Promise<Account | undefined> {
  return change(db, accountId, (account) => {
    if (account.status !== 'suspended') return account.status
    const proven = account.emailVerified || account.loginPhone !== null
    return proven ? 'active' : 'pending_verification'
  })
}

async function change(
  db: Db,
  accountId: string,
  next: (account: Account) => Account['status'],
): Promise<Account | undefined> {
  return db.begin(async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) return undefined
    const status = next(account)
    await setStatus(tx, accountId, status)
    await announceSessions(tx, accountId)
    await announceKeys(tx, accountId)
    return { ...account, status }
  })
}
