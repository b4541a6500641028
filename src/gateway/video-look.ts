import { applyCommands } from '../billing/ledger-store.ts'
import { Failure } from '../lib/failure.ts'
import { maybeAccepted } from '../upstream/acceptance.ts'
import type { ModelTarget, VideoErrorCode } from '../upstream/contract.ts'
import type { Upstreams } from '../upstream/work.ts'
import type { Pacer } from './pacer.ts'
import { endJob, type EndParts, type VideoEnd } from './video-end.ts'
import { HOLD_S } from './video-jobs-store.ts'
import {
  markAccepted,
  markAsked,
  noteRenewal,
  postpone,
  type ClaimedJob,
} from './video-work-store.ts'

export type LookParts = EndParts & {
  upstreams: Upstreams
  pacer: Pacer
  timing: VideoTiming
  random: () => number
}

export type VideoTiming = {
  /** Longer than a call may take: a live worker never loses its claim. */
  leaseS: number
  callMs: number
  firstPollS: number
  longestPollS: number
  firstRetryS: number
  /** After so many tries nobody took it. */
  mostSubmits: number
}

export const VIDEO_TIMING: VideoTiming = {
  leaseS: 90,
  callMs: 60_000,
  firstPollS: 2,
  longestPollS: 30,
  firstRetryS: 1,
  mostSubmits: 8,
}

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

/** In turn over the upstreams that may have it; one that perhaps took it is the only one left. */
async function submit(parts: LookParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const targets = whomToAsk(parts, job)
  let failure = targets instanceof Failure ? targets : undefined
  for (const target of targets instanceof Failure ? [] : targets) {
    if (!(await markAsked(parts.db, job, target))) return
    await parts.onStep('asking')
    const answer = await start(parts, job, target, signal)
    if ('jobId' in answer) return accepted(parts, job, answer.jobId)
    failure = answer.failure
    if (isVerdict(failure) || maybeAccepted(failure)) break
  }
  await afterRefusal(parts, job, failure!)
}

/** A failure when nobody can be asked at this moment, since every circuit is open. */
function whomToAsk({ upstreams }: LookParts, job: ClaimedJob): readonly ModelTarget[] | Failure {
  if (job.upstream !== undefined) return [job.upstream]
  try {
    return upstreams.order(job.targets, 'videoStart')
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

async function start(
  parts: LookParts,
  job: ClaimedJob,
  target: ModelTarget,
  signal: AbortSignal,
): Promise<{ jobId: string } | { failure: Failure }> {
  const { model: _model, prompt, ...extra } = JSON.parse(job.request!) as Record<string, unknown>
  const request = { prompt: prompt as string, extra, idempotencyKey: job.id }
  await parts.pacer.turn(signal)
  try {
    const patience = patienceOf(parts, signal)
    const { result } = await parts.upstreams.call([target], 'videoStart', request, patience)
    return { jobId: result.jobId }
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return { failure: error }
  }
}

async function accepted(parts: LookParts, job: ClaimedJob, upstreamJobId: string): Promise<void> {
  await parts.onStep('accepted')
  const nextLookS = parts.timing.firstPollS
  if (await markAccepted(parts.db, job, { upstreamJobId, nextLookS })) await parts.onStep('saved')
}

async function afterRefusal(parts: LookParts, job: ClaimedJob, failure: Failure): Promise<void> {
  const { timing } = parts
  const hopeless = isVerdict(failure) || job.submits + 1 >= timing.mostSubmits
  if (hopeless) {
    return void (await endJob(parts, job, { status: 'failed', errorCode: refusalCode(failure) }))
  }
  const askedToWaitS = Math.min(failure.retryAfterS ?? 0, timing.longestPollS)
  const nextLookS = Math.max(backOff(parts, timing.firstRetryS, job.submits), askedToWaitS)
  const forgetUpstream = job.upstream === undefined && !maybeAccepted(failure)
  await postpone(parts.db, job, { nextLookS, forgetUpstream })
}

/** The upstream has read the request and will not do it; trying again cannot help. */
function isVerdict({ kind }: Failure): boolean {
  return kind === 'upstream_rejected' || kind === 'unsuitable'
}

function refusalCode(failure: Failure): VideoErrorCode {
  if (failure.code === 'content_policy_violation') return 'content_policy_violation'
  const nobody = !isVerdict(failure) || failure.code === 'model_capability'
  return nobody ? 'upstream_unavailable' : 'invalid_parameter'
}

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
    const { result } = await parts.upstreams.call(targets, 'videoStatus', request, patience)
    const { status, usage, error } = result
    if (status === 'processing') return undefined
    if (status === 'completed') return { status, usage }
    return { status, errorCode: error?.code ?? 'generation_failed' }
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return error.kind === 'gone' ? EXPIRED : undefined
  }
}

function patienceOf({ timing }: LookParts, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timing.callMs)])
}

/** Half as long again each time, and up to a fifth more or less, so that jobs spread out. */
function backOff({ timing, random }: LookParts, firstS: number, times: number): number {
  const s = Math.min(firstS * 1.5 ** Math.min(times, 20), timing.longestPollS)
  return s * (0.8 + random() * 0.4)
}
