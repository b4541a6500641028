import { as, columns, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

/** What a dollar costs from this day on, as an exact decimal. */
const RATE = columns({ day: as('day::text', text), tzsPerUsd: text, setAt: time })
export type FxRate = RowOf<typeof RATE>

export async function findRate(tx: Tx, day: string): Promise<FxRate | undefined> {
  const rows = await tx.read(`select ${RATE.list} from fx_rates where day = $1::date`, [day])
  return RATE.first(rows)
}

export async function putRate(tx: Tx, day: string, tzsPerUsd: string): Promise<void> {
  await tx.query(
    `insert into fx_rates (day, tzs_per_usd) values ($1::date, $2)
     on conflict (day) do update set tzs_per_usd = excluded.tzs_per_usd, set_at = now()`,
    [day, tzsPerUsd],
  )
}

/** Newest first, those before a day. */
export async function listRates(
  tx: Tx,
  page: { before?: string | undefined; limit: number },
): Promise<FxRate[]> {
  const rows = await tx.read(
    `select ${RATE.list} from fx_rates where $1::date is null or day < $1::date
     order by day desc limit $2`,
    [page.before ?? null, page.limit],
  )
  return RATE.all(rows)
}

/** Oldest first: those set for days before `dayAfterLast`, from the one that holds on the first. */
export async function readRates(
  tx: Tx,
  period: { firstDay: string; dayAfterLast: string },
): Promise<FxRate[]> {
  const rows = await tx.read(
    `select ${RATE.list} from fx_rates where day < $2::date
       and day >= coalesce((select max(day) from fx_rates where day <= $1::date), $1::date)
     order by fx_rates.day`,
    [period.firstDay, period.dayAfterLast],
  )
  return RATE.all(rows)
}
