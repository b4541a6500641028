import type { Tx } from '../../db/db.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import type { ClaimedJob } from './claims-store.ts'
import type { VideoJobStatus } from './jobs-store.ts'
import type { VideoErrorCode } from '../../upstream/contract/video.ts'

/**
 * Committed before the upstream is asked, so that a crash cannot start the work at two upstreams.
 */
export function markAsked(tx: Tx, job: ClaimedJob, target: ModelTarget): Promise<boolean> {
  return change(tx, job, 'upstream = $4, upstream_model = $5', [target.upstream, target.model])
}

/** The request is deleted once the upstream has the job. */
export function markAccepted(
  tx: Tx,
  job: ClaimedJob,
  accepted: { upstreamJobId: string; nextCheckS: number },
): Promise<boolean> {
  return change(
    tx,
    job,
    `status = 'processing', upstream_job_id = $4, request = null, updated_at = now(),
     next_look_at = least(now() + make_interval(secs => $5::float8), deadline), ${UNCLAIMED}`,
    [accepted.upstreamJobId, accepted.nextCheckS],
  )
}

/** Gives the claim back until the next check. */
export function postpone(
  tx: Tx,
  job: ClaimedJob,
  until: {
    nextCheckS: number
    /** Not accepted: another upstream may be asked next time. */
    forgetUpstream: boolean
  },
): Promise<boolean> {
  const count = job.status === 'pending' ? 'submits' : 'polls'
  return change(
    tx,
    job,
    `${count} = ${count} + 1, ${until.forgetUpstream ? 'upstream = null, upstream_model = null,' : ''}
     next_look_at = least(now() + make_interval(secs => $4::float8), deadline), ${UNCLAIMED}`,
    [until.nextCheckS],
  )
}

export function noteRenewal(tx: Tx, job: ClaimedJob, until: Date): Promise<boolean> {
  return change(tx, job, 'hold_until = $4', [until])
}

/** For a worker that stops: another one may claim the job at once. */
export function giveBack(tx: Tx, job: ClaimedJob): Promise<boolean> {
  return change(tx, job, UNCLAIMED, [])
}

const UNCLAIMED = 'lease = null, lease_until = null'

/** False when the claim is lost or the job has moved on. `$4` is the first of `values`. */
async function change(tx: Tx, job: ClaimedJob, set: string, values: unknown[]): Promise<boolean> {
  const rows = await tx.query(
    `update video_jobs set ${set} where id = $1 and lease = $2 and status = $3 returning id`,
    [job.id, job.lease, job.status, ...values],
  )
  return rows.length > 0
}

/** Locks the job if the claim is valid. Must precede its end. */
export async function lockClaimed(tx: Tx, job: ClaimedJob): Promise<boolean> {
  const rows = await tx.read(
    `select id from video_jobs where id = $1 and lease = $2 and status = $3 for update`,
    [job.id, job.lease, job.status],
  )
  return rows.length > 0
}

export async function writeEnd(
  tx: Tx,
  end: {
    id: string
    status: Exclude<VideoJobStatus, 'pending' | 'processing'>
    costMicro: bigint | undefined
    errorCode: VideoErrorCode | undefined
  },
): Promise<void> {
  await tx.query(
    `update video_jobs set status = $2, cost_micro = $3, error_code = $4, request = null,
       lease = null, lease_until = null, next_look_at = null, updated_at = now()
     where id = $1`,
    [end.id, end.status, end.costMicro ?? null, end.errorCode ?? null],
  )
}
