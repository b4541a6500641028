import {
  as,
  bool,
  bytes,
  columns,
  count,
  int,
  int8,
  oneOf,
  optional,
  text,
  time,
  type RowOf,
} from '../../../db/columns.ts'
import type { Tx } from '../../../db/db.ts'
import { deleteOldest } from '../../../db/purge-store.ts'

export type JobStatus =
  | 'queued'
  | 'in_progress'
  | 'completed'
  | 'incomplete'
  | 'failed'
  | 'cancelled'

export type NewResponseJob = {
  id: string
  accountId: string
  workspaceId: string | undefined
  keyId: string | undefined
  requestId: string
  model: string
  billId: string
  worthMicro: bigint
  request: string
  response: string
  streams: boolean
  deadline: Date
  createdAt: Date
  days: number
}

/** An existing row stays: the commit may be tried twice. */
export async function insertResponseJob(tx: Tx, job: NewResponseJob): Promise<void> {
  const { id, accountId, workspaceId, keyId, requestId, model, billId, worthMicro } = job
  const { request, response, streams, deadline, createdAt, days } = job
  const whose = [id, accountId, workspaceId ?? null, keyId ?? null, requestId, model]
  const work = [billId, worthMicro, Buffer.from(request), Buffer.from(response), streams]
  await tx.query(
    `insert into background_responses (id, account_id, workspace_id, key_id, request_id, model,
       bill_id, worth_micro, request, response, streams, deadline, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
       now() + make_interval(days => $14::int))
     on conflict (id) do nothing`,
    [...whose, ...work, deadline, createdAt, days],
  )
}

const SHOWN = columns({
  status: oneOf<JobStatus>(),
  response: bytes,
  streams: bool,
})
export type ShownJob = RowOf<typeof SHOWN>

const OWNED = 'id = $1 and account_id = $2 and not is_deleted and expires_at > now()'

/** Those of other accounts are not found, nor those that were deleted. */
export async function findResponseJob(
  tx: Tx,
  { id, accountId }: { id: string; accountId: string },
): Promise<ShownJob | undefined> {
  const rows = await tx.read(`select ${SHOWN.list} from background_responses where ${OWNED}`, [
    id,
    accountId,
  ])
  return SHOWN.first(rows)
}

export async function countOpenJobs(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.read<{ open: bigint }>(
    'select count(*) as open from background_responses where account_id = $1 and ended_at is null',
    [accountId],
  )
  return Number(row!.open)
}

/** Whoever works on it learns of it with the next beat. False where there is none. */
export async function leaveJob(
  tx: Tx,
  { id, accountId }: { id: string; accountId: string },
  { deletes }: { deletes: boolean },
): Promise<boolean> {
  const rows = await tx.query(
    `update background_responses set is_left = is_left or ended_at is null, is_deleted = $3
     where ${OWNED} returning id`,
    [id, accountId, deletes],
  )
  return rows.length > 0
}

/** Its account was deleted or suspended: nobody waits for it either. */
const NOBODY_WAITS = `(is_left or not exists (
  select from accounts a where a.id = account_id and a.deleted_at is null and a.status <> 'suspended'))`

const CLAIMED = columns({
  id: text,
  /** Proves the claim. */
  lease: text,
  accountId: text,
  workspaceId: optional(text),
  keyId: optional(text),
  requestId: text,
  model: text,
  billId: text,
  worthMicro: int8,
  request: bytes,
  response: bytes,
  streams: bool,
  /** This one included. */
  tries: int,
  isLeft: as(NOBODY_WAITS, bool),
  isOverdue: as('deadline <= now()', bool),
  createdAt: time,
  /** The number of its next event. */
  nextEvent: as(
    `(select coalesce(max(first + count), 0)::int8 from response_events where response_id = id)`,
    count,
  ),
})
export type ClaimedResponse = RowOf<typeof CLAIMED>

/** The oldest first, without waiting for locked rows. */
export async function claimResponseJobs(
  tx: Tx,
  claim: { limit: number; leaseS: number },
): Promise<ClaimedResponse[]> {
  const rows = await tx.query(
    `update background_responses set status = 'in_progress', tries = tries + 1,
       lease = gen_random_uuid(), lease_until = now() + make_interval(secs => $2::float8)
     where id in (
       select id from background_responses
       where ended_at is null and (lease_until is null or lease_until <= now())
       order by created_at limit $1 for update skip locked)
     returning ${CLAIMED.list}`,
    [claim.limit, claim.leaseS],
  )
  return CLAIMED.all(rows)
}

type Claim = { id: string; lease: string }

/** Prolongs the claim. Undefined when it is lost; else whether anybody waits for the response. */
export async function beatJob(
  tx: Tx,
  { id, lease }: Claim,
  leaseS: number,
): Promise<{ isLeft: boolean } | undefined> {
  const [row] = await tx.query<{ is_left: boolean }>(
    `update background_responses set lease_until = now() + make_interval(secs => $3::float8)
     where id = $1 and lease = $2 and ended_at is null returning ${NOBODY_WAITS} as is_left`,
    [id, lease, leaseS],
  )
  return row && { isLeft: row.is_left }
}

/** For a worker that stops: another one may claim it at once. */
export async function giveBackJob(tx: Tx, { id, lease }: Claim): Promise<void> {
  await tx.query(
    `update background_responses set lease = null, lease_until = null
     where id = $1 and lease = $2 and ended_at is null`,
    [id, lease],
  )
}

export type JobEnd = {
  id: string
  status: Exclude<JobStatus, 'queued' | 'in_progress'>
  /** Left out where it is stored elsewhere. */
  response?: string | undefined
}

/** The first end counts. Gives whether it was deleted meanwhile; undefined if it had ended. */
export async function endJobRow(
  tx: Tx,
  { id, status, response }: JobEnd,
): Promise<{ isDeleted: boolean } | undefined> {
  const [row] = await tx.query<{ is_deleted: boolean }>(
    `update background_responses set status = $2, response = coalesce($3, response),
       request = null, lease = null, lease_until = null, ended_at = now()
     where id = $1 and ended_at is null returning is_deleted`,
    [id, status, response === undefined ? null : Buffer.from(response)],
  )
  return row && { isDeleted: row.is_deleted }
}

/** Holds of jobs that have not ended, which the sweeper must leave. */
export async function holdsOfLiveResponses(tx: Tx, billIds: string[]): Promise<Set<string>> {
  const rows = await tx.read<{ bill_id: string }>(
    `select bill_id from background_responses where ended_at is null and bill_id = any($1::uuid[])`,
    [billIds],
  )
  return new Set(rows.map((row) => row.bill_id))
}

export function purgeResponseJobs(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'background_responses',
    where: 'ended_at is not null and (is_deleted or expires_at <= now())',
    order: 'expires_at',
  })
}

export async function deleteAllResponseJobs(tx: Tx, accountId: string): Promise<void> {
  await tx.query(
    'delete from background_responses where account_id = $1 and ended_at is not null',
    [accountId],
  )
}
