import type { ActivityRecord } from '../../activity/record.ts'
import { insertRecords } from '../../activity/activity-store.ts'
import type { Command, Outcome } from '../../ledger/commands.ts'
import { decimal } from '../../lib/decimal.ts'
import { applyCommands } from '../../ledger/ledger-store.ts'
import type { Db, Tx } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import { chargedRecords } from '../bill/rows.ts'
import type { BalanceNote } from '../../ledger/posting-queue.ts'
import { reportedCost } from '../price/reported-cost.ts'
import type { ClaimedJob } from './claims-store.ts'
import { lockClaimed, writeEnd } from './work-store.ts'
import type { VideoErrorCode } from '../../upstream/contract/video.ts'

/** Only `completed` is charged. */
export type VideoEnd =
  | { status: 'completed'; usage: UsageReading }
  | { status: 'failed' | 'cancelled' | 'expired'; errorCode: VideoErrorCode }

export type VideoNotice = {
  accountId: string
  type: 'video.completed' | 'video.failed'
  data: { video_id: string; model: string }
}

export type EndParts = {
  db: Db
  clock: Clock
  log: Log
  timeZone: string
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
  /** In the transaction that ends the job. */
  notify(tx: Tx, notice: VideoNotice): Promise<void>
  /** Called at every step, so that tests can stop the process there. */
  onStep(step: string): Promise<void> | void
}

/**
 * The only end of a job: money, record, notice and status in one transaction, while the claim is
 * valid. If two workers end a job, one finds the claim gone.
 */
export async function endJob(parts: EndParts, job: ClaimedJob, end: VideoEnd): Promise<boolean> {
  await parts.onStep('outcome')
  const ended = await parts.db.begin(async (tx) => {
    if (!(await lockClaimed(tx, job))) return false
    const record = recordOf(parts, job, end)
    const outcome = await closeHold(tx, job, record)
    const [written] = chargedRecords([record], outcome)
    await insertRecords(tx, [written!], parts.timeZone)
    await writeEnd(tx, {
      id: job.id,
      status: end.status,
      costMicro: end.status === 'completed' ? written!.costMicro : undefined,
      errorCode: end.status === 'completed' ? undefined : end.errorCode,
    })
    if (outcome?.kind === 'settled') {
      const { availableMicro } = outcome
      await parts.noteBalances(tx, [{ accountId: job.accountId, availableMicro }])
    }
    await parts.notify(tx, noticeOf(job, end))
    await parts.onStep('end_written')
    return true
  })
  if (ended) {
    await parts.onStep('end_committed')
    parts.log.info(`A video job ended: ${end.status}.`, { job_id: job.id, model: job.model })
  }
  return ended
}

/** One record for each job, with its id: it cannot be written or charged twice. */
function recordOf(parts: EndParts, job: ClaimedJob, end: VideoEnd): ActivityRecord {
  const { id, accountId, workspaceId, keyId, requestId, model, priceSnapshotId } = job
  const createdAt = parts.clock.now()
  const about = { id, accountId, workspaceId, keyId, requestId, model, priceSnapshotId }
  const latencyMs = createdAt.getTime() - job.createdAt.getTime()
  const upstream = job.upstream?.upstream
  const common = { ...about, kind: 'video' as const, upstream, latencyMs, createdAt }
  if (end.status === 'completed') {
    const rate = { creditsPerUsd: decimal(job.creditsPerUsd), margin: decimal(job.margin) }
    const cost = reportedCost({ reading: end.usage, rate, catalogMicro: job.priceMicro })
    if (cost.estimated) {
      const why = 'its usage was missing or implausible'
      parts.log.warn(`A video was charged at its catalog price: ${why}.`, { job_id: id, model })
    }
    return { ...common, ...cost, status: 'completed' }
  }
  const status = end.status === 'cancelled' ? 'cancelled' : 'failed'
  return { ...common, status, errorCode: end.errorCode, costMicro: 0n, estimated: false }
}

async function closeHold(
  tx: Tx,
  job: ClaimedJob,
  record: ActivityRecord,
): Promise<Outcome | undefined> {
  if (job.holdId === undefined) return undefined
  const { accountId, holdId } = job
  const release: Command = { kind: 'release', accountId, holdId }
  const command = record.status === 'completed' ? settleOf(job, holdId, record.costMicro) : release
  const [outcome] = await applyCommands(tx, [command])
  return outcome
}

function settleOf(job: ClaimedJob, holdId: string, costMicro: bigint): Command {
  const { id, accountId, model, workspaceId } = job
  const entry = {
    id,
    type: 'usage' as const,
    key: `usage:${id}`,
    description: model,
    reference: { type: 'activity', id },
    workspaceId,
  }
  return { kind: 'settle', accountId, holdId, charges: [{ costMicro, entry }] }
}

function noticeOf({ id, accountId, model }: ClaimedJob, { status }: VideoEnd): VideoNotice {
  const type = status === 'completed' ? 'video.completed' : 'video.failed'
  return { accountId, type, data: { video_id: id, model } }
}
