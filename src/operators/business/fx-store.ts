import type { Tx } from '../../db/db.ts'

/** What a dollar costs from this day on, as an exact decimal. */
export type FxRate = { day: string; tzsPerUsd: string; setAt: Date }

type RateRow = { day: string; tzs_per_usd: string; set_at: Date }

export async function findRate(tx: Tx, day: string): Promise<FxRate | undefined> {
  const [row] = await tx.read<RateRow>(`select ${COLUMNS} from fx_rates where day = $1::date`, [
    day,
  ])
  return row && rateOf(row)
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
  const rows = await tx.read<RateRow>(
    `select ${COLUMNS} from fx_rates where $1::date is null or day < $1::date
     order by day desc limit $2`,
    [page.before ?? null, page.limit],
  )
  return rows.map(rateOf)
}

/** Oldest first: those set for days before `dayAfterLast`, from the one that holds on the first. */
export async function readRates(
  tx: Tx,
  period: { firstDay: string; dayAfterLast: string },
): Promise<FxRate[]> {
  const rows = await tx.read<RateRow>(
    `select ${COLUMNS} from fx_rates where day < $2::date
       and day >= coalesce((select max(day) from fx_rates where day <= $1::date), $1::date)
     order by fx_rates.day`,
    [period.firstDay, period.dayAfterLast],
  )
  return rows.map(rateOf)
}

const COLUMNS = 'day::text, tzs_per_usd, set_at'

function rateOf(row: RateRow): FxRate {
  return { day: row.day, tzsPerUsd: row.tzs_per_usd, setAt: row.set_at }
}
