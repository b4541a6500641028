import type { Tx } from '../db/db.ts'
import type { Account } from './account.ts'
import { lockAccount, setStatus } from './accounts-store.ts'
import { announceKeys } from './credentials/api-keys-store.ts'
import { announceSessions } from './credentials/sessions-store.ts'

/** The account as it now is, and its status before. */
export type StatusChange = { account: Account; before: Account['status'] }

/** While an account is suspended its sessions and keys do not work, in any process. */
export function suspendAccount(tx: Tx, accountId: string): Promise<StatusChange | undefined> {
  return change(tx, accountId, () => 'suspended')
}

export function reinstateAccount(tx: Tx, accountId: string): Promise<StatusChange | undefined> {
  return change(tx, accountId, (account) => {
    if (account.status !== 'suspended') return account.status
    const proven = account.emailVerified || account.loginPhone !== null
    return proven ? 'active' : 'pending_verification'
  })
}

async function change(
  tx: Tx,
  accountId: string,
  next: (account: Account) => Account['status'],
): Promise<StatusChange | undefined> {
  const account = await lockAccount(tx, accountId)
  if (!account) return undefined
  const status = next(account)
  await setStatus(tx, accountId, status)
  await announceSessions(tx, accountId)
  await announceKeys(tx, accountId)
  return { account: { ...account, status }, before: account.status }
}
