import { decimal, decimalText } from '../../lib/decimal.ts'
import { toMicro } from '../../ledger/money.ts'
import { notFound, type PricedModel } from '../../catalog/catalog.ts'
import type { Db } from '../../db/db.ts'
import type { StorableAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { videoPriceUsd } from '../../upstream/prices/media-price.ts'
import { callTraces } from '../bill/rows.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { checkLinks } from '../links.ts'
import { acceptJob } from './acceptance.ts'
import { checkContradictions } from './contradictions.ts'
import { checkOffered } from './offered.ts'
import {
  countVideoJobs,
  findVideoJob,
  HOLD_S,
  listVideoJobs,
  type NewVideoJob,
  type VideoJobsPage,
  type VideoJobView,
} from './jobs-store.ts'

/** The fields that the gateway reads. The rest passes unchanged. */
export type VideoBody = { model: string; prompt: string; [field: string]: unknown }

export type Videos = {
  gateway: Pick<Gateway, 'billing' | 'callLimits' | 'catalog' | 'upstreams'>
  db: Db
  deadlineS: number
  /** Called at every step, so that tests can stop the process there. */
  onStep?: ((step: string) => Promise<void> | void) | undefined
}

type Accepted = { id: string; createdAt: Date }

/** The job, its hold and the stored answer are committed before the caller gets the answer. */
export async function submitVideo(
  videos: Videos,
  call: GatewayCall,
  body: VideoBody,
  render: (job: Accepted) => StorableAnswer,
): Promise<StorableAnswer & { stored?: true }> {
  const { gateway } = videos
  checkLinks(body)
  checkContradictions(body)
  const inputs = Array.isArray(body.frame_images) ? ['image'] : []
  const model = gateway.catalog.requireModel(body.model, { outputs: ['video'], inputs })
  checkOffered(model, body)
  const leave = gateway.callLimits.enter(call.principal)
  try {
    const job = newJob(videos, call, model, body)
    const answer = render(job)
    await acceptJob({ billing: gateway.billing, db: videos.db }, call, job, answer)
    await videos.onStep?.('job_committed')
    return call.claim === undefined ? answer : { ...answer, stored: true }
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

export async function listVideos(
  { db }: Videos,
  page: VideoJobsPage,
): Promise<{ jobs: VideoJobView[]; total: number }> {
  const jobs = await listVideoJobs(db, page)
  return { jobs, total: await countVideoJobs(db, page) }
}

function newJob(
  { gateway, deadlineS }: Videos,
  call: GatewayCall,
  model: PricedModel,
  body: VideoBody,
): NewVideoJob {
  const { accountId } = call.principal
  const createdAt = gateway.billing.clock.now()
  const priceMicro = priceOf(model, body)
  const trace = callTraces(call)
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

/** The highest price, which must be there in full. */
function priceOf(model: PricedModel, body: VideoBody): bigint {
  if (model.free) return 0n
  const { prices: pricing, video } = model
  const usd = videoPriceUsd({ pricing, video }, body)
  if (usd === undefined) throw notFound(model.id)
  return toMicro(decimal(usd), model)
}
