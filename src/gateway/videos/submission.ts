import { Failure } from '../../lib/failure.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import { maybeAccepted } from '../../upstream/contract/upstream-error.ts'
import type { VideoErrorCode } from '../../upstream/contract/video.ts'
import type { ClaimedJob } from './claims-store.ts'
import { endJob } from './end.ts'
import { backOff, callSignal, type WorkerParts } from './pacing.ts'
import { markAccepted, markAsked, postpone } from './work-store.ts'

/** Tries the upstreams in turn, until one may have accepted the job. */
export async function submitJob(
  parts: WorkerParts,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<void> {
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

/** A failure when every circuit is open. */
function whomToAsk({ upstreams }: WorkerParts, job: ClaimedJob): readonly ModelTarget[] | Failure {
  if (job.upstream !== undefined) return [job.upstream]
  try {
    return upstreams.order(job.targets, 'videoStart')
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

async function start(
  parts: WorkerParts,
  job: ClaimedJob,
  target: ModelTarget,
  signal: AbortSignal,
): Promise<{ jobId: string } | { failure: Failure }> {
  const { model: _model, prompt, ...extra } = JSON.parse(job.request!) as Record<string, unknown>
  const request = { prompt: prompt as string, extra, idempotencyKey: job.id }
  await parts.pacer.turn(signal)
  try {
    const limit = callSignal(parts, signal)
    const { jobId } = await parts.upstreams.call([target], 'videoStart', request, { signal: limit })
    return { jobId }
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return { failure: error }
  }
}

async function accepted(parts: WorkerParts, job: ClaimedJob, upstreamJobId: string): Promise<void> {
  await parts.onStep('accepted')
  const nextCheckS = parts.timing.firstPollS
  if (await markAccepted(parts.db, job, { upstreamJobId, nextCheckS })) await parts.onStep('saved')
}

async function afterRefusal(parts: WorkerParts, job: ClaimedJob, failure: Failure): Promise<void> {
  const { timing } = parts
  const hopeless = isVerdict(failure) || job.submits + 1 >= timing.mostSubmits
  if (hopeless) {
    return void (await endJob(parts, job, { status: 'failed', errorCode: refusalCode(failure) }))
  }
  const askedToWaitS = Math.min(failure.retryAfterS ?? 0, timing.longestPollS)
  const nextCheckS = Math.max(backOff(parts, timing.firstRetryS, job.submits), askedToWaitS)
  const forgetUpstream = job.upstream === undefined && !maybeAccepted(failure)
  await postpone(parts.db, job, { nextCheckS, forgetUpstream })
}

/** The upstream has read the request and refuses it: a retry cannot help. */
function isVerdict({ kind }: Failure): boolean {
  return kind === 'upstream_rejected' || kind === 'unsuitable'
}

function refusalCode(failure: Failure): VideoErrorCode {
  if (failure.code === 'content_policy_violation') return 'content_policy_violation'
  const nobody = !isVerdict(failure) || failure.code === 'model_capability'
  return nobody ? 'upstream_unavailable' : 'invalid_parameter'
}
