import {
  columns,
  int,
  int8,
  oneOf,
  orNull,
  text,
  texts,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

export const AUDIT_CHANNEL = 'mlango_audits'

const RUN = columns({
  id: text,
  state: oneOf<'waiting' | 'running' | 'done' | 'failed'>(),
  askedBy: text,
  step: int,
  steps: int,
  accounts: orNull(int8),
  entries: orNull(int8),
  holds: orNull(int8),
  findings: texts,
  findingCount: int,
  logEnd: orNull(text),
  error: orNull(text),
  createdAt: time,
  startedAt: orNull(time),
  endedAt: orNull(time),
})
export type AuditRun = RowOf<typeof RUN>

/** The run that waits or is under way, if there is one. */
export async function findOpenRun(tx: Tx): Promise<AuditRun | undefined> {
  const rows = await tx.read(
    `select ${RUN.list} from audit_runs where state in ('waiting', 'running')`,
  )
  return RUN.first(rows)
}

/** Begins when the transaction commits: the NOTIFY wakes the processes. */
export async function insertRun(tx: Tx, run: { id: string; askedBy: string }): Promise<AuditRun> {
  const [row] = await tx.query(
    `insert into audit_runs (id, asked_by) values ($1, $2) returning ${RUN.list}`,
    [run.id, run.askedBy],
  )
  await tx.query(`select pg_notify('${AUDIT_CHANNEL}', '')`)
  return RUN.from(row!)
}

export type RunLease = { id: string; leaseId: string }

/** Claims a run that waits, or whose process is gone and which then starts over. */
export async function claimRun(
  tx: Tx,
  claim: { leaseId: string; leaseS: number; mostAttempts: number },
): Promise<(RunLease & { attempts: number }) | undefined> {
  const [row] = await tx.query<{ id: string; attempts: number }>(
    `update audit_runs set state = 'running', lease_id = $1, attempts = attempts + 1, step = 0,
       lease_until = now() + make_interval(secs => $2), started_at = coalesce(started_at, now())
     where id = (
       select id from audit_runs
       where (state = 'waiting' or (state = 'running' and lease_until < now())) and attempts < $3
       limit 1 for update skip locked)
     returning id, attempts`,
    [claim.leaseId, claim.leaseS, claim.mostAttempts],
  )
  return row && { ...row, leaseId: claim.leaseId }
}

/** False when the lease is another's by now. */
export async function renewRun(
  tx: Tx,
  { id, leaseId }: RunLease,
  at: { step: number; steps: number; leaseS: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update audit_runs set step = $3, steps = $4, lease_until = now() + make_interval(secs => $5)
     where id = $1 and lease_id = $2 returning id`,
    [id, leaseId, at.step, at.steps, at.leaseS],
  )
  return rows.length === 1
}

export type RunResult = {
  steps: number
  accounts: bigint
  entries: bigint
  holds: bigint
  findings: string[]
  findingCount: number
  logEnd: string
}

export async function finishRun(
  tx: Tx,
  { id, leaseId }: RunLease,
  result: RunResult,
): Promise<void> {
  await tx.query(
    `update audit_runs set state = 'done', step = $3, steps = $3, accounts = $4, entries = $5,
       holds = $6, findings = $7, finding_count = $8, log_end = $9, error = null,
       lease_id = null, lease_until = null, ended_at = now()
     where id = $1 and lease_id = $2`,
    [
      id,
      leaseId,
      result.steps,
      result.accounts,
      result.entries,
      result.holds,
      result.findings,
      result.findingCount,
      result.logEnd,
    ],
  )
}

/** It waits again. A process that stops has not failed, so that does not count as an attempt. */
export async function giveRunBack(
  tx: Tx,
  { id, leaseId }: RunLease,
  { counts }: { counts: boolean },
): Promise<void> {
  await tx.query(
    `update audit_runs set state = 'waiting', step = 0, lease_id = null, lease_until = null,
       attempts = attempts - $3
     where id = $1 and lease_id = $2`,
    [id, leaseId, counts ? 0 : 1],
  )
}

/** Gives up runs that were started too often; returns how many. */
export async function failSpentRuns(tx: Tx, mostAttempts: number): Promise<number> {
  const rows = await tx.query(
    `update audit_runs set state = 'failed', error = 'interrupted', lease_id = null,
       lease_until = null, ended_at = now()
     where attempts >= $1 and (state = 'waiting' or (state = 'running' and lease_until < now()))
     returning id`,
    [mostAttempts],
  )
  return rows.length
}

export async function findRun(tx: Tx, id: string): Promise<AuditRun | undefined> {
  const rows = await tx.read(`select ${RUN.list} from audit_runs where id = $1`, [id])
  return RUN.first(rows)
}

/** Newest first. */
export async function listRuns(
  tx: Tx,
  page: { before: string | undefined; limit: number },
): Promise<AuditRun[]> {
  const rows = await tx.read(
    `select ${RUN.list} from audit_runs where $1::uuid is null or id < $1 order by id desc limit $2`,
    [page.before ?? null, page.limit],
  )
  return RUN.all(rows)
}

/** An audit more than a year old is of little use. */
export function purgeAuditRuns(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'audit_runs',
    where: `ended_at < now() - interval '400 days'`,
    order: 'ended_at',
  })
}
