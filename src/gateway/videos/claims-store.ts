import type { Row, Tx } from '../../db/db.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'

/** A job as the worker that has claimed it knows it. */
export type ClaimedJob = {
  id: string
  /** Proves the claim: every change is made only while the row still has it. */
  lease: string
  status: 'pending' | 'processing'
  accountId: string
  workspaceId: string | undefined
  keyId: string | undefined
  requestId: string
  model: string
  priceSnapshotId: string | undefined
  priceMicro: bigint
  creditsPerUsd: string
  margin: string
  targets: readonly ModelTarget[]
  /** The caller's body as JSON, until an upstream has it. */
  request: string | undefined
  holdId: string | undefined
  /** Half of the hold's time has passed. */
  holdDue: boolean
  upstream: ModelTarget | undefined
  upstreamJobId: string | undefined
  submits: number
  polls: number
  overdue: boolean
  createdAt: Date
}

const CLAIMED = `id, lease, status, account_id, workspace_id, key_id, request_id, model,
  price_snapshot_id, price_micro, credits_per_usd, margin, targets, request, hold_id, upstream,
  upstream_model, upstream_job_id, submits, polls, created_at`

/**
 * Takes due jobs for `leaseS`: the new ones first, then those that have waited longest; nobody waits
 * for a locked row.
 */
export async function claimDueJobs(
  tx: Tx,
  claim: { limit: number; leaseS: number; renewAheadS: number },
): Promise<ClaimedJob[]> {
  const rows = await tx.query(
    `update video_jobs set lease = gen_random_uuid(),
       lease_until = now() + make_interval(secs => $2::float8)
     where id in (
       select id from video_jobs
       where next_look_at <= now() and (lease_until is null or lease_until <= now())
       order by status, next_look_at limit $1 for update skip locked)
     returning ${CLAIMED}, deadline <= now() as overdue,
       hold_until < now() + make_interval(secs => $3::float8) as hold_due`,
    [claim.limit, claim.leaseS, claim.renewAheadS],
  )
  return rows.map(claimedOf)
}

function claimedOf(row: Row): ClaimedJob {
  const { upstream, upstream_model: model } = row as Record<string, string | null>
  return {
    id: row.id as string,
    lease: row.lease as string,
    status: row.status as 'pending' | 'processing',
    accountId: row.account_id as string,
    workspaceId: (row.workspace_id as string | null) ?? undefined,
    keyId: (row.key_id as string | null) ?? undefined,
    requestId: row.request_id as string,
    model: row.model as string,
    priceSnapshotId: (row.price_snapshot_id as string | null) ?? undefined,
    priceMicro: row.price_micro as bigint,
    creditsPerUsd: row.credits_per_usd as string,
    margin: row.margin as string,
    targets: row.targets as ModelTarget[],
    request: (row.request as string | null) ?? undefined,
    holdId: (row.hold_id as string | null) ?? undefined,
    holdDue: row.hold_due as boolean,
    upstream: upstream && model ? { upstream, model } : undefined,
    upstreamJobId: (row.upstream_job_id as string | null) ?? undefined,
    submits: row.submits as number,
    polls: row.polls as number,
    overdue: row.overdue as boolean,
    createdAt: row.created_at as Date,
  }
}
