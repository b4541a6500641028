import { withAuditLog } from '../audit-log.ts'
import type { Actor } from '../actor.ts'
import { creditsText } from '../../ledger/money.ts'
import type { Db, Tx } from '../../db/db.ts'
import { csvLine, type Cell, type WritePiece } from '../../lib/csv.ts'
import { localTime } from '../../lib/days.ts'
import { Failure } from '../../lib/failure.ts'
import {
  beginSnapshot,
  nextEntries,
  nextReceived,
  openEntries,
  openReceived,
  sumLedger,
  sumReceivedIn,
  type ExportedEntry,
  type ExportedPayment,
  type LedgerSums,
  type ReceivedSums,
} from './exports-store.ts'
import type { MonthPeriod } from './month.ts'

export type ExportKind = 'ledger' | 'payments'
export type MonthSums = { ledger: LedgerSums; received: ReceivedSums }

export type ExportOptions = {
  kind: ExportKind
  period: MonthPeriod
  /** A phone number as this operator may see it. */
  showPhone(phone: string): string
}

/** The sums of a month, all from one moment: opening and movements make up closing. */
export function sumMonth(db: Db, period: MonthPeriod): Promise<MonthSums> {
  return db.begin(async (tx) => {
    await beginSnapshot(tx)
    return sumsIn(tx, period)
  })
}

/** Logs who exports what, before the first line is sent. */
export function recordExport(
  db: Db,
  actor: Actor,
  { kind, month, reason }: { kind: ExportKind; month: string; reason?: string | undefined },
): Promise<void> {
  const target = { type: 'export', id: `${kind} ${month}` }
  return withAuditLog(db, actor, (_tx, record) =>
    record({ action: 'books.export', target, reason }),
  )
}

/** Each holds a connection for as long as its reader takes. */
const MOST_AT_ONCE = 2
const LONGEST_MS = 1_800_000
let running = 0

/**
 * A month as CSV, read through a cursor piece by piece, in one snapshot with its sums. An export
 * whose lines do not add up to the sums breaks off, so that nobody takes it for the books. What is
 * returned must be called, once.
 */
export function openExport(
  db: Db,
  options: ExportOptions,
): (write: WritePiece) => Promise<MonthSums> {
  if (running >= MOST_AT_ONCE) {
    throw new Failure('unavailable', 'Other exports are running. Try again in a minute.', {
      retryAfterS: 60,
    })
  }
  running += 1
  return async (write) => {
    try {
      return await db.begin(async (tx) => {
        await beginSnapshot(tx)
        const sums = await sumsIn(tx, options.period)
        await writeLines(tx, options, { sums, write })
        return sums
      })
    } finally {
      running -= 1
    }
  }
}

async function sumsIn(tx: Tx, period: MonthPeriod): Promise<MonthSums> {
  return { ledger: await sumLedger(tx, period), received: await sumReceivedIn(tx, period) }
}

async function writeLines(
  tx: Tx,
  options: ExportOptions,
  { sums, write }: { sums: MonthSums; write: WritePiece },
): Promise<void> {
  const endMs = performance.now() + LONGEST_MS
  const file = options.kind === 'ledger' ? ledgerFile(options) : paymentsFile(options)
  await file.open(tx)
  await write(csvLine(file.header))
  for (;;) {
    const lines = await file.next(tx)
    if (lines.length === 0) break
    await write(lines.join(''))
    if (performance.now() > endMs) throw new Error('An export took too long.')
  }
  const { ledger, received } = sums
  const expected =
    options.kind === 'ledger' ? ledger.closingMicro - ledger.openingMicro : received.amountTzs
  if (file.total() !== expected) throw new Error('An export does not add up to the books.')
}

type ExportFile = {
  header: string[]
  open(tx: Tx): Promise<void>
  next(tx: Tx): Promise<string[]>
  /** Of the amounts that were written. */
  total(): bigint
}

type Column<Row> = [name: string, value: (row: Row) => Cell]

function fileOf<Row>(parts: {
  columns: Column<Row>[]
  open(tx: Tx): Promise<void>
  next(tx: Tx): Promise<Row[]>
  amount(row: Row): bigint
}): ExportFile {
  const { columns, open, next, amount } = parts
  let total = 0n
  return {
    header: columns.map(([name]) => name),
    open,
    async next(tx) {
      const rows = await next(tx)
      for (const row of rows) total += amount(row)
      return rows.map((row) => csvLine(columns.map(([, value]) => value(row))))
    },
    total: () => total,
  }
}

function ledgerFile({ period }: ExportOptions): ExportFile {
  const columns: Column<ExportedEntry>[] = [
    ['number', (entry) => entry.seq],
    ['time', (entry) => localTime(entry.createdAt, period.zone)],
    ['account_id', (entry) => entry.accountId],
    ['type', (entry) => entry.type],
    ['amount_credits', (entry) => creditsText(entry.amountMicro)],
    ['balance_after_credits', (entry) => creditsText(entry.balanceAfterMicro)],
    ['description', (entry) => entry.description],
    ['reference_type', (entry) => entry.referenceType ?? ''],
    ['reference_id', (entry) => entry.referenceId ?? ''],
    ['operator', (entry) => entry.operator ?? ''],
    ['id', (entry) => entry.id],
  ]
  const open = (tx: Tx) => openEntries(tx, period)
  return fileOf({ columns, open, next: nextEntries, amount: (entry) => entry.amountMicro })
}

function paymentsFile({ period, showPhone }: ExportOptions): ExportFile {
  const columns: Column<ExportedPayment>[] = [
    ['time', (payment) => localTime(payment.completedAt, period.zone)],
    ['payment_id', (payment) => payment.id],
    ['account_id', (payment) => payment.accountId],
    ['provider', (payment) => payment.provider],
    ['reference', (payment) => payment.reference],
    ['provider_reference', (payment) => payment.providerRef ?? ''],
    ['network', (payment) => payment.network ?? ''],
    ['phone_number', (payment) => showPhone(payment.phoneNumber)],
    ['currency', (payment) => payment.currency],
    ['amount_tzs', (payment) => payment.amountTzs],
    ['credits', (payment) => creditsText(payment.creditsMicro)],
    ['late', (payment) => (payment.late ? 'yes' : 'no')],
    ['review', (payment) => payment.review ?? ''],
    ['reviewed_by', (payment) => payment.reviewedBy ?? ''],
  ]
  const open = (tx: Tx) => openReceived(tx, period)
  return fileOf({ columns, open, next: nextReceived, amount: (payment) => payment.amountTzs })
}
