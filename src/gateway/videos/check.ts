import { applyCommands } from '../../billing/ledger-store.ts'
import { Failure } from '../../lib/failure.ts'
import type { ClaimedJob } from './claims-store.ts'
import { endJob, type VideoEnd } from './end.ts'
import { HOLD_S } from './jobs-store.ts'
import { submit } from './submission.ts'
import { backOff, patienceOf, type LookParts } from './timing.ts'
import { noteRenewal, postpone } from './work-store.ts'

/** One look at a job that this process has claimed: hands it on, or asks what became of it. */
export async function look(parts: LookParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  await parts.onStep('claimed')
  if (job.holdDue) await renewHold(parts, job)
  if (job.status === 'processing') return poll(parts, job, signal)
  if (job.overdue) return void (await endJob(parts, job, EXPIRED))
  return submit(parts, job, signal)
}

/** The job runs on legitimately: so does its hold. */
async function renewHold({ db, clock }: LookParts, job: ClaimedJob): Promise<void> {
  const { accountId, holdId } = job
  if (holdId === undefined) return
  const deadline = new Date(clock.now().getTime() + HOLD_S * 1_000)
  await db.begin(async (tx) => {
    if (!(await noteRenewal(tx, job, deadline))) return
    await applyCommands(tx, [{ kind: 'renew', accountId, holdId, deadline }])
  })
}

const EXPIRED = { status: 'expired', errorCode: 'expired' } as const

/** A poll that fails is not a verdict; that the upstream no longer knows the job is one. */
async function poll(parts: LookParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const end = (await ask(parts, job, signal)) ?? (job.overdue ? EXPIRED : undefined)
  if (end !== undefined) return void (await endJob(parts, job, end))
  const nextLookS = backOff(parts, parts.timing.firstPollS, job.polls)
  await postpone(parts.db, job, { nextLookS, forgetUpstream: false })
}

async function ask(
  parts: LookParts,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<VideoEnd | undefined> {
  const request = { jobId: job.upstreamJobId! }
  await parts.pacer.turn(signal)
  try {
    const targets = [job.upstream!]
    const patience = patienceOf(parts, signal)
    const result = await parts.upstreams.call(targets, 'videoStatus', request, patience)
    const { status, usage, error } = result
    if (status === 'processing') return undefined
    if (status === 'completed') return { status, usage }
    return { status, errorCode: error?.code ?? 'generation_failed' }
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return error.kind === 'gone' ? EXPIRED : undefined
  }
}
