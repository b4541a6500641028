import type { Account } from './account.ts'
import type { Accounts } from './accounts.ts'
import { lockAccount, setStatus } from './accounts-store.ts'
import { announceKeys } from './api-keys-store.ts'
import { announceSessions } from './sessions-store.ts'

/** Sessions and keys sleep while an account is suspended: every process hears of it at once. */
export async function suspendAccount(
  room: Accounts,
  accountId: string,
): Promise<Account | undefined> {
  return change(room, accountId, () => 'suspended')
}

export async function reinstateAccount(
  room: Accounts,
  accountId: string,
): Promise<Account | undefined> {
  return change(room, accountId, (account) => {
    if (account.status !== 'suspended') return account.status
    const proven = account.emailVerified || account.loginPhone !== null
    return proven ? 'active' : 'pending_verification'
  })
}

async function change(
  room: Accounts,
  accountId: string,
  next: (account: Account) => Account['status'],
): Promise<Account | undefined> {
  const changed = await room.db.begin(async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) return undefined
    const status = next(account)
    await setStatus(tx, accountId, status)
    await announceSessions(tx, accountId)
    await announceKeys(tx, accountId)
    return { ...account, status }
  })
  room.sessions.forget(accountId)
  room.apiKeys.forget(accountId)
  return changed
}
