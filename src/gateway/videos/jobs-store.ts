import {
  as,
  columns,
  int8,
  json,
  mapped,
  oneOf,
  optional,
  text,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import { videoError, type VideoErrorCode } from '../../upstream/contract/video.ts'

export const VIDEO_JOB_STATUSES = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const
export type VideoJobStatus = (typeof VIDEO_JOB_STATUSES)[number]

/** A hold is renewed after half of this. */
export const HOLD_S = 600

/** The upstream that has the job, with its name of the model. */
export const TARGET = `case when upstream <> '' and upstream_model <> ''
  then json_build_object('upstream', upstream, 'model', upstream_model) end`

/** What an account sees of its job, and where the finished video is. */
const VIEW = columns({
  id: text,
  accountId: text,
  model: text,
  status: oneOf<VideoJobStatus>(),
  upstream: optional(as(TARGET, json<ModelTarget>())),
  upstreamJobId: optional(text),
  costMicro: optional(int8),
  error: optional(as('error_code', mapped(oneOf<VideoErrorCode>(), videoError))),
  createdAt: time,
  updatedAt: time,
})
export type VideoJobView = RowOf<typeof VIEW>

export type NewVideoJob = {
  id: string
  accountId: string
  workspaceId: string | undefined
  keyId: string | undefined
  requestId: string
  model: string
  priceSnapshotId: string
  priceMicro: bigint
  creditsPerUsd: string
  margin: string
  targets: readonly ModelTarget[]
  request: string
  holdId: string | undefined
  holdUntil: Date
  deadlineS: number
  createdAt: Date
}

/** An existing job stays: the commit may be tried twice. */
export async function insertVideoJob(tx: Tx, job: NewVideoJob): Promise<void> {
  const { id, accountId, workspaceId, keyId, requestId, model, priceSnapshotId, priceMicro } = job
  const { creditsPerUsd, margin, targets, request, holdId, holdUntil, createdAt, deadlineS } = job
  const about = [id, accountId, workspaceId ?? null, keyId ?? null, requestId, model]
  const price = [priceSnapshotId, priceMicro, creditsPerUsd, margin]
  const work = [JSON.stringify(targets), request, holdId ?? null, holdUntil, createdAt, deadlineS]
  await tx.query(
    `insert into video_jobs (id, account_id, workspace_id, key_id, request_id, model,
       price_snapshot_id, price_micro, credits_per_usd, margin,
       targets, request, hold_id, hold_until, created_at, deadline, next_look_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
       $11, $12, $13, $14, $15, now() + make_interval(secs => $16::float8), now())
     on conflict (id) do nothing`,
    [...about, ...price, ...work],
  )
}

/** Jobs of other accounts are not found. */
export async function findVideoJob(
  tx: Tx,
  wanted: { id: string; accountId: string },
): Promise<VideoJobView | undefined> {
  const rows = await tx.read(
    `select ${VIEW.list} from video_jobs where id = $1 and account_id = $2`,
    [wanted.id, wanted.accountId],
  )
  return VIEW.first(rows)
}

export type VideoJobsPage = {
  accountId: string
  status: VideoJobStatus | undefined
  limit: number
  offset: number
}

/** Newest first. */
export async function listVideoJobs(tx: Tx, page: VideoJobsPage): Promise<VideoJobView[]> {
  const rows = await tx.read(
    `select ${VIEW.list} from video_jobs where account_id = $1 and ($2::text is null or status = $2)
     order by id desc limit $3 offset $4`,
    [page.accountId, page.status ?? null, page.limit, page.offset],
  )
  return VIEW.all(rows)
}

export async function countVideoJobs(tx: Tx, page: VideoJobsPage): Promise<number> {
  const [row] = await tx.read<{ total: bigint }>(
    `select count(*) as total from video_jobs
     where account_id = $1 and ($2::text is null or status = $2)`,
    [page.accountId, page.status ?? null],
  )
  return Number(row!.total)
}

/** Makes the deadline pass, if no upstream was asked yet; the worker then ends the job. */
export async function expireAtOnce(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update video_jobs set deadline = now(), next_look_at = now()
     where id = $1 and status = 'pending' and upstream is null`,
    [id],
  )
}

/** When their account was deleted: the worker then ends them. */
export async function wakeVideoJobs(tx: Tx, accountId: string): Promise<void> {
  await tx.query(
    `update video_jobs set next_look_at = now()
     where account_id = $1 and next_look_at is not null`,
    [accountId],
  )
}

/** Holds of jobs that have not ended, which the sweeper must leave. */
export async function holdsOfLiveJobs(tx: Tx, jobIds: string[]): Promise<Set<string>> {
  const rows = await tx.read<{ hold_id: string }>(
    `select hold_id from video_jobs
     where next_look_at is not null and id = any($1::uuid[])`,
    [jobIds],
  )
  return new Set(rows.map((row) => row.hold_id))
}

/** Only jobs that have ended. Their records and charges stay. */
export function purgeVideoJobs(tx: Tx, batch: number, days: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'video_jobs',
    where: 'next_look_at is null and updated_at < now() - make_interval(days => $2::int)',
    order: 'updated_at',
    params: [days],
  })
}
