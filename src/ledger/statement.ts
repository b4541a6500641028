import type { Tx } from '../db/db.ts'
import type { EntryType, OrdinalRange, StatementEntry } from './statement-store.ts'
import {
  countCredits,
  readBalance,
  readCharges,
  readCredits,
  readEntries,
  rangeBetween,
} from './statement-store.ts'

export { readTotals as totalsOf } from './statement-store.ts'
export type { StatementEntry, Totals } from './statement-store.ts'

export const ENTRY_TYPES = ['signup_bonus', 'topup', 'usage', 'refund', 'adjustment'] as const

export type Balance = { balanceMicro: bigint; heldMicro: bigint; availableMicro: bigint }

/** An account that never had an entry has nothing. */
export async function balanceOf(tx: Tx, accountId: string): Promise<Balance> {
  const { balanceMicro, heldMicro } = await readBalance(tx, accountId)
  return { balanceMicro, heldMicro, availableMicro: balanceMicro - heldMicro }
}

export type StatementQuery = {
  accountId: string
  type: EntryType | undefined
  /** Included. */
  from: Date | undefined
  /** Not included. */
  to: Date | undefined
  limit: number
  offset: number
}

export type Statement = { entries: StatementEntry[]; total: number; hasMore: boolean }

/**
 * The account's entries, newest first. The total is exact and never counts the many: entries are
 * numbered, so counting a range is a subtraction, and only the few that are not charges are counted.
 */
export async function statement(tx: Tx, query: StatementQuery): Promise<Statement> {
  const range = await rangeBetween(tx, query)
  const total = Number(await totalOf(tx, query, range))
  const entries = query.offset < total ? await page(tx, query, range) : []
  return { entries, total, hasMore: query.offset + entries.length < total }
}

async function totalOf(
  tx: Tx,
  { accountId, type }: StatementQuery,
  range: OrdinalRange,
): Promise<bigint> {
  const all = range.last < range.first ? 0n : range.last - range.first + 1n
  if (type === undefined || all === 0n) return all
  if (type !== 'usage') return countCredits(tx, { accountId, type, range })
  return all - (await countCredits(tx, { accountId, type: undefined, range }))
}

function page(tx: Tx, query: StatementQuery, range: OrdinalRange): Promise<StatementEntry[]> {
  const { accountId, type, limit, offset } = query
  if (type === 'usage') return readCharges(tx, { accountId, range, limit, offset })
  if (type !== undefined) return readCredits(tx, { accountId, type, range, limit, offset })
  const skipped = { first: range.first, last: range.last - BigInt(offset) }
  return readEntries(tx, { accountId, range: skipped, limit })
}
