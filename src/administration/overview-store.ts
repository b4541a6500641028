import type { Tx } from '../db/db.ts'

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

export type UsageSum = { day: string; model: string; requests: bigint; costMicro: bigint }

/** From the sums that each settlement adds to: flat, however many calls there were. */
export async function sumUsage(tx: Tx, period: DayPeriod): Promise<UsageSum[]> {
  const rows = await tx.read<{ day: string; model: string; requests: bigint; micro: bigint }>(
    `select starts_on::text as day, model, sum(requests)::int8 as requests,
       sum(cost_micro)::int8 as micro
     from activity_rollups where grain = 'day' and starts_on >= $1::date and starts_on < $2::date
     group by 1, 2 order by 1, 2`,
    [period.firstDay, period.dayAfterLast],
  )
  return rows.map(({ micro, ...row }) => ({ ...row, costMicro: micro }))
}

export type ReceivedSum = { day: string; network: string | null; amountTzs: bigint; count: number }

export async function sumReceived(tx: Tx, period: DayPeriod): Promise<ReceivedSum[]> {
  const rows = await tx.read<{ day: string; network: string | null; tzs: bigint; count: number }>(
    `select (completed_at at time zone $3::text)::date::text as day, network,
       sum(amount_tzs)::int8 as tzs, count(*)::int as count
     from payments where status = 'completed' and completed_at >= $1 and completed_at < $2
     group by 1, 2 order by 1, 2`,
    [period.from, period.to, period.zone],
  )
  return rows.map(({ tzs, ...row }) => ({ ...row, amountTzs: tzs }))
}

/** What customers could not pay: our loss. */
export async function sumUncollected(tx: Tx, { from, to }: DayPeriod): Promise<bigint> {
  const [row] = await tx.read<{ micro: bigint }>(
    `select coalesce(sum(amount_micro), 0)::int8 as micro from uncollected
     where created_at >= $1 and created_at < $2`,
    [from, to],
  )
  return row!.micro
}

/** What we owe customers now. */
export async function sumBalances(
  tx: Tx,
): Promise<{ balanceMicro: bigint; heldMicro: bigint; accounts: number }> {
  const [row] = await tx.read<{ balance: bigint; held: bigint; accounts: number }>(
    `select coalesce(sum(balance_micro), 0)::int8 as balance,
       coalesce(sum(held_micro), 0)::int8 as held,
       count(*) filter (where balance_micro > 0)::int as accounts
     from ledger_accounts`,
  )
  return { balanceMicro: row!.balance, heldMicro: row!.held, accounts: row!.accounts }
}
