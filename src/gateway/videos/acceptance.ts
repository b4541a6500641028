import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../db/db.ts'
import type { StorableAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Billing } from '../bill/billing.ts'
import { insufficient } from '../bill/insufficient.ts'
import { answerWrite } from '../bill/postings.ts'
import type { CallPosted, CallPosting } from '../bill/rows.ts'
import { lockClaim } from '../../idempotency/replay-store.ts'
import { isUnavailable } from '../../ledger/posting-queue.ts'
import type { GatewayCall } from '../gateway.ts'
import { reserveWhole } from '../price/cost-estimate.ts'
import { expireAtOnce, findVideoJob, insertVideoJob, type NewVideoJob } from './jobs-store.ts'

/** One commit: the row, its hold and the stored answer. */
export async function acceptJob(
  { billing, db }: { billing: Billing; db: Db },
  call: GatewayCall,
  job: NewVideoJob,
  answer: StorableAnswer,
): Promise<void> {
  billing.weigh?.(priceOf(job))
  let acceptance: Acceptance
  try {
    acceptance = await billing.queue.submitSurely(postingOf(call, job, answer), {
      fromPosted,
      fromDatabase: async () => ((await findVideoJob(db, job)) ? 'accepted' : undefined),
    })
  } catch (error) {
    // A retry with the key finds the job; without a key nobody would.
    if (isUnavailable(error) && call.claim === undefined) void abandon(billing, db, job)
    throw error
  }
  if (acceptance !== 'accepted')
    throw acceptance === 'taken_over' ? interrupted() : tooPoor(acceptance, job)
}

/** `taken_over`: another request has our claim on the key. */
type Acceptance = 'accepted' | 'taken_over' | { availableMicro: bigint }

function tooPoor({ availableMicro }: { availableMicro: bigint }, job: NewVideoJob): Failure {
  return insufficient({ availableMicro, neededMicro: job.priceMicro }, 'video')
}

function fromPosted({ outcome, replaced }: CallPosted): Acceptance {
  if (outcome?.kind === 'refused') return outcome
  return replaced ? 'taken_over' : 'accepted'
}

function postingOf({ claim }: GatewayCall, job: NewVideoJob, answer: StorableAnswer): CallPosting {
  const { accountId, holdId } = job
  return {
    accountId,
    command: holdId === undefined ? undefined : holdOf(job, holdId),
    writes: (outcome) => {
      if (outcome?.kind === 'refused') return []
      const stored = claim === undefined ? [] : [answerWrite({ claim, answer })]
      return [{ write: (tx) => insertVideoJob(tx, job) }, ...stored]
    },
    onlyIf: claim && { stillTrue: (tx) => lockClaim(tx, claim), otherwise: { accountId } },
  }
}

const ABANDON_MS = 5_000

/** The caller was told that it failed: if the row exists after all, it must not run. */
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

/** The whole price, known beforehand. */
function priceOf({ model, priceSnapshotId, priceMicro }: NewVideoJob) {
  const stage = { kind: 'video' as const, model, priceSnapshotId }
  return { stage, ...reserveWhole(priceMicro) }
}

function holdOf(job: NewVideoJob, holdId: string) {
  const { id, accountId, priceMicro, model, priceSnapshotId, requestId, keyId, workspaceId } = job
  return {
    kind: 'hold' as const,
    accountId,
    holdId,
    estimateMicro: priceMicro,
    minimumMicro: priceMicro,
    owner: { job: id, deadline: job.holdUntil },
    about: { kind: 'video', model, priceSnapshotId, requestId, keyId, workspaceId },
  }
}

function interrupted(): Failure {
  return new Failure('unavailable', 'The request was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
}
