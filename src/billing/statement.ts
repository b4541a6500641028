import type { Tx } from '../db/db.ts'
import type { EntryType, Span, StatementEntry } from './statement-store.ts'
import {
  countCredits,
  readBalance,
  readCharges,
  readCredits,
  readEntries,
  spanBetween,
} from './statement-store.ts'

export type { StatementEntry } from './statement-store.ts'

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
 * numbered, so a stretch of them is a subtraction, and only the few that are no charges are counted.
 */
export async function statement(tx: Tx, query: StatementQuery): Promise<Statement> {
  const span = await spanBetween(tx, query)
  const total = Number(await totalOf(tx, query, span))
  const entries = query.offset < total ? await page(tx, query, span) : []
  return { entries, total, hasMore: query.offset + entries.length < total }
}

async function totalOf(tx: Tx, { accountId, type }: StatementQuery, span: Span): Promise<bigint> {
  const all = span.last < span.first ? 0n : span.last - span.first + 1n
  if (type === undefined || all === 0n) return all
  if (type !== 'usage') return countCredits(tx, { accountId, type, span })
  return all - (await countCredits(tx, { accountId, type: undefined, span }))
}

function page(tx: Tx, query: StatementQuery, span: Span): Promise<StatementEntry[]> {
  const { accountId, type, limit, offset } = query
  if (type === 'usage') return readCharges(tx, { accountId, span, limit, offset })
  if (type !== undefined) return readCredits(tx, { accountId, type, span, limit, offset })
  const skipped = { first: span.first, last: span.last - BigInt(offset) }
  return readEntries(tx, { accountId, span: skipped, limit })
}
