import { bool, columns, int8, orNull, text, time, type RowOf } from '../../db/columns.ts'
import type { Row, Tx } from '../../db/db.ts'
import type { MonthPeriod } from './month.ts'

/**
 * One snapshot for all that is read; a slow reader may take a minute for each piece. Without scans
 * of an ordinary index, which may go account by account, entries come in the order of the table.
 */
export async function beginSnapshot(tx: Tx): Promise<void> {
  await tx.script(`set transaction isolation level repeatable read, read only;
    set local statement_timeout = '19s'; set local idle_in_transaction_session_timeout = '90s';
    set local synchronize_seqscans = off;
    set local enable_indexscan = off; set local enable_indexonlyscan = off`)
}

/** In the order of the exported file. */
const ENTRY = columns({
  seq: int8,
  createdAt: time,
  accountId: text,
  type: text,
  amountMicro: int8,
  balanceAfterMicro: int8,
  description: text,
  referenceType: orNull(text),
  referenceId: orNull(text),
  operator: orNull(text),
  id: text,
})
export type ExportedEntry = RowOf<typeof ENTRY>

/** In the order of the table, which is that of time: sorting millions of rows is not worth it. */
export async function openEntries(tx: Tx, { from, to }: MonthPeriod): Promise<void> {
  await tx.query(
    `declare exported_entries no scroll cursor for
       select ${ENTRY.list} from ledger_entries where created_at >= $1 and created_at < $2`,
    [from, to],
  )
}

export async function nextEntries(tx: Tx): Promise<ExportedEntry[]> {
  const rows = await tx.query('fetch 1000 from exported_entries')
  return ENTRY.all(rows)
}

const PAYMENT = columns({
  id: text,
  completedAt: time,
  accountId: text,
  provider: text,
  reference: text,
  providerRef: orNull(text),
  network: orNull(text),
  phoneNumber: text,
  currency: text,
  amountTzs: int8,
  creditsMicro: int8,
  late: bool,
  review: orNull(text),
  reviewedBy: orNull(text),
})
export type ExportedPayment = RowOf<typeof PAYMENT>

/** What was received: a payment is in the month in which its credits were added. */
export async function openReceived(tx: Tx, { from, to }: MonthPeriod): Promise<void> {
  await tx.query(
    `declare exported_payments no scroll cursor for
       select ${PAYMENT.list} from payments where completed_at >= $1 and completed_at < $2 order by completed_at, id`,
    [from, to],
  )
}

export async function nextReceived(tx: Tx): Promise<ExportedPayment[]> {
  const rows = await tx.query('fetch 1000 from exported_payments')
  return PAYMENT.all(rows)
}

export type LedgerSums = {
  openingMicro: bigint
  movements: { type: string; entries: bigint; amountMicro: bigint }[]
  closingMicro: bigint
}

/**
 * What customers had at both ends of the month. It is counted back from the balances that they have
 * now, so that it need not add up all of the past.
 */
export async function sumLedger(tx: Tx, { from, to }: MonthPeriod): Promise<LedgerSums> {
  const movements = await tx.read<LedgerSums['movements'][number]>(
    `select type, count(*) as entries, sum(amount_micro)::int8 as "amountMicro" from ledger_entries
     where created_at >= $1 and created_at < $2 group by type order by type`,
    [from, to],
  )
  const [now] = await tx.read<{ micro: bigint }>(
    'select coalesce(sum(balance_micro), 0)::int8 as micro from ledger_accounts',
  )
  const [since] = await tx.read<{ micro: bigint }>(
    `select coalesce(sum(amount_micro), 0)::int8 as micro from ledger_entries
     where created_at >= $1`,
    [to],
  )
  const closingMicro = now!.micro - since!.micro
  const movedMicro = movements.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
  return {
    openingMicro: closingMicro - movedMicro,
    movements,
    closingMicro,
  }
}

export type ReceivedSums = {
  payments: bigint
  amountTzs: bigint
  creditsMicro: bigint
}

export async function sumReceivedIn(tx: Tx, { from, to }: MonthPeriod): Promise<ReceivedSums> {
  const [row] = await tx.read<Row & { count: bigint; tzs: bigint; micro: bigint }>(
    `select count(*), coalesce(sum(amount_tzs), 0)::int8 as tzs,
       coalesce(sum(credits_micro), 0)::int8 as micro
     from payments where completed_at >= $1 and completed_at < $2`,
    [from, to],
  )
  return { payments: row!.count, amountTzs: row!.tzs, creditsMicro: row!.micro }
}
