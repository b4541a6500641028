import { LRUCache } from 'lru-cache'
import type { LedgerAccount, OpenHold } from './ledger.ts'
import type { LedgerChanges } from './ledger-write-store.ts'

/** An account as it was read or written last, and how many entries it has. */
export type KnownAccount = LedgerAccount & { entries: bigint }

/**
 * Accounts and holds as this process left them. Others may have changed them since, so nothing is
 * decided by it alone: what is written on its strength is written only where it is still true.
 */
export type LedgerMemory = {
  accounts: LRUCache<string, KnownAccount>
  holds: LRUCache<string, OpenHold>
}

const MOST_ACCOUNTS = 20_000
const MOST_HOLDS = 20_000

export function openLedgerMemory(): LedgerMemory {
  return {
    accounts: new LRUCache({ max: MOST_ACCOUNTS }),
    holds: new LRUCache({ max: MOST_HOLDS }),
  }
}

/** May be told before the commit: should that fail, what is remembered is found not to be true. */
export function rememberChanges({ accounts, holds }: LedgerMemory, changes: LedgerChanges): void {
  for (const { accountId, after } of changes.accounts) accounts.set(accountId, after)
  for (const { holdId } of changes.closed) holds.delete(holdId)
  for (const hold of [...changes.opened, ...changes.rewritten]) {
    const { holdId, accountId, amountMicro, limitMicro, owner } = hold
    holds.set(holdId, { holdId, accountId, amountMicro, limitMicro, owner })
  }
}
