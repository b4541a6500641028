import { as, columns, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { ALL_ROLLUPS } from './pending-rollups-store.ts'

export const PERIODS = ['today', 'week', 'month', 'year'] as const
export type Period = (typeof PERIODS)[number]

export type ActivitySummary = {
  requests: bigint
  tokens: bigint
  costMicro: bigint
  startsAt: Date
  /** Exclusive: the instant at which the next period begins. */
  endsAt: Date
  byModel: ModelSum[]
}

/** The totals of the period around `at`, in the account's time zone, equal to the records' sums. */
export async function summarizeActivity(
  tx: Tx,
  query: { accountId: string; period: Period; at: Date; timeZone: string },
): Promise<ActivitySummary> {
  const { accountId, period } = query
  const { firstDay, endDay, startsAt, endsAt } = await findBounds(tx, query)
  const byModel = await sumByModel(tx, { accountId, period, firstDay, endDay })
  const total = (field: 'requests' | 'tokens' | 'costMicro') =>
    byModel.reduce((sum, model) => sum + model[field], 0n)
  return {
    requests: total('requests'),
    tokens: total('tokens'),
    costMicro: total('costMicro'),
    startsAt,
    endsAt,
    byModel,
  }
}

/** A period around an instant: local days, and the instants at which they begin and end. */
const BOUNDS = columns({
  firstDay: as('first::date::text', text),
  endDay: as('next::date::text', text),
  startsAt: as('first at time zone $3::text', time),
  endsAt: as('next at time zone $3::text', time),
})

const UNITS = { today: 'day', week: 'week', month: 'month', year: 'year' } as const

/** Weeks begin on Monday. The end is the instant at which the next period begins. */
async function findBounds(
  tx: Tx,
  query: { period: Period; at: Date; timeZone: string },
): Promise<RowOf<typeof BOUNDS>> {
  const rows = await tx.read(
    `select ${BOUNDS.list}
     from (select date_trunc($1::text, $2::timestamptz at time zone $3::text) as first) as begins,
       lateral (select first + ('1 ' || $1::text)::interval as next) as ends`,
    [UNITS[query.period], query.at, query.timeZone],
  )
  return BOUNDS.from(rows[0]!)
}

type ModelSum = { model: string; requests: bigint; tokens: bigint; costMicro: bigint }

/** Sums by model, dearest first. Months and years are read from monthly sums, so a year is short. */
async function sumByModel(
  tx: Tx,
  query: { accountId: string; period: Period; firstDay: string; endDay: string },
): Promise<ModelSum[]> {
  const grain = query.period === 'month' || query.period === 'year' ? 'month' : 'day'
  return tx.read<ModelSum>(
    `select model, sum(requests)::int8 as requests, sum(tokens)::int8 as tokens,
       sum(cost_micro)::int8 as "costMicro"
     from ${ALL_ROLLUPS} as rollups
     where account_id = $1 and grain = $2 and starts_on >= $3::date and starts_on < $4::date
     group by model
     order by sum(cost_micro) desc, sum(requests) desc, model`,
    [query.accountId, grain, query.firstDay, query.endDay],
  )
}

/** What was charged on the last days, today included. */
export async function spentInLastDays(
  tx: Tx,
  query: { accountId: string; at: Date; timeZone: string; days: number },
): Promise<bigint> {
  const [row] = await tx.read<{ micro: bigint }>(
    `select coalesce(sum(cost_micro), 0)::int8 as micro from ${ALL_ROLLUPS} as rollups
     where account_id = $1 and grain = 'day'
       and starts_on > ($2::timestamptz at time zone $3::text)::date - $4::int`,
    [query.accountId, query.at, query.timeZone, query.days],
  )
  return row!.micro
}
