import { setTimeout as wait } from 'node:timers/promises'
import type { KeptAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Posting } from '../bill/posting-queue.ts'
import type { GatewayCall } from '../gateway.ts'
import { expireAtOnce, findVideoJob, type NewVideoJob } from './jobs-store.ts'
import type { Videos } from './videos.ts'

/** One commit: the row, its hold and the answer kept for the caller's key. */
export async function acceptJob(
  videos: Videos,
  call: GatewayCall,
  job: NewVideoJob,
  answer: KeptAnswer,
): Promise<void> {
  const { claim } = call
  const { accountId } = job
  const posting: Posting = {
    accountId,
    ...(job.holdId === undefined ? {} : { command: holdOf(job, job.holdId) }),
    rows: (outcome) => {
      if (outcome?.kind === 'refused') return {}
      return { videoJobs: [job], ...(claim && { kept: { claim, answer } }) }
    },
    ...(claim && { claimed: { claim, otherwise: { accountId } } }),
  }
  if (await submitSurely(videos, posting, job)) return
  throw new Failure('unavailable', 'The request was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
}

/** From the first trouble on: an answer that is long in coming must leave time to ask again. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is tried again, and the row itself tells. False: our claim on the key was taken over.
 */
async function submitSurely(videos: Videos, posting: Posting, job: NewVideoJob): Promise<boolean> {
  let giveUpMs = Infinity
  for (let tries = 1; ; tries++) {
    try {
      const { outcome, rows } = await videos.gateway.desk.books.submit(posting)
      if (outcome?.kind === 'refused') throw poor()
      if (rows.videoJobs !== undefined) return true
      return tries > 1 && (await findVideoJob(videos.db, job)) !== undefined
    } catch (error) {
      const away = error instanceof Failure && error.kind === 'unavailable'
      giveUpMs = Math.min(giveUpMs, performance.now() + PATIENCE_MS)
      if (away && performance.now() < giveUpMs) await wait(RETRY_MS)
      else {
        // With a key the same request finds the job; without one nobody ever would.
        if (away && posting.claimed === undefined) void abandon(videos, job)
        throw error
      }
    }
  }
}

const ABANDON_MS = 5_000

/** The caller was told that it failed. Should the row be there after all, it must not run. */
async function abandon({ db, gateway }: Videos, job: NewVideoJob): Promise<void> {
  for (;;) {
    await wait(ABANDON_MS, undefined, { ref: false })
    try {
      return await expireAtOnce(db, job.id)
    } catch (error) {
      gateway.desk.log.warn('A video job could not be given up yet.', { job_id: job.id, error })
    }
  }
}

function holdOf(job: NewVideoJob, holdId: string) {
  const { id, accountId, priceMicro, model, priceSnapshotId, requestId, keyId, workspaceId } = job
  return {
    kind: 'hold' as const,
    accountId,
    holdId,
    wantMicro: priceMicro,
    needMicro: priceMicro,
    owner: { job: id, deadline: job.holdUntil },
    about: { kind: 'video', model, priceSnapshotId, requestId, keyId, workspaceId },
  }
}

function poor(): Failure {
  return new Failure('insufficient', 'Not enough credits for this video. Top up and try again.')
}
