import { LRUCache } from 'lru-cache'
import type { Command } from './commands.ts'
import { judgeAll, type Judged, type LedgerChanges } from './ledger-batch.ts'
import type { KnownAccount, OpenHold } from './ledger.ts'

/**
 * Accounts and holds as this process left them. Others may have changed them since, so nothing is
 * decided by it alone: what is written on its strength is written only where it is still true.
 */
export type LedgerMemory = {
  accounts: LRUCache<string, KnownAccount>
  holds: Map<string, OpenHold>
}

const MOST_ACCOUNTS = 20_000
const MOST_HOLDS = 20_000

export function openLedgerMemory(): LedgerMemory {
  return { accounts: new LRUCache({ max: MOST_ACCOUNTS }), holds: new Map() }
}

/** Called once the changes are committed. */
export function rememberChanges({ accounts, holds }: LedgerMemory, changes: LedgerChanges): void {
  for (const { accountId, after } of changes.accounts) accounts.set(accountId, after)
  for (const { holdId } of changes.closed) holds.delete(holdId)
  for (const hold of [...changes.opened, ...changes.rewritten]) {
    const { holdId, accountId, amountMicro, limitMicro, owner } = hold
    holds.set(holdId, { holdId, accountId, amountMicro, limitMicro, owner })
  }
  // The oldest go first. No LRUCache: when its last entry goes it clears all its places, which a
  // process with one call at a time would pay for with every call.
  for (const holdId of holds.keys()) {
    if (holds.size <= MOST_HOLDS) break
    holds.delete(holdId)
  }
}

/** The accounts are not as this process believed: until they are read again it knows nothing. */
export function forgetAccounts({ accounts }: LedgerMemory, commands: Command[]): void {
  for (const { accountId } of commands) accounts.delete(accountId)
}

/**
 * What the commands result in if the accounts are still as this process left them, which the
 * statement that writes it checks. Undefined if an account or a hold is not known, or if nothing
 * would be written and so nothing checked, as for a refusal.
 */
export function judgeFromMemory(memory: LedgerMemory, commands: Command[]): Judged | undefined {
  const accounts = new Map<string, KnownAccount>()
  const holds = new Map<string, OpenHold>()
  for (const command of commands) {
    const account = memory.accounts.get(command.accountId)
    if (account === undefined || !('holdId' in command)) return undefined
    accounts.set(command.accountId, account)
    const hold = memory.holds.get(command.holdId)
    if (hold !== undefined) holds.set(command.holdId, hold)
    // One that is not known may have been made elsewhere; the id of a new one is new.
    else if (command.kind !== 'hold') return undefined
  }
  const judged = judgeAll({ accounts, holds, keys: new Set() }, commands)
  return judged.changes.accounts.length === accounts.size ? judged : undefined
}
