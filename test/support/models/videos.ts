import assert from 'node:assert/strict'
import type { ModelSimulator } from '../../../simulator/models/server.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { parseCredits } from '../../../src/ledger/money.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { syncCatalog } from '../../../src/catalog/sync.ts'
import type { Db } from '../../../src/db/db.ts'
import { allowanceOn, billingOn } from '../money/billing.ts'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { createCallLimits } from '../../../src/gateway/call-limits.ts'
import type { VideoNotice } from '../../../src/gateway/videos/end.ts'
import { videoWorker, type WorkerOptions } from '../../../src/gateway/videos/worker.ts'
import { submitVideo, type Videos } from '../../../src/gateway/videos/videos.ts'
import { startBackgroundJobs } from '../../../src/app/job-loop.ts'
import type { Claim } from '../../../src/lib/answer.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { decimal } from '../../../src/lib/decimal.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openUpstreams } from '../../../src/upstream/upstreams.ts'
import { readUpstreams } from '../../../src/upstream/upstreams-file.ts'
import { eventually } from '../eventually.ts'

const FAST = {
  leaseS: 0.5,
  callMs: 1_000,
  firstPollS: 0.05,
  longestPollS: 0.3,
  firstRetryS: 0.05,
  mostSubmits: 4,
}
const PRICES = { PRICE_MARGIN: '1', USD_TO_CREDIT_RATE: '3000', PRICE_CHANGE_GUARD: 3 }

type StudioOptions = {
  db: Db
  simulators: Pick<ModelSimulator, 'url' | 'apiKey'>[]
  worker?: Partial<WorkerOptions>
  deadlineS?: number
  onStep?: Videos['onStep']
}

/** The part of the app that makes videos, with its worker at hand and everything else left out. */
export async function openStudio(options: StudioOptions) {
  const { db, simulators } = options
  const upstreams = openUpstreams({ upstreams: entriesOf(simulators), log: silentLog })
  const shelves = upstreams.list.map(({ records, ...one }) => ({ ...one, byHand: records }))
  const catalog = await openCatalog({ db, log: silentLog, upstreams: shelves })
  if (catalog.index().models.length === 0) {
    const read = async (name: string) => (await upstreams.catalog(name)).records
    await syncCatalog({ db, log: silentLog, settings: PRICES, upstreams: shelves, read })
    await catalog.reload()
  }
  const gateway: Gateway = {
    billing: await billingOn(db),
    catalog,
    upstreams,
    callLimits: createCallLimits({ perAccount: 10_000 }),
    allowance: allowanceOn(db),
    rules: { capMicro: 10_000_000n, minMicro: 10_000n },
    voice: { language: 'sw', nominalMicro: 0n },
    reportedCapUsd: decimal('20'),
    nameForUpstream: (accountId) => accountId,
  }
  const onStep = options.onStep === undefined ? {} : { onStep: options.onStep }
  const videos: Videos = { gateway, db, deadlineS: options.deadlineS ?? 600, ...onStep }
  const news: VideoNotice[] = []
  const { timing, ...more } = options.worker ?? {}
  const job = videoWorker({
    db,
    upstreams,
    clock: systemClock,
    log: silentLog,
    timeZone: 'UTC',
    noteBalances: async () => {},
    notify: async (_tx, one) => void news.push(one),
    perSecond: 500,
    everyMs: 20,
    timing: { ...FAST, ...timing },
    ...onStep,
    ...more,
  })
  let running: ReturnType<typeof startBackgroundJobs> | undefined
  return {
    news,
    videos,
    job,
    begin: () => void (running = startBackgroundJobs([job], silentLog)),
    submit: (accountId: string, body: object = {}, claim?: Claim) =>
      submit(videos, { accountId, body, claim }),
    async close() {
      await running?.stop()
      await upstreams.close()
    },
  }
}

function entriesOf(simulators: StudioOptions['simulators']) {
  const upstreams = simulators.map(({ url }, i) => ({
    name: `sim${i}`,
    type: 'openrouter',
    base_url: url,
    api_key_env: 'KEY',
    sync: true,
    priority: i + 1,
  }))
  return readUpstreams({ upstreams }, { KEY: simulators[0]!.apiKey })
}

async function submit(
  videos: Videos,
  wish: { accountId: string; body: object; claim: Claim | undefined },
): Promise<string> {
  const { accountId, claim } = wish
  const call = {
    principal: { kind: 'jwt' as const, accountId, sessionId: uuidv7(), role: 'user' as const },
    requestId: `req_${uuidv7()}`,
    signal: new AbortController().signal,
    claim,
    stay: () => {},
    abort: () => {},
    renderError: () => assert.fail('a video has no stream'),
  }
  const body = { model: 'sim/filamu', prompt: 'Simba', duration: 4, resolution: '720p' }
  const answer = await submitVideo(videos, call, { ...body, ...wish.body }, ({ id }) => ({
    status: 202,
    headers: {},
    body: id,
  }))
  return String(answer.body)
}

export async function fund(db: Db, credits: string): Promise<string> {
  const accountId = uuidv7()
  const entry = { id: uuidv7(), type: 'adjustment', key: `test:${accountId}`, description: 'test' }
  const amountMicro = parseCredits(credits)
  await db.begin((tx) =>
    applyCommands(tx, [{ kind: 'adjust', accountId, amountMicro, entry: entry as never }]),
  )
  return accountId
}

type JobRow = { status: string; cost_micro: bigint | null; error_code: string | null }

/** Waits until the job has ended. */
export async function ended(db: Db, id: string): Promise<JobRow> {
  return eventually(`video job ${id} ends`, async () => {
    const [row] = await db.query<JobRow & { next_look_at: Date | null }>(
      'select status, cost_micro, error_code, next_look_at from video_jobs where id = $1',
      [id],
    )
    if (row?.next_look_at !== null) return undefined
    const { status, cost_micro, error_code } = row
    return { status, cost_micro, error_code }
  })
}
