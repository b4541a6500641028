import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { binaryRows, type RowType } from '../db/binary-rows.ts'
import type { Row, Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import { COST_BASES } from '../ledger/upstream-cost.ts'
import { ALL_GROUPS, pendingRollupOf, writePendingRollups } from './pending-rollups-store.ts'
import { ACTIVITY_STATUSES, type ActivityRecord } from './record.ts'

/**
 * Writes records in the caller's transaction, with what they add to the counters of their groups, to
 * roll-ups and to the sums of costs. A record whose id is already there changes nothing. Days and
 * months are those of `timeZone`.
 */
export async function insertRecords(
  tx: Tx,
  records: ActivityRecord[],
  timeZone: string,
): Promise<void> {
  if (records.length === 0) return
  await tx.query(INSERT_RECORDS, [recordRows(records), timeZone])
}

/** The same as a part of the statement that charges for the calls. */
export function recordsBeside(timeZone: string) {
  return {
    text: (first: number) => insertion(first, 'where (select ok from preconditions_hold)'),
    values: [({ beside }: { beside: ActivityRecord[] }) => recordRows(beside), () => timeZone],
    insert: (tx: Tx, records: ActivityRecord[]) => insertRecords(tx, records, timeZone),
  }
}

function recordRows(records: ActivityRecord[]): Buffer {
  for (const record of records) checkRecord(record)
  return binaryRows(NEW_RECORD, records)
}

/** Asserts what only a bug could break, before the record reaches the database. */
function checkRecord(record: ActivityRecord): void {
  assert.equal(record.id[14], '7', 'an activity record needs a UUID v7')
  assert.ok(ACTIVITY_STATUSES.includes(record.status), 'a known status')
  assert.ok(
    record.status === 'completed' || record.costMicro === 0n,
    'only a completed operation is charged',
  )
  assert.ok(record.costMicro === 0n || !record.waivedMicro, 'what is charged is not waived')
  const { upstreamCost } = record
  assert.ok(
    upstreamCost === undefined || COST_BASES.includes(upstreamCost.basis),
    'a known basis of cost',
  )
  checkAmount(record.costMicro, 'a cost is never negative')
  checkAmount(record.uncollectedMicro, 'what was not collected is never negative')
  checkAmount(record.giftMicro, 'a gift is never negative')
  checkAmount(record.waivedMicro, 'what is waived is never negative')
  checkAmount(upstreamCost?.nusd, 'an upstream cost is never negative')
  checkCount(record.promptTokens, 'a token count')
  checkCount(record.completionTokens, 'a token count')
  checkCount(record.totalTokens, 'a token count')
  checkCount(record.attempts, 'a number of attempts')
}

function checkAmount(amount: bigint | undefined, what: string): void {
  assert.ok(amount === undefined || amount >= 0n, what)
}

function checkCount(count: number | undefined, what: string): void {
  assert.ok(count === undefined || (Number.isSafeInteger(count) && count >= 0), what)
}

/** What these records cost; one that was not written, or whose call failed, is not in the map. */
export async function costsOf(tx: Tx, ids: string[]): Promise<Map<string, bigint>> {
  const rows = await tx.read<{ id: string; cost_micro: bigint }>(
    `select id, cost_micro from activity_records
     where id = any($1::uuid[]) and status = 'completed'`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row.cost_micro]))
}

export const NEW_RECORD: RowType<ActivityRecord> = {
  name: 'new_record',
  columns: [
    ['id', 'uuid', (r) => r.id],
    ['account_id', 'uuid', (r) => r.accountId],
    ['workspace_id', 'uuid', (r) => r.workspaceId],
    ['key_id', 'uuid', (r) => r.keyId],
    ['request_id', 'text', (r) => r.requestId],
    ['kind', 'text', (r) => r.kind],
    ['model', 'text', (r) => r.model],
    ['status', 'text', (r) => r.status],
    ['error_code', 'text', (r) => r.errorCode],
    ['prompt_tokens', 'int8', (r) => r.promptTokens],
    ['completion_tokens', 'int8', (r) => r.completionTokens],
    ['total_tokens', 'int8', (r) => r.totalTokens],
    ['cost_micro', 'int8', (r) => r.costMicro],
    ['uncollected_micro', 'int8', (r) => r.uncollectedMicro ?? 0n],
    ['gift_micro', 'int8', (r) => r.giftMicro ?? 0n],
    ['waived_micro', 'int8', (r) => r.waivedMicro ?? 0n],
    ['upstream', 'text', (r) => r.upstream],
    ['attempts', 'int8', (r) => r.attempts],
    ['first_byte_ms', 'int8', (r) => r.firstByteMs && wholeMs(r.firstByteMs)],
    ['upstream_cost_nusd', 'int8', (r) => r.upstreamCost?.nusd],
    ['cost_basis', 'text', (r) => r.upstreamCost?.basis],
    ['estimated', 'bool', (r) => r.estimated],
    ['price_snapshot_id', 'uuid', (r) => r.priceSnapshotId],
    ['latency_ms', 'int8', (r) => wholeMs(r.latencyMs)],
    ['created_at', 'timestamptz', (r) => r.createdAt],
    ['group_id', 'uuid', groupOf],
  ],
}

