import type { Tx } from '../db/db.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import { deleteBalanceWarnings, insertBalanceWarnings } from './notices-store.ts'
import { notify } from './notices.ts'

/** `credited` marks a top-up or grant: above the threshold, the next low balance warns again. */
export type NotedBalance = { accountId: string; availableMicro: bigint; credited?: boolean }

export type BalanceWatch = {
  /**
   * Called in the transaction that changed the balances. Costs no query when every balance is
   * above the threshold, nor when the account was looked up here within the last minute.
   */
  noteBalances(tx: Tx, balances: NotedBalance[]): Promise<void>
  /** Whether that would write anything. */
  isNews(balances: NotedBalance[]): boolean
}

/** Warns once per crossing: the row in `balance_warnings` is what all replicas agree on. */
export function createBalanceWatch(parts: {
  thresholdMicro: bigint
  credits: (micro: bigint) => number
  nowMs?: () => number
}): BalanceWatch {
  const nowMs = parts.nowMs ?? Date.now
  const checkedUntilMs = new Map<string, number>()
  const isUnchecked = (id: string) => (checkedUntilMs.get(id) ?? 0) <= nowMs()

  return {
    isNews(balances) {
      const { warn, rearm } = crossings(balances, parts.thresholdMicro)
      return rearm.length > 0 || [...warn.keys()].some(isUnchecked)
    },
    async noteBalances(tx, balances) {
      const { warn, rearm } = crossings(balances, parts.thresholdMicro)
      for (const accountId of rearm) checkedUntilMs.delete(accountId)
      if (rearm.length > 0) await deleteBalanceWarnings(tx, rearm)
      const unchecked = [...warn.keys()].filter(isUnchecked).sort()
      if (unchecked.length === 0) return
      const newlyLow = await insertBalanceWarnings(tx, unchecked)
      remember(checkedUntilMs, unchecked, nowMs())
      for (const accountId of newlyLow) {
        const available_credits = parts.credits(warn.get(accountId)!)
        await notify(tx, { accountId, type: 'credits.low', data: { available_credits } })
        const data = { account_id: accountId, available_credits }
        await tellWebhooks(tx, { type: 'balance.low', data })
      }
    },
  }
}

/** The last balance of an account in a batch counts. Only a credit rearms; a released hold does not. */
export function crossings(
  balances: NotedBalance[],
  thresholdMicro: bigint,
): { warn: Map<string, bigint>; rearm: string[] } {
  const warn = new Map<string, bigint>()
  const rearm = new Set<string>()
  for (const { accountId, availableMicro, credited } of balances) {
    if (availableMicro < thresholdMicro) {
      // A top-up that stays below the threshold is no reason to warn.
      if (!credited) warn.set(accountId, availableMicro)
    } else {
      warn.delete(accountId)
      if (credited) rearm.add(accountId)
    }
  }
  return { warn, rearm: [...rearm].sort() }
}

/** Short, because another replica may have rearmed the warning. */
const REMEMBER_MS = 60_000
const MOST_REMEMBERED = 10_000

function remember(checkedUntilMs: Map<string, number>, accountIds: string[], nowMs: number): void {
  if (checkedUntilMs.size + accountIds.length > MOST_REMEMBERED) checkedUntilMs.clear()
  for (const accountId of accountIds) checkedUntilMs.set(accountId, nowMs + REMEMBER_MS)
}
