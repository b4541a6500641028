import type { Tx } from '../db/db.ts'
import { type Position, RECORD } from './list-store.ts'
import type { ActivityFilter } from './record-groups-store.ts'
import type { ActivityKind, ActivityRecord } from './record.ts'

export type PeriodFilter = ActivityFilter & {
  accountId: string
  /** Inclusive. */
  from: Date
  /** Exclusive. */
  to: Date
  kind?: ActivityKind | undefined
  keyId?: string | undefined
  requestId?: string | undefined
}

/** $1 to $9 of every statement here. */
function filterParams(filter: PeriodFilter): unknown[] {
  return [
    filter.accountId,
    filter.from,
    filter.to,
    filter.kind ?? null,
    filter.keyId ?? null,
    filter.requestId ?? null,
    filter.model ?? null,
    filter.status ?? null,
    filter.workspaceId ?? null,
  ]
}

/** What the filter selects. */
const FROM_SELECTED = `
  from activity_records as record left join activity_workspace_moves as moved
    on moved.account_id = $1 and from_workspace_id = workspace_id
  where record.account_id = $1 and created_at >= $2 and created_at < $3
    and ($4::text is null or kind = $4)
    and ($5::uuid is null or key_id = $5)
    and ($6::text is null or request_id = $6)
    and ($7::text is null or model = $7)
    and ($8::text is null or status = $8)
    and ($9::uuid is null or coalesce(to_workspace_id, workspace_id) = $9)`

/** With each record where it is shown now. */
const SELECTED = `select record.*, coalesce(to_workspace_id, workspace_id) as shown_workspace_id
  ${FROM_SELECTED}`

export async function countPeriod(tx: Tx, filter: PeriodFilter): Promise<number> {
  const [row] = await tx.read<{ total: bigint }>(
    `select count(*) as total ${FROM_SELECTED}`,
    filterParams(filter),
  )
  return Number(row!.total)
}

export async function readPeriod(
  tx: Tx,
  filter: PeriodFilter,
  page: { before: Position | undefined; limit: number; offset: number },
): Promise<ActivityRecord[]> {
  const { before, limit, offset } = page
  const rows = await tx.read(
    `select ${RECORD.list} ${FROM_SELECTED} and ($10::timestamptz is null or (created_at, id) < ($10, $11::uuid))
     order by created_at desc, id desc limit $12::int8 offset $13::int8`,
    [...filterParams(filter), before?.createdAt ?? null, before?.id ?? null, limit, offset],
  )
  return RECORD.all(rows)
}

export type KeyUsage = {
  allMicro: bigint
  dayMicro: bigint
  weekMicro: bigint
  monthMicro: bigint
}

/** What calls with a key have cost: since `from`, and in the day, week and month of `now`. */
export async function sumOfKey(
  tx: Tx,
  key: { accountId: string; keyId: string; from: Date; now: Date; zone: string },
): Promise<KeyUsage> {
  const within = (unit: string) =>
    `coalesce(sum(cost_micro) filter (where created_at >=
       date_trunc('${unit}', $4::timestamptz at time zone $5) at time zone $5), 0)::int8`
  const [row] = await tx.read<KeyUsage>(
    `select coalesce(sum(cost_micro), 0)::int8 as "allMicro", ${within('day')} as "dayMicro",
       ${within('week')} as "weekMicro", ${within('month')} as "monthMicro"
     from activity_records where account_id = $1 and key_id = $2 and created_at >= $3`,
    [key.accountId, key.keyId, key.from, key.now, key.zone],
  )
  return row!
}

export const GROUPINGS = ['model', 'key', 'kind', 'workspace'] as const
export type Grouping = (typeof GROUPINGS)[number]

const GROUP_COLUMNS: Record<Grouping | 'none', string> = {
  none: 'null::text',
  model: 'model',
  key: 'key_id::text',
  kind: 'kind',
  workspace: 'shown_workspace_id::text',
}

export type Sums = { requests: bigint; tokens: bigint; costMicro: bigint }
/** `day` counts from 0: the first of `starts`. */
export type DaySums = Sums & { day: number; id: string | null }

/** Sums by day and group. A day begins at its entry of `starts`, which are in order. */
export async function sumDays(
  tx: Tx,
  filter: PeriodFilter,
  by: { starts: Date[]; group: Grouping | undefined },
): Promise<DaySums[]> {
  return tx.read<DaySums>(
    `select width_bucket(created_at, $10::timestamptz[]) - 1 as day,
       ${GROUP_COLUMNS[by.group ?? 'none']} as id, count(*) as requests,
       sum(coalesce(total_tokens, coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)))::int8
         as tokens,
       sum(cost_micro)::int8 as "costMicro"
     from (${SELECTED}) as selected group by 1, 2 order by 1, 2`,
    [...filterParams(filter), by.starts],
  )
}
