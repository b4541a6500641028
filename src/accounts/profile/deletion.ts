import type { Db, Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { deleteNotifications } from '../../notices/notices-store.ts'
import { notify } from '../../notices/notices.ts'
import { deletePreferences } from '../../notices/preferences-store.ts'
import type { Account } from '../account.ts'
import type { AccountAct, Accounts } from '../accounts.ts'
import { findHolder, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { deleteChanges } from '../codes/changes-store.ts'
import { voidCodes } from '../codes/codes-store.ts'
import { deletePasskeys } from '../codes/passkeys-store.ts'
import { deleteRecoveryCodes } from '../codes/recovery-codes-store.ts'
import type { Caller } from '../codes/second-factor.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import type { Identifier } from '../identifiers.ts'
import { confirmPassword } from '../sessions/confirm-owner.ts'
import { unlinkIdentities } from '../sign-in/identities-store.ts'
import {
  eraseAccount,
  lockDeleted,
  lockToErase,
  markDeleted,
  markRestored,
} from './deletion-store.ts'

type DeletionParts = Pick<Accounts, 'apiKeys' | 'db' | 'onDeletion' | 'passwords' | 'sessions'>

/** Our pages ask for the password and send it; programs need not. */
export async function deleteOwnAccount(
  accounts: DeletionParts,
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  if (password !== undefined) await confirmPassword(accounts, caller, password)
  await deleteAccount(accounts, caller.accountId)
}

/**
 * The account is unusable at once, and its identifiers are free. What it has stays where it is until
 * it is erased, so that it can be restored; keys, sessions and codes are gone for good.
 */
export async function deleteAccount(
  accounts: Omit<DeletionParts, 'passwords'>,
  accountId: string,
): Promise<void> {
  await accounts.db.begin(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return
    await notify(tx, { accountId, type: 'security.account_deleted', data: {} })
    await endAllSessions(tx, accountId, 'deleted')
    await revokeAllKeys(tx, accountId)
    await voidCodes(tx, accountId)
    await markDeleted(tx, accountId)
    for (const act of accounts.onDeletion) await act(tx, accountId)
  })
  accounts.sessions.forget(accountId)
  accounts.apiKeys.forget(accountId)
}

/** Undefined where there is no deleted account of this id, or it has been erased. */
export async function restoreAccount(tx: Tx, accountId: string): Promise<Account | undefined> {
  const account = await lockDeleted(tx, accountId)
  if (!account) return undefined
  for (const who of provenBy(account)) await requireFree(tx, who)
  await markRestored(tx, accountId)
  await notify(tx, { accountId, type: 'security.account_restored', data: {} })
  return account
}

function provenBy(account: Account): Identifier[] {
  const { email, emailVerified, loginPhone, phoneNumber, phoneVerified } = account
  const waits = phoneVerified && phoneNumber !== loginPhone ? phoneNumber : null
  return [
    ...(email !== null && emailVerified ? [{ channel: 'email' as const, value: email }] : []),
    ...[loginPhone, waits]
      .filter((value) => value !== null)
      .map((value) => ({ channel: 'phone' as const, value })),
  ]
}

async function requireFree(tx: Tx, who: Identifier): Promise<void> {
  await lockIdentifier(tx, who.value)
  const owner = await findHolder(tx, who)
  if (!owner) return
  const what = who.channel === 'email' ? 'email address' : 'phone number'
  throw new Failure('conflict', `Its ${what} belongs to the account ${owner.id} by now.`)
}

/** Accounts that can no longer be restored, each in a transaction of its own. */
export async function eraseDeletedAccounts(
  db: Db,
  { most, erasures }: { most: number; erasures: AccountAct[] },
): Promise<number> {
  const all = [
    deleteChanges,
    deleteRecoveryCodes,
    deletePasskeys,
    unlinkIdentities,
    deletePreferences,
    deleteNotifications,
    ...erasures,
    eraseAccount,
  ]
  let erased = 0
  while (erased < most && (await db.begin((tx) => eraseOldest(tx, all)))) erased += 1
  return erased
}

async function eraseOldest(tx: Tx, erasures: AccountAct[]): Promise<boolean> {
  const id = await lockToErase(tx)
  if (id === undefined) return false
  for (const erase of erasures) await erase(tx, id)
  return true
}
