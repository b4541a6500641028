import type { Tx } from '../db/db.ts'
import { dayAfter, dayAt, isDay, startOfDay } from '../lib/days.ts'
import { invalidField } from '../lib/failure.ts'
import { inTurn } from './in-turn.ts'
import { findPosition } from './list-store.ts'
import { type ActivityPage, listActivity } from './list.ts'
import {
  countPeriod,
  readPeriod,
  sumOfKey,
  type KeyUsage,
  type PeriodFilter,
} from './period-store.ts'
import type { ActivityFilter } from './record-groups-store.ts'
import type { ActivityKind, ActivityRecord } from './record.ts'

export type { KeyUsage } from './period-store.ts'

/** As callers write it: days of the zone, both counted, or instants, the end not counted. */
export type PeriodQuery = ActivityFilter & {
  accountId: string
  from?: string | undefined
  to?: string | undefined
  zone: string
  kind?: ActivityKind | undefined
  keyId?: string | undefined
  requestId?: string | undefined
}

/** Three months, and what a change of the clocks adds: so much is read at once, and no more. */
const LONGEST_DAYS = 93
const LONGEST_MS = LONGEST_DAYS * 86_400_000 + 2 * 3_600_000

type Page = { limit: number; offset: number; before?: string | undefined; now: Date }

/** The account's records, newest first. What the record groups do not know is found in a period. */
export async function findActivity(
  tx: Tx,
  query: PeriodQuery,
  page: Page,
): Promise<ActivityPage & { period?: { from: string; to: string } }> {
  const { from, to, kind, keyId, requestId } = query
  const needsPeriod = [from, to, kind, keyId, requestId].some((value) => value !== undefined)
  if (!needsPeriod) return listActivity(tx, { ...query, ...page })
  const filter = periodOf(query, page.now)
  const period = { from: filter.from.toISOString(), to: filter.to.toISOString() }
  const found = await inTurn(query.accountId, () => listPeriod(tx, filter, page))
  return { ...found, period }
}

/** The one reading of a period: list, sums and CSV select by it, so they agree. */
export function periodOf(query: PeriodQuery, now: Date, usualDays = LONGEST_DAYS): PeriodFilter {
  const { zone } = query
  const to = query.to === undefined ? new Date(now.getTime() + 1) : endOf(query.to, zone)
  const from =
    query.from === undefined
      ? startOfDay(dayAfter(dayAt(new Date(to.getTime() - 1), zone), 1 - usualDays), zone)
      : startOf(query.from, zone)
  if (from >= to) throw invalidField('from', 'must be before to')
  if (to.getTime() - from.getTime() > LONGEST_MS) {
    throw invalidField('from', `must be at most ${LONGEST_DAYS} days before to`)
  }
  return { ...query, from, to }
}

/** What the calls of an API key have cost: in the longest period, and lately. */
export function usageOfKey(
  tx: Tx,
  key: { accountId: string; keyId: string; now: Date; zone: string },
): Promise<KeyUsage> {
  const from = new Date(key.now.getTime() - LONGEST_DAYS * 86_400_000)
  return inTurn(key.accountId, () => sumOfKey(tx, { ...key, from }))
}

/** The records of one call, newest first; with `keyId` only if that key made it. */
export function recordsOfCall(
  tx: Tx,
  call: { accountId: string; keyId?: string | undefined; requestId: string; now: Date },
): Promise<ActivityRecord[]> {
  const to = new Date(call.now.getTime() + 1)
  const filter = { ...call, from: new Date(to.getTime() - LONGEST_DAYS * 86_400_000), to }
  const page = { before: undefined, limit: MOST_STAGES, offset: 0 }
  return inTurn(call.accountId, () => readPeriod(tx, filter, page))
}

/** The combined voice flow has three. */
const MOST_STAGES = 3

async function listPeriod(tx: Tx, filter: PeriodFilter, page: Page): Promise<ActivityPage> {
  const { limit, offset } = page
  const total = await countPeriod(tx, filter)
  const before = page.before ? await findPosition(tx, filter.accountId, page.before) : undefined
  const nothing = offset >= total || (page.before !== undefined && !before)
  if (nothing) return { records: [], total, hasMore: false }
  const records = await readPeriod(tx, filter, { before, limit: limit + 1, offset })
  return { records: records.slice(0, limit), total, hasMore: records.length > limit }
}

function startOf(text: string, zone: string): Date {
  return isDay(text) ? startOfDay(text, zone) : new Date(text)
}

function endOf(text: string, zone: string): Date {
  return isDay(text) ? startOfDay(dayAfter(text), zone) : new Date(text)
}
