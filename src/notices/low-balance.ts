import type { Tx } from '../db/db.ts'
import { insertWarnings, deleteWarnings } from './low-balance-store.ts'
import { tell } from './notices.ts'

/** `credited` marks a top-up or grant: above the threshold it arms the warning again. */
export type NotedBalance = { accountId: string; availableMicro: bigint; credited?: boolean }

export type BalanceWatch = {
  /**
   * Called in the transaction that changed the balances. Costs no query when every balance is
   * above the threshold, nor when the account was looked up here within the last minute.
   */
  noteBalances(tx: Tx, balances: NotedBalance[]): Promise<void>
}

/** Told once per crossing: the row in `balance_warnings` is what all replicas agree on. */
export function createBalanceWatch(parts: {
  thresholdMicro: bigint
  credits: (micro: bigint) => number
  nowMs?: () => number
}): BalanceWatch {
  const nowMs = parts.nowMs ?? Date.now
  const known = new Map<string, number>()

  return {
    async noteBalances(tx, balances) {
      const { warn, rearm } = crossings(balances, parts.thresholdMicro)
      for (const accountId of rearm) known.delete(accountId)
      if (rearm.length > 0) await deleteWarnings(tx, rearm)
      const asked = [...warn.keys()].filter((id) => (known.get(id) ?? 0) <= nowMs()).sort()
      if (asked.length === 0) return
      const untold = await insertWarnings(tx, asked)
      remember(known, asked, nowMs())
      for (const accountId of untold) {
        const available_credits = parts.credits(warn.get(accountId)!)
        await tell(tx, { accountId, type: 'credits.low', data: { available_credits } })
      }
    },
  }
}

/** The last word on an account in a batch counts. Only a credit arms again: a released hold does not. */
export function crossings(
  balances: NotedBalance[],
  thresholdMicro: bigint,
): { warn: Map<string, bigint>; rearm: string[] } {
  const warn = new Map<string, bigint>()
  const rearm = new Set<string>()
  for (const { accountId, availableMicro, credited } of balances) {
    if (availableMicro < thresholdMicro) {
      // A credit that stays below the threshold is good news, not a crossing.
      if (!credited) warn.set(accountId, availableMicro)
    } else {
      warn.delete(accountId)
      if (credited) rearm.add(accountId)
    }
  }
  return { warn, rearm: [...rearm].sort() }
}

/** Short-lived, because another replica may have armed the warning again. */
const KNOWN_FOR_MS = 60_000
const MOST_KNOWN = 10_000

function remember(known: Map<string, number>, accountIds: string[], nowMs: number): void {
  if (known.size + accountIds.length > MOST_KNOWN) known.clear()
  for (const accountId of accountIds) known.set(accountId, nowMs + KNOWN_FOR_MS)
}
