import type { Tx } from '../db/db.ts'
import { dayAfter, dayAt, startOfDay } from '../lib/days.ts'
import { inTurn } from './in-turn.ts'
import { type Grouping, type PeriodFilter, sumDays, type Sums } from './period-store.ts'

type GroupSums = Sums & { id: string | null }

export type DailySums = {
  total: Sums
  /** Every day of the period, also those without a call, oldest first. */
  days: (Sums & { day: string; groups: GroupSums[] })[]
  /** The dearest first, at most `MOST_GROUPS`; the rest is in the totals only. */
  groups: GroupSums[]
}

const MOST_GROUPS = 50

/** What was spent on each day of the period, as the zone counts days. */
export async function sumDaily(
  tx: Tx,
  filter: PeriodFilter,
  by: { zone: string; group: Grouping | undefined },
): Promise<DailySums> {
  const names = daysOf(filter, by.zone)
  const starts = names.map((day, i) => (i === 0 ? filter.from : startOfDay(day, by.zone)))
  const { group } = by
  const rows = await inTurn(filter.accountId, () => sumDays(tx, filter, { starts, group }))
  const groups = group === undefined ? [] : dearest(rows)
  const shown = new Set(groups.map(({ id }) => id))
  const days = names.map((day, i) => {
    const ofDay = rows.filter((row) => row.day === i)
    const inGroups = ofDay
      .filter(({ id }) => shown.has(id))
      .map(({ day: _day, ...sums }) => sums)
      .sort(dearestFirst)
    return { day, ...added(ofDay), groups: inGroups }
  })
  return { total: added(rows), days, groups }
}

function daysOf({ from, to }: PeriodFilter, zone: string): string[] {
  const last = dayAt(new Date(to.getTime() - 1), zone)
  const days = [dayAt(from, zone)]
  while (days.at(-1)! < last) days.push(dayAfter(days.at(-1)!))
  return days
}

function dearest(rows: GroupSums[]): GroupSums[] {
  const groups = [...Map.groupBy(rows, ({ id }) => id)]
  return groups
    .map(([id, own]) => ({ id, ...added(own) }))
    .sort(dearestFirst)
    .slice(0, MOST_GROUPS)
}

function dearestFirst(a: GroupSums, b: GroupSums): number {
  if (a.costMicro !== b.costMicro) return a.costMicro < b.costMicro ? 1 : -1
  return Number(b.requests - a.requests)
}

function added(all: Sums[]): Sums {
  return all.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      tokens: sum.tokens + one.tokens,
      costMicro: sum.costMicro + one.costMicro,
    }),
    { requests: 0n, tokens: 0n, costMicro: 0n },
  )
}
