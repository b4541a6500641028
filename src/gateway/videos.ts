import { setTimeout as wait } from 'node:timers/promises'
import { decimal, decimalText } from '../billing/decimal.ts'
import { toMicro } from '../billing/prices.ts'
import { notFound, type PricedModel } from '../catalog/catalog.ts'
import type { Db } from '../db/db.ts'
import type { KeptAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { videoPriceUsd } from '../upstream/media-price.ts'
import { traces } from './bill-rows.ts'
import type { Posting } from './books.ts'
import type { Gateway, GatewayCall } from './gateway.ts'
import { checkLinks } from './links.ts'
import {
  expireAtOnce,
  findVideoJob,
  HOLD_S,
  type NewVideoJob,
  type VideoJobView,
} from './video-jobs-store.ts'

/** The fields that the gateway reads; the rest passes to the model as it is. */
export type VideoBody = { model: string; prompt: string; [field: string]: unknown }

export type Videos = {
  gateway: Gateway
  db: Db
  deadlineS: number
  onStep?: (step: string) => Promise<void> | void
}

type Accepted = { id: string; createdAt: Date }

/** Takes a job in: its row, its hold and the kept answer are committed before anyone is told. */
export async function submitVideo(
  videos: Videos,
  call: GatewayCall,
  body: VideoBody,
  render: (job: Accepted) => KeptAnswer,
): Promise<KeptAnswer & { kept?: true }> {
  const { gateway } = videos
  checkLinks(body)
  const model = gateway.catalog.requireModel(body.model, { outputs: ['video'] })
  const leave = gateway.turnstile.enter(call.principal)
  try {
    const job = newJob(videos, call, model, body)
    const answer = render(job)
    await accept(videos, call, job, answer)
    await videos.onStep?.('job_committed')
    return call.claim === undefined ? answer : { ...answer, kept: true }
  } finally {
    leave()
  }
}

export async function showVideo(
  { db }: Videos,
  wanted: { id: string; accountId: string },
): Promise<VideoJobView> {
  const job = await findVideoJob(db, wanted)
  if (job === undefined) throw new Failure('not_found', 'There is no such video job.')
  return job
}

function newJob(
  { gateway, deadlineS }: Videos,
  call: GatewayCall,
  model: PricedModel,
  body: VideoBody,
): NewVideoJob {
  const { accountId } = call.principal
  const createdAt = gateway.desk.clock.now()
  const priceMicro = priceOf(model, body)
  const trace = traces(call)
  return {
    id: uuidv7(createdAt.getTime()),
    accountId,
    workspaceId: trace.workspaceId,
    keyId: trace.keyId,
    requestId: call.requestId,
    model: model.id,
    priceSnapshotId: model.priceSnapshotId,
    priceMicro,
    creditsPerUsd: decimalText(model.creditsPerUsd),
    margin: decimalText(model.margin),
    targets: model.targets.map(({ upstream, model: id }) => ({ upstream, model: id })),
    request: JSON.stringify(body),
    holdId: priceMicro === 0n ? undefined : uuidv7(),
    holdUntil: new Date(createdAt.getTime() + HOLD_S * 1_000),
    deadlineS,
    createdAt,
  }
}

/** The most that it can cost; it must be there in full. */
function priceOf(model: PricedModel, body: VideoBody): bigint {
  if (model.free) return 0n
  const { prices: pricing, video } = model
  const usd = videoPriceUsd({ pricing, ...(video === undefined ? {} : { video }) }, body)
  if (usd === undefined) throw notFound(model.id)
  return toMicro(decimal(usd), model)
}

async function accept(
  videos: Videos,
  call: GatewayCall,
  job: NewVideoJob,
  answer: KeptAnswer,
): Promise<void> {
  const { claim } = call
  const posting: Posting = {
    ...(job.holdId === undefined ? {} : { command: holdOf(job, job.holdId) }),
    rows: (outcome) => {
      if (outcome?.kind === 'refused') return {}
      return { videoJobs: [job], ...(claim && { kept: { claim, answer } }) }
    },
    ...(claim && { claimed: { claim, otherwise: {} } }),
  }
  if (await submitSurely(videos, posting, job)) return
  throw new Failure('unavailable', 'The request was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
}

const PATIENCE_MS = 5_000
const RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is tried again, and the row itself tells. False: our claim on the key was taken over.
 */
async function submitSurely(videos: Videos, posting: Posting, job: NewVideoJob): Promise<boolean> {
  const giveUpMs = performance.now() + PATIENCE_MS
  for (let tries = 1; ; tries++) {
    try {
      const { outcome, rows } = await videos.gateway.desk.books.submit(posting)
      if (outcome?.kind === 'refused') throw poor()
      if (rows.videoJobs !== undefined) return true
      return tries > 1 && (await findVideoJob(videos.db, job)) !== undefined
    } catch (error) {
      const away = error instanceof Failure && error.kind === 'unavailable'
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
