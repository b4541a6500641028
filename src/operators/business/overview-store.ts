import { ALL_COSTS } from '../../activity/pending-rollups-store.ts'
import { as, columns, int8, text, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

/** From the first instant of a day to before the first of another, and those days. */
export type DayPeriod = {
  from: Date
  to: Date
  firstDay: string
  dayAfterLast: string
  zone: string
}

export type CreditSum = { day: string; type: string; amountMicro: bigint; entries: number }

/** What was added to balances and taken from them, apart from usage, by day and kind. */
export async function sumCredits(tx: Tx, period: DayPeriod): Promise<CreditSum[]> {
  return tx.read<CreditSum>(
    `select (created_at at time zone $3::text)::date::text as day, type,
       sum(amount_micro)::int8 as "amountMicro", count(*)::int as entries
     from ledger_entries where type <> 'usage' and created_at >= $1 and created_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
}

/** What calls of a day cost us and brought in. */
const COST_SUM = columns({
  day: as('day::text', text),
  /** Empty where none was recorded. */
  upstream: text,
  model: text,
  kind: text,
  requests: sumOf('requests'),
  failed: sumOf('failed'),
  costMicro: sumOf('cost_micro'),
  giftMicro: sumOf('gift_micro'),
  uncollectedMicro: sumOf('uncollected_micro'),
  waivedMicro: sumOf('waived_micro'),
  reportedNusd: sumOf('reported_nusd'),
  listedNusd: sumOf('listed_nusd'),
  estimatedNusd: sumOf('estimated_nusd'),
})
export type CostSum = RowOf<typeof COST_SUM>

function sumOf(column: string) {
  return as(`sum(${column})::int8`, int8)
}

/** From stored sums: the cost does not grow with the number of calls. */
export async function sumCosts(tx: Tx, period: DayPeriod): Promise<CostSum[]> {
  const rows = await tx.read(
    `select ${COST_SUM.list} from ${ALL_COSTS} as sums
     where day >= $1::date and day < $2::date
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [period.firstDay, period.dayAfterLast],
  )
  return COST_SUM.all(rows)
}

export type RefundSum = { day: string; model: string; amountMicro: bigint }

/** Charges that were given back, by the day on which they were. */
export async function sumRefunds(tx: Tx, period: DayPeriod): Promise<RefundSum[]> {
  return tx.read<RefundSum>(
    `select (created_at at time zone $3::text)::date::text as day, description as model,
       sum(amount_micro)::int8 as "amountMicro"
     from ledger_entries
     where type <> 'usage' and type = 'refund' and created_at >= $1 and created_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
}

export type ReceivedSum = {
  day: string
  network: string | null
  amountTzs: bigint
  count: number
  /** What the providers kept of it, as far as they said. */
  feesTzs: bigint
  feesUnknown: number
}

export async function sumReceived(tx: Tx, period: DayPeriod): Promise<ReceivedSum[]> {
  return tx.read<ReceivedSum>(
    `select (completed_at at time zone $3::text)::date::text as day, network,
       sum(amount_tzs)::int8 as "amountTzs", count(*)::int as count,
       coalesce(sum(fee_tzs), 0)::int8 as "feesTzs",
       (count(*) - count(fee_tzs))::int as "feesUnknown"
     from payments where status = 'completed' and completed_at >= $1 and completed_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
}

/** Since the beginning. */
export type PaidIn = { payments: bigint; amountTzs: bigint; creditsMicro: bigint }

/** From stored sums: the cost does not grow with the number of payments. */
export async function readPaidIn(tx: Tx): Promise<PaidIn> {
  const [row] = await tx.read<PaidIn>(
    `select coalesce(sum(payments), 0)::int8 as payments,
       coalesce(sum(amount_tzs), 0)::int8 as "amountTzs",
       coalesce(sum(credits_micro), 0)::int8 as "creditsMicro"
     from received_sums`,
  )
  return row!
}

/** `giftMicro` is the part of it that nobody has bought. */
export type Owed = {
  balanceMicro: bigint
  heldMicro: bigint
  giftMicro: bigint
  accounts: number
}

/** What we owe customers now. */
export async function sumBalances(tx: Tx): Promise<Owed> {
  const [row] = await tx.read<Owed>(
    `select coalesce(sum(balance_micro), 0)::int8 as "balanceMicro",
       coalesce(sum(held_micro), 0)::int8 as "heldMicro",
       coalesce(sum(gift_micro), 0)::int8 as "giftMicro",
       count(*) filter (where balance_micro > 0)::int as accounts
     from ledger_accounts`,
  )
  return row!
}
