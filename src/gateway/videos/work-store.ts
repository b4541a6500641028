import type { Row, Tx } from '../../db/db.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import type { ClaimedJob } from './claims-store.ts'
import type { VideoJobStatus } from './jobs-store.ts'
import type { VideoErrorCode } from '../../upstream/contract/video.ts'

/** Committed before anyone is asked, so that a crash cannot make two upstreams do the work. */
export async function markAsked(tx: Tx, job: ClaimedJob, target: ModelTarget): Promise<boolean> {
  return changed(
    await tx.query(
      `update video_jobs set upstream = $3, upstream_model = $4
       where id = $1 and lease = $2 and status = 'pending' returning id`,
      [job.id, job.lease, target.upstream, target.model],
    ),
  )
}

/** The upstream has the job: `pending` becomes `processing`, and the request is deleted here. */
export async function markAccepted(
  tx: Tx,
  job: ClaimedJob,
  accepted: { upstreamJobId: string; nextCheckS: number },
): Promise<boolean> {
  return changed(
    await tx.query(
      `update video_jobs set status = 'processing', upstream_job_id = $3, request = null,
         updated_at = now(),
         next_look_at = least(now() + make_interval(secs => $4::float8), deadline),
         lease = null, lease_until = null
       where id = $1 and lease = $2 and status = 'pending' returning id`,
      [job.id, job.lease, accepted.upstreamJobId, accepted.nextCheckS],
    ),
  )
}

/** No verdict yet: gives the claim back until the next check. */
export async function postpone(
  tx: Tx,
  job: ClaimedJob,
  until: {
    nextCheckS: number
    /** Nobody has taken it: another upstream may be asked next time. */
    forgetUpstream: boolean
  },
): Promise<boolean> {
  return changed(
    await tx.query(
      `update video_jobs set lease = null, lease_until = null,
         submits = submits + case when status = 'pending' then 1 else 0 end,
         polls = polls + case when status = 'processing' then 1 else 0 end,
         upstream = case when $4::boolean then null else upstream end,
         upstream_model = case when $4::boolean then null else upstream_model end,
         next_look_at = least(now() + make_interval(secs => $3::float8), deadline)
       where id = $1 and lease = $2 and status = $5 returning id`,
      [job.id, job.lease, until.nextCheckS, until.forgetUpstream, job.status],
    ),
  )
}

export async function noteRenewal(tx: Tx, job: ClaimedJob, until: Date): Promise<boolean> {
  return changed(
    await tx.query(
      'update video_jobs set hold_until = $3 where id = $1 and lease = $2 returning id',
      [job.id, job.lease, until],
    ),
  )
}

/** For a worker that is being stopped: another one may take the job at once. */
export async function giveBack(tx: Tx, job: ClaimedJob): Promise<void> {
  await tx.query(
    'update video_jobs set lease = null, lease_until = null where id = $1 and lease = $2',
    [job.id, job.lease],
  )
}

/** Locks the job if the claim is still valid; whoever ends the job must call this first. */
export async function lockClaimed(tx: Tx, job: ClaimedJob): Promise<boolean> {
  return changed(
    await tx.read(
      `select id from video_jobs where id = $1 and lease = $2 and status = $3 for update`,
      [job.id, job.lease, job.status],
    ),
  )
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

function changed(rows: Row[]): boolean {
  return rows.length > 0
}