/** As in `record_groups`, where the database makes it of the same members. */
function groupOf({ accountId, workspaceId = '', status, model }: ActivityRecord): string {
  const hex = hash('md5', `${accountId}/${workspaceId}/${status}/${model}`)
  const begin = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}`
  return `${begin}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms))
}

const NAMES = NEW_RECORD.columns.map(([name]) => name).join(', ')

/** Rollups are made from the rows that were inserted. A charge locks nothing here that another needs. */
const insertion = (first: number, where: string) => `
  recorded as (
    insert into activity_records (${NAMES}) select * from unnest($${first}::${NEW_RECORD.name}[])
    ${where}
    on conflict (id) do nothing
    returning ${pendingRollupOf(first + 1)}
  ),
  pending as (${writePendingRollups('recorded')})`

const INSERT_RECORDS = `with ${insertion(1, '')} select`

/**
 * Makes a deleted workspace's records, past and still to come, count as `toId`'s. One row, however
 * many records there are: readers look through it.
 */
export async function moveWorkspace(
  tx: Tx,
  move: { accountId: string; fromId: string; toId: string },
): Promise<void> {
  await tx.query(
    `with earlier as (
       update activity_workspace_moves set to_workspace_id = $3
       where account_id = $1 and to_workspace_id = $2
     )
     insert into activity_workspace_moves (account_id, from_workspace_id, to_workspace_id)
     values ($1, $2, $3)
     on conflict (account_id, from_workspace_id) do update
       set to_workspace_id = excluded.to_workspace_id`,
    [move.accountId, move.fromId, move.toId],
  )
}

/**
 * Purges at most `batch` records older than the given days, by the database's clock, and says how
 * many. Ids carry their time, so the primary key finds the oldest. Roll-ups stay.
 */
export async function purgeRecords(
  tx: Tx,
  limits: { olderThanDays: number; batch: number },
): Promise<number> {
  const [row] = await tx.query<Row & { purged: bigint; groups: string[] }>(PURGE, [
    limits.olderThanDays,
    limits.batch,
  ])
  // A group without records is none. One that gets a record meanwhile is not empty any more.
  await tx.query(
    `delete from record_groups where records = 0 and group_id in (
       select group_id from record_groups where group_id = any($1::uuid[]) order by group_id for update)`,
    [row!.groups],
  )
  return Number(row!.purged)
}

/** Nobody looks through a move of which no record is left. A day, for calls that still run. */
export function purgeMoves(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'activity_workspace_moves',
    where: `moved_at < now() - interval '1 day' and not exists (
      select from ${ALL_GROUPS} as one
      where one.account_id = activity_workspace_moves.account_id
        and one.workspace_id = activity_workspace_moves.from_workspace_id)`,
    order: 'moved_at',
  })
}

// The groups' rows are there already: the upsert is an update that locks in the order in which the
// background job adds to them. A record that is still pending has not been counted: it stays for the
// next round.
const PURGE = `
  with cutoff as (select now() - make_interval(days => $1::int) as at),
  bound as (
    select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-000000000000')::uuid as id
    from (
      select lpad(to_hex(floor(extract(epoch from at) * 1000)::int8), 12, '0') as hex from cutoff
    ) as time
  ),
  old as (
    select id from activity_records
    where id < (select id from bound) and created_at < (select at from cutoff)
      and id not in (select record_id from pending_rollups where record_id < (select id from bound))
    order by id limit $2::int8
    for update skip locked
  ),
  gone as (
    delete from activity_records where id in (select id from old)
    returning account_id, workspace_id, model, status, group_id
  ),
  counted as (
    insert into record_groups (account_id, workspace_id, model, status, records)
    select account_id, workspace_id, model, status, count(*)
    from gone
    group by account_id, workspace_id, model, status, group_id
    order by group_id
    on conflict (group_id) do update set records = record_groups.records - excluded.records
  )
  select count(*) as purged, coalesce(array_agg(distinct group_id), '{}') as groups from gone`
