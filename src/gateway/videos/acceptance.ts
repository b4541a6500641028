import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../db/db.ts'
import type { KeptAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Billing } from '../bill/billable.ts'
import type { Posted, Posting } from '../bill/post.ts'
import { isUnavailable } from '../bill/posting-queue.ts'
import type { GatewayCall } from '../gateway.ts'
import { expireAtOnce, findVideoJob, insertVideoJob, type NewVideoJob } from './jobs-store.ts'

/** One commit: the row, its hold and the answer kept for the caller's key. */
export async function acceptJob(
  { billing, db }: { billing: Billing; db: Db },
  call: GatewayCall,
  job: NewVideoJob,
  answer: KeptAnswer,
): Promise<void> {
  let acceptance: Acceptance
  try {
    acceptance = await billing.queue.submitSurely(postingOf(call, job, answer), {
      fromPosted,
      fromDatabase: async () => ((await findVideoJob(db, job)) ? 'accepted' : undefined),
    })
  } catch (error) {
    // With a key the same request finds the job; without one nobody ever would.
    if (isUnavailable(error) && call.claim === undefined) void abandon(billing, db, job)
    throw error
  }
  if (acceptance !== 'accepted') throw acceptance === 'too_poor' ? tooPoor() : interrupted()
}

/** `taken_over`: our claim on the key has passed to another request. */
type Acceptance = 'accepted' | 'too_poor' | 'taken_over'

function fromPosted({ outcome, rows }: Posted): Acceptance {
  if (outcome?.kind === 'refused') return 'too_poor'
  return rows.write === undefined ? 'taken_over' : 'accepted'
}

function postingOf({ claim }: GatewayCall, job: NewVideoJob, answer: KeptAnswer): Posting {
  const { accountId, holdId } = job
  return {
    accountId,
    command: holdId === undefined ? undefined : holdOf(job, holdId),
    rows: (outcome) => {
      if (outcome?.kind === 'refused') return {}
      return { write: (tx) => insertVideoJob(tx, job), kept: claim && { claim, answer } }
    },
    claimed: claim && { claim, otherwise: { accountId } },
  }
}

const ABANDON_MS = 5_000

/** The caller was told that it failed. Should the row be there after all, it must not run. */
async function abandon({ log }: Billing, db: Db, job: NewVideoJob): Promise<void> {
  for (;;) {
    await wait(ABANDON_MS, undefined, { ref: false })
    try {
      return await expireAtOnce(db, job.id)
    } catch (error) {
      log.warn('A video job could not be cancelled; it will be tried again.', {
        job_id: job.id,
        error,
      })
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

function tooPoor(): Failure {
  return new Failure('insufficient', 'Not enough credits for this video. Top up and try again.')
}

function interrupted(): Failure {
  return new Failure('unavailable', 'The request was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
}
