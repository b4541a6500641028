import type { Account } from '../accounts/account.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import { listKeys, type ApiKey } from '../accounts/credentials/api-keys-store.ts'
import { listSessions, type LiveSession } from '../accounts/credentials/sessions-store.ts'
import { balanceOf, type Balance } from '../ledger/statement.ts'
import type { Tx } from '../db/db.ts'
import type { OperatorRole } from '../accounts/principal.ts'
import { listMessagesOf, type OutboxRow } from '../notices/outbox-store.ts'
import { listAuditEvents, type LoggedEvent } from './audit-log-store.ts'
import { readRole } from './operators-store.ts'

/** One customer on one page; the long lists (ledger, activity, payments) are read by themselves. */
export type AccountOverview = {
  account: Account
  operatorRole: OperatorRole | undefined
  balance: Balance
  sessions: LiveSession[]
  keys: ApiKey[]
  messages: OutboxRow[]
  actions: LoggedEvent[]
}

const NEWEST = 20

export async function readAccountOverview(
  tx: Tx,
  accountId: string,
): Promise<AccountOverview | undefined> {
  const account = await findAccount(tx, accountId)
  if (!account) return undefined
  const keys = { accountId, includeRevoked: true, limit: NEWEST, offset: 0 }
  const about = { targetId: accountId, limit: NEWEST }
  const any = { operatorId: undefined, action: undefined, before: undefined, reads: false }
  return {
    account,
    operatorRole: await readRole(tx, accountId),
    balance: await balanceOf(tx, accountId),
    sessions: await listSessions(tx, accountId),
    keys: await listKeys(tx, keys),
    messages: await listMessagesOf(tx, accountId, NEWEST),
    actions: await listAuditEvents(tx, { ...any, ...about }),
  }
}
