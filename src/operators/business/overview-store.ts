import { ALL_COSTS } from '../../activity/pending-rollups-store.ts'
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
  const rows = await tx.read<{ day: string; type: string; micro: bigint; entries: number }>(
    `select (created_at at time zone $3::text)::date::text as day, type,
       sum(amount_micro)::int8 as micro, count(*)::int as entries
     from ledger_entries where type <> 'usage' and created_at >= $1 and created_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
  return rows.map(({ micro, ...row }) => ({ ...row, amountMicro: micro }))
}

/** What calls of a day cost us and brought in. */
export type CostSum = {
  day: string
  /** Empty where none was recorded. */
  upstream: string
  model: string
  kind: string
  requests: bigint
  failed: bigint
  costMicro: bigint
  giftMicro: bigint
  uncollectedMicro: bigint
  waivedMicro: bigint
  reportedNusd: bigint
  listedNusd: bigint
  estimatedNusd: bigint
}

/** From stored sums: the cost does not grow with the number of calls. */
export async function sumCosts(tx: Tx, period: DayPeriod): Promise<CostSum[]> {
  const rows = await tx.read<Record<string, bigint> & Record<CostKey, string>>(
    `select day::text, upstream, model, kind,
       sum(requests)::int8 as requests, sum(failed)::int8 as failed,
       sum(cost_micro)::int8 as cost_micro, sum(gift_micro)::int8 as gift_micro,
       sum(uncollected_micro)::int8 as uncollected_micro, sum(waived_micro)::int8 as waived_micro,
       sum(reported_nusd)::int8 as reported_nusd, sum(listed_nusd)::int8 as listed_nusd,
       sum(estimated_nusd)::int8 as estimated_nusd
     from ${ALL_COSTS} as sums
     where day >= $1::date and day < $2::date
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [period.firstDay, period.dayAfterLast],
  )
  return rows.map((row) => ({
    day: row.day,
    upstream: row.upstream,
    model: row.model,
    kind: row.kind,
    requests: row.requests!,
    failed: row.failed!,
    costMicro: row.cost_micro!,
    giftMicro: row.gift_micro!,
    uncollectedMicro: row.uncollected_micro!,
    waivedMicro: row.waived_micro!,
    reportedNusd: row.reported_nusd!,
    listedNusd: row.listed_nusd!,
    estimatedNusd: row.estimated_nusd!,
  }))
}

type CostKey = 'day' | 'upstream' | 'model' | 'kind'

export type RefundSum = { day: string; model: string; amountMicro: bigint }

/** Charges that were given back, by the day on which they were. */
export async function sumRefunds(tx: Tx, period: DayPeriod): Promise<RefundSum[]> {
  const rows = await tx.read<{ day: string; model: string; micro: bigint }>(
    `select (created_at at time zone $3::text)::date::text as day, description as model,
       sum(amount_micro)::int8 as micro
     from ledger_entries
     where type <> 'usage' and type = 'refund' and created_at >= $1 and created_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
  return rows.map(({ micro, ...row }) => ({ ...row, amountMicro: micro }))
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
  const rows = await tx.read<ReceivedRow>(
    `select (completed_at at time zone $3::text)::date::text as day, network,
       sum(amount_tzs)::int8 as tzs, count(*)::int as count,
       coalesce(sum(fee_tzs), 0)::int8 as fees, (count(*) - count(fee_tzs))::int as unknown
     from payments where status = 'completed' and completed_at >= $1 and completed_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
  return rows.map(({ day, network, tzs, count, fees, unknown }) => ({
    day,
    network,
    amountTzs: tzs,
    count,
    feesTzs: fees,
    feesUnknown: unknown,
  }))
}

type ReceivedRow = {
  day: string
  network: string | null
  tzs: bigint
  count: number
  fees: bigint
  unknown: number
}

/** Since the beginning. */
export type PaidIn = { payments: bigint; amountTzs: bigint; creditsMicro: bigint }

/** From stored sums: the cost does not grow with the number of payments. */
export async function readPaidIn(tx: Tx): Promise<PaidIn> {
  const [row] = await tx.read<{ payments: bigint; tzs: bigint; micro: bigint }>(
    `select coalesce(sum(payments), 0)::int8 as payments,
       coalesce(sum(amount_tzs), 0)::int8 as tzs, coalesce(sum(credits_micro), 0)::int8 as micro
     from received_sums`,
  )
  return { payments: row!.payments, amountTzs: row!.tzs, creditsMicro: row!.micro }
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
  const [row] = await tx.read<{ balance: bigint; held: bigint; gift: bigint; accounts: number }>(
    `select coalesce(sum(balance_micro), 0)::int8 as balance,
       coalesce(sum(held_micro), 0)::int8 as held,
       coalesce(sum(gift_micro), 0)::int8 as gift,
       count(*) filter (where balance_micro > 0)::int as accounts
     from ledger_accounts`,
  )
  const { balance, held, gift, accounts } = row!
  return { balanceMicro: balance, heldMicro: held, giftMicro: gift, accounts }
}
