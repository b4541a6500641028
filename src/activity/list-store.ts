import { as, bool, columns, count, int8, oneOf, optional, text, time } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { ActivityKind, ActivityRecord, ActivityStatus } from './record.ts'

/** The place of a record in the order of the list. */
export type Position = { createdAt: Date; id: string }

export async function findPosition(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<Position | undefined> {
  const [row] = await tx.read<Position>(
    'select created_at as "createdAt", id from activity_records where id = $1 and account_id = $2',
    [id, accountId],
  )
  return row
}

export type PageRequest = {
  accountId: string
  before?: Position | undefined
  limit: number
  offset: number
}

/** A page of all the account's records, newest first. */
export function readPage(tx: Tx, page: PageRequest): Promise<ActivityRecord[]> {
  return readShown(tx, page.offset > NEAR ? FAR_PAGE : NEAR_PAGE, pageParams(page))
}

/** A page of one record group, along its own index. */
export function readGroup(tx: Tx, page: PageRequest, groupId: string): Promise<ActivityRecord[]> {
  const sql = page.offset > NEAR ? FAR_PAGE_OF_GROUP : NEAR_PAGE_OF_GROUP
  return readShown(tx, sql, [...pageParams(page), groupId])
}

/** A page of several record groups, along the account's index: reads past what is in none of them. */
export function scanGroups(tx: Tx, page: PageRequest, groups: string[]): Promise<ActivityRecord[]> {
  return readShown(tx, SCAN_OF_GROUPS, [...pageParams(page), groups])
}

/** The same, but only among the account's newest records, as many as `newest` says. */
export function scanNewest(
  tx: Tx,
  page: PageRequest,
  among: { groups: string[]; newest: number },
): Promise<ActivityRecord[]> {
  return readShown(tx, SCAN_OF_NEWEST, [...pageParams(page), among.groups, among.newest])
}

/** The newest of each record group, merged: no record outside the groups is touched. */
export function mergeGroups(
  tx: Tx,
  page: PageRequest,
  groups: string[],
): Promise<ActivityRecord[]> {
  return readShown(tx, MERGE_OF_GROUPS, [...pageParams(page), groups])
}

/** $1 to $5 of every statement. A page without `before` begins after the end of time. */
function pageParams({ accountId, limit, offset, before }: PageRequest): unknown[] {
  return [accountId, limit, offset, before?.createdAt ?? 'infinity', before?.id ?? LAST_ID]
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const NEWEST_FIRST = 'order by created_at desc, id desc'

/** Up to here the rows are read at once; further down, those skipped are skipped in the index. */
const NEAR = 1_000

export const RECORD = columns({
  id: text,
  accountId: as('record.account_id', text),
  /** Records of a moved workspace are shown where they are now. */
  workspaceId: as('coalesce(to_workspace_id, workspace_id)', optional(text)),
  keyId: optional(text),
  requestId: text,
  kind: oneOf<ActivityKind>(),
  model: text,
  promptTokens: optional(count),
  completionTokens: optional(count),
  totalTokens: optional(count),
  costMicro: int8,
  uncollectedMicro: int8,
  latencyMs: count,
  status: oneOf<ActivityStatus>(),
  errorCode: optional(text),
  estimated: bool,
  priceSnapshotId: optional(text),
  createdAt: time,
})

const NEAR_PAGE = shown(`(
  select * from activity_records
  where account_id = $1 and (created_at, id) < ($4::timestamptz, $5::uuid)
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8)`)

const FAR_PAGE = shownByIds(`
  select id from activity_records
  where account_id = $1 and (created_at, id) < ($4::timestamptz, $5::uuid)
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8`)

const NEAR_PAGE_OF_GROUP = shown(`(
  select * from activity_records
  where group_id = $6::uuid and (created_at, id) < ($4::timestamptz, $5::uuid)
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8)`)

const FAR_PAGE_OF_GROUP = shownByIds(`
  select id from activity_records
  where group_id = $6::uuid and (created_at, id) < ($4::timestamptz, $5::uuid)
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8`)

const SCAN_OF_GROUPS = shownByIds(`
  select id from activity_records
  where account_id = $1 and (created_at, id) < ($4::timestamptz, $5::uuid)
    and group_id = any($6::uuid[])
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8`)

const SCAN_OF_NEWEST = shownByIds(`
  select id from (
    select id, created_at, group_id from activity_records
    where account_id = $1 and (created_at, id) < ($4::timestamptz, $5::uuid)
    ${NEWEST_FIRST} limit $7::int8
  ) as newest
  where group_id = any($6::uuid[])
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8`)

const MERGE_OF_GROUPS = shownByIds(`
  select id from unnest($6::uuid[]) as wanted cross join lateral (
    select id, created_at from activity_records
    where group_id = wanted and (created_at, id) < ($4::timestamptz, $5::uuid)
    ${NEWEST_FIRST} limit $2::int8 + $3::int8
  ) as newest
  ${NEWEST_FIRST} limit $2::int8 offset $3::int8`)

/** The ids are found once and first, whatever the planner believes of a table that just grew. */
function shownByIds(ids: string): string {
  return shown(`(select * from activity_records where id = any(array(${ids})))`)
}

function shown(records: string): string {
  return `select ${RECORD.list}
    from ${records} as record left join activity_workspace_moves as moved
      on moved.account_id = $1 and from_workspace_id = workspace_id
    ${NEWEST_FIRST}`
}

async function readShown(tx: Tx, sql: string, params: unknown[]): Promise<ActivityRecord[]> {
  return RECORD.all(await tx.read(sql, params))
}
