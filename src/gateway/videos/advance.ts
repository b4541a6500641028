import { applyCommands } from '../../ledger/ledger-store.ts'
import { Failure } from '../../lib/failure.ts'
import type { ClaimedJob } from './claims-store.ts'
import { endJob, type VideoEnd } from './end.ts'
import { HOLD_S } from './jobs-store.ts'
import { backOff, callSignal, type WorkerParts } from './pacing.ts'
import { submitJob } from './submission.ts'
import { noteRenewal, postpone } from './work-store.ts'

/** Submits a job that this process has claimed, asks for its status, or ends it. */
export async function advanceJob(
  parts: WorkerParts,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<void> {
  await parts.onStep('claimed')
  if (job.orphaned) return void (await endJob(parts, job, CANCELLED))
  if (job.holdDue) await renewHold(parts, job)
  if (job.status === 'processing') return poll(parts, job, signal)
  if (job.overdue) return void (await endJob(parts, job, EXPIRED))
  return submitJob(parts, job, signal)
}

async function renewHold({ db, clock }: WorkerParts, job: ClaimedJob): Promise<void> {
  const { accountId, holdId } = job
  if (holdId === undefined) return
  const deadline = new Date(clock.now().getTime() + HOLD_S * 1_000)
  await db.begin(async (tx) => {
    if (!(await noteRenewal(tx, job, deadline))) return
    await applyCommands(tx, [{ kind: 'renew', accountId, holdId, deadline }])
  })
}

const CANCELLED = { status: 'cancelled', errorCode: 'cancelled' } as const
const EXPIRED = { status: 'expired', errorCode: 'expired' } as const

/** A failed poll decides nothing; that the upstream no longer knows the job ends it. */
async function poll(parts: WorkerParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const end = (await askUpstream(parts, job, signal)) ?? (job.overdue ? EXPIRED : undefined)
  if (end !== undefined) return void (await endJob(parts, job, end))
  const nextCheckS = backOff(parts, parts.timing.firstPollS, job.polls)
  await postpone(parts.db, job, { nextCheckS, forgetUpstream: false })
}

async function askUpstream(
  parts: WorkerParts,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<VideoEnd | undefined> {
  const request = { jobId: job.upstreamJobId! }
  await parts.pacer.turn(signal)
  try {
    const targets = [job.upstream!]
    const limit = callSignal(parts, signal)
    const found = await parts.upstreams.call(targets, 'videoStatus', request, { signal: limit })
    const { status, usage, errorCode } = found
    if (status === 'processing') return undefined
    if (status === 'completed') return { status, usage }
    return { status, errorCode: errorCode ?? 'generation_failed' }
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return error.kind === 'gone' ? EXPIRED : undefined
  }
}
