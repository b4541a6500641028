import type { Row, Tx } from '../db/db.ts'
import type { ActivityKind, ActivityRecord, ActivityStatus } from './record.ts'

export type ActivityFilter = {
  workspaceId?: string | undefined
  model?: string | undefined
  status?: ActivityStatus | undefined
}

export type Lanes = { ids: string[]; total: number }

/** The lanes that a filter selects, and how many records they keep. Filters are exact matches. */
export async function findLanes(tx: Tx, accountId: string, filter: ActivityFilter): Promise<Lanes> {
  const rows = await tx.query<Row & { ids: string[]; total: bigint }>(
    `select coalesce(array_agg(lane_id), '{}')::text[] as ids, coalesce(sum(records), 0)::int8 as total
     from activity_lanes left join activity_workspace_moves as moved
       on moved.account_id = activity_lanes.account_id and from_workspace_id = workspace_id
     where activity_lanes.account_id = $1 and records > 0
       and ($2::uuid is null or coalesce(to_workspace_id, workspace_id) = $2)
       and ($3::text is null or model = $3)
       and ($4::text is null or status = $4)`,
    [accountId, filter.workspaceId ?? null, filter.model ?? null, filter.status ?? null],
  )
  return { ids: rows[0]!.ids, total: Number(rows[0]!.total) }
}

/** Where a record stands in the order of the list. */
export type Position = { createdAt: Date; id: string }

export async function findPosition(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<Position | undefined> {
  const [row] = await tx.query<Row & { created_at: Date }>(
    'select created_at from activity_records where id = $1 and account_id = $2',
    [id, accountId],
  )
  return row && { createdAt: row.created_at, id }
}

export type PageRequest = {
  accountId: string
  /** Left out: every lane of the account. */
  lanes?: string[] | undefined
  before?: Position | undefined
  limit: number
  offset: number
}

/** Newest first, by the account's own index; lanes are only looked at on the way. */
export async function walkAccount(tx: Tx, page: PageRequest): Promise<ActivityRecord[]> {
  const params: unknown[] = [page.accountId, page.limit, page.offset]
  const conditions = ['account_id = $1']
  if (page.lanes) conditions.push(`lane_id = any($${params.push(page.lanes)}::uuid[])`)
  if (page.before) conditions.push(isBefore(page.before, params))
  const found = `select id from activity_records where ${conditions.join(' and ')}
    order by created_at desc, id desc limit $2::int8 offset $3::int8`
  return readRecords(tx, found, params)
}

/** The newest of each lane, merged: no record outside the lanes is touched. */
export async function mergeLanes(tx: Tx, page: PageRequest): Promise<ActivityRecord[]> {
  const params: unknown[] = [page.accountId, page.limit, page.offset, page.lanes]
  const conditions = ['lane_id = lane']
  if (page.before) conditions.push(isBefore(page.before, params))
  const found = `select id from unnest($4::uuid[]) as lane cross join lateral (
      select id, created_at from activity_records where ${conditions.join(' and ')}
      order by created_at desc, id desc limit $2::int8 + $3::int8
    ) as newest
    order by created_at desc, id desc limit $2::int8 offset $3::int8`
  return readRecords(tx, found, params)
}

function isBefore(before: Position, params: unknown[]): string {
  const at = params.push(before.createdAt)
  const id = params.push(before.id)
  return `(created_at, id) < ($${at}::timestamptz, $${id}::uuid)`
}

/** Reads whole rows only for the ids of the page, and shows moved workspaces where they are now. */
async function readRecords(tx: Tx, found: string, params: unknown[]): Promise<ActivityRecord[]> {
  const rows = await tx.query<RecordRow>(
    `select record.*, coalesce(to_workspace_id, workspace_id) as shown_workspace_id
     from (${found}) as found join activity_records as record using (id)
     left join activity_workspace_moves as moved
       on moved.account_id = record.account_id and from_workspace_id = workspace_id
     where record.account_id = $1
     order by created_at desc, id desc`,
    params,
  )
  return rows.map(toRecord)
}

type RecordRow = Row & {
  id: string
  account_id: string
  shown_workspace_id: string | null
  key_id: string | null
  request_id: string
  kind: ActivityKind
  model: string
  status: ActivityStatus
  error_code: string | null
  prompt_tokens: bigint | null
  completion_tokens: bigint | null
  total_tokens: bigint | null
  cost_micro: bigint
  uncollected_micro: bigint
  estimated: boolean
  price_snapshot_id: string | null
  latency_ms: bigint
  created_at: Date
}

function toRecord(row: RecordRow): ActivityRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.shown_workspace_id ?? undefined,
    keyId: row.key_id ?? undefined,
    requestId: row.request_id,
    kind: row.kind,
    model: row.model,
    promptTokens: count(row.prompt_tokens),
    completionTokens: count(row.completion_tokens),
    totalTokens: count(row.total_tokens),
    costMicro: row.cost_micro,
    uncollectedMicro: row.uncollected_micro,
    latencyMs: Number(row.latency_ms),
    status: row.status,
    errorCode: row.error_code ?? undefined,
    estimated: row.estimated,
    priceSnapshotId: row.price_snapshot_id ?? undefined,
    createdAt: row.created_at,
  }
}

function count(value: bigint | null): number | undefined {
  return value === null ? undefined : Number(value)
}
