import type { Row, Tx } from '../db/db.ts'
import type { ActivityKind, ActivityRecord, ActivityStatus } from './record.ts'

/** Where a record stands in the order of the list. */
export type Position = { createdAt: Date; id: string }

export async function findPosition(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<Position | undefined> {
  const [row] = await tx.read<Row & { created_at: Date }>(
    'select created_at from activity_records where id = $1 and account_id = $2',
    [id, accountId],
  )
  return row && { createdAt: row.created_at, id }
}

export type PageRequest = {
  accountId: string
  /** Left out: every lane of the account. */
  lanes?: string[] | undefined
  /** How many of the account's newest records to look at; left out: as many as it takes. */
  reach?: number | undefined
  before?: Position | undefined
  limit: number
  offset: number
}

/** Newest first, along one index: the only lane's, or the account's with a look at the lanes. */
export async function walkIndex(tx: Tx, page: PageRequest): Promise<ActivityRecord[]> {
  const params: unknown[] = [page.accountId, page.limit, page.offset]
  const only = page.lanes?.length === 1 ? page.lanes[0] : undefined
  const start = only === undefined ? 'account_id = $1' : `lane_id = $${params.push(only)}::uuid`
  const before = page.before ? `and ${isBefore(page.before, params)}` : ''
  const walk = `activity_records where ${start} ${before}`
  if (page.lanes === undefined || only !== undefined)
    return readRecords(tx, near(page, walk), params)
  const inLanes = `lane_id = any($${params.push(page.lanes)}::uuid[])`
  if (page.reach === undefined) {
    return readRecords(tx, rowsOf(`select id from ${walk} and ${inLanes} ${PAGE}`), params)
  }
  const reached = `(select id, created_at, lane_id from ${walk}
    ${NEWEST_FIRST} limit $${params.push(page.reach)}::int8) as reached`
  return readRecords(tx, rowsOf(`select id from ${reached} where ${inLanes} ${PAGE}`), params)
}

/** Rows that are skipped are skipped in the index; a page near the top is read at once. */
function near(page: PageRequest, walk: string): string {
  if (page.offset > NEAR) return rowsOf(`select id from ${walk} ${PAGE}`)
  return `(select * from ${walk} ${PAGE}) as record`
}

/** The newest of each lane, merged: no record outside the lanes is touched. */
export async function mergeLanes(tx: Tx, page: PageRequest): Promise<ActivityRecord[]> {
  const params: unknown[] = [page.accountId, page.limit, page.offset, page.lanes ?? []]
  const before = page.before ? `and ${isBefore(page.before, params)}` : ''
  const found = `select id from unnest($4::uuid[]) as lane cross join lateral (
      select id, created_at from activity_records where lane_id = lane ${before}
      ${NEWEST_FIRST} limit $2::int8 + $3::int8
    ) as newest ${PAGE}`
  return readRecords(tx, rowsOf(found), params)
}

const NEWEST_FIRST = 'order by created_at desc, id desc'
const PAGE = `${NEWEST_FIRST} limit $2::int8 offset $3::int8`
const NEAR = 1_000

/** The ids are found once and first, whatever the planner believes of a table that just grew. */
const rowsOf = (found: string) =>
  `(select * from activity_records where id = any(array(${found}))) as record`

function isBefore(before: Position, params: unknown[]): string {
  const at = params.push(before.createdAt)
  const id = params.push(before.id)
  return `(created_at, id) < ($${at}::timestamptz, $${id}::uuid)`
}

/** Shows the records of a moved workspace where they are now. */
async function readRecords(tx: Tx, source: string, params: unknown[]): Promise<ActivityRecord[]> {
  const rows = await tx.read<RecordRow>(
    `select record.*, coalesce(to_workspace_id, workspace_id) as shown_workspace_id
     from ${source} left join activity_workspace_moves as moved
       on moved.account_id = $1 and from_workspace_id = workspace_id
     ${NEWEST_FIRST}`,
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
