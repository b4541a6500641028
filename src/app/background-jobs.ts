import type { Accounts } from '../accounts/accounts.ts'
import { insertRecords } from '../activity/activity-store.ts'
import { healthRecorder } from '../activity/health-history.ts'
import { activityRetention } from '../activity/retention.ts'
import { activitySumming } from '../activity/summing.ts'
import type { Hold } from '../ledger/ledger.ts'
import { syncCatalog, type SyncParts } from '../catalog/sync.ts'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/db.ts'
import { purgeJob } from '../db/purge-store.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { DoubtfulCharges } from '../gateway/bill/doubtful-charges.ts'
import { interruptedRecords } from '../gateway/bill/interrupted.ts'
import type { Billing } from '../gateway/bill/billing.ts'
import { purgeResponsesOverLimit } from '../gateway/responses/stored/stored-responses-store.ts'
import type { VideoNotice } from '../gateway/videos/end.ts'
import { holdsOfLiveJobs } from '../gateway/videos/jobs-store.ts'
import { videoWorker } from '../gateway/videos/worker.ts'
import { sweeper } from '../ledger/sweeper.ts'
import type { Clock, BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import { notify } from '../notices/notices.ts'
import type { Payments } from '../payments/payments.ts'
import type { createReplay } from '../idempotency/replay-store.ts'
import { purgeExpired } from './purge-expired.ts'
import type { Upstreams } from '../upstream/work.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import { outageWatch } from '../webhooks/outages.ts'

type JobInputs = {
  config: Config
  db: Db
  log: Log
  clock: Clock
  heartbeat: BackgroundJob
  books: BackgroundJob
  audits: BackgroundJob
  replay: ReturnType<typeof createReplay>
  accounts: Accounts
  upstreams: Upstreams
  upstreamMinutes: BackgroundJob
  catalogSync: SyncParts
  payments: Payments
  billing: Pick<Billing, 'processId' | 'openHolds'>
  doubtfulCharges: DoubtfulCharges
  leftUnpaid: Gateway['leftUnpaid']
  balanceWatch: BalanceWatch
  outbox: { jobs: BackgroundJob[] }
  webhooks: { jobs: BackgroundJob[] }
}

/** Everything that happens without a request, on every replica; what calls depend on begins first. */
export function backgroundJobs(inputs: JobInputs): BackgroundJob[] {
  const { config, db, log, replay, upstreams, payments, doubtfulCharges } = inputs
  return [
    inputs.heartbeat,
    { name: 'catalog', everyMs: 60_000, run: syncRegularly(inputs.catalogSync, config) },
    { name: 'upstream-health', everyMs: 60_000, run: upstreams.probe },
    sweep(inputs),
    inputs.books,
    inputs.audits,
    { name: 'doubtful-charges', everyMs: 5_000, run: doubtfulCharges.giveBack },
    inputs.leftUnpaid.streams.job,
    inputs.leftUnpaid.answers.job,
    ...inputs.outbox.jobs,
    ...inputs.webhooks.jobs,
    { name: 'payments', everyMs: 5_000, run: payments.reconcile },
    videoJob(inputs),
    { name: 'replay', everyMs: 10_000, run: replay.tidy },
    outageWatch({ db, troubles: () => upstreams.problems() }),
    inputs.upstreamMinutes,
    healthRecorder({
      db,
      now: () => inputs.clock.now(),
      timeZone: config.ACTIVITY_TIME_ZONE,
      health: () => upstreams.health(),
    }),
    activitySumming({ db }),
    { name: 'arrivals', everyMs: 3_000, run: inputs.accounts.arrivals.send },
    { name: 'key-uses', everyMs: 5_000, run: inputs.accounts.apiKeys.flushUses },
    purgeExpired({ db, config }),
    responsesWithin(db, config),
    activityRetention({ db, days: config.ACTIVITY_RETENTION_DAYS, log }),
  ]
}

function sweep({ db, log, clock, config, billing }: JobInputs): BackgroundJob {
  return sweeper({
    db,
    log,
    own: billing,
    onReleased: (tx, holds) =>
      insertRecords(tx, interruptedRecords(holds, clock.now()), config.ACTIVITY_TIME_ZONE),
    claimed: (tx, holds) => holdsOfLiveJobs(tx, holds.flatMap(jobOf)),
  })
}

/** More often than what goes with time: models that cost nothing could fill a disk in an hour. */
function responsesWithin(db: Db, config: Config): BackgroundJob {
  const mostBytes = config.KEPT_RESPONSES_MB_PER_ACCOUNT * 1_000_000
  return purgeJob({
    db,
    name: 'stored-responses',
    everyMs: 60_000,
    purges: [(tx, batch) => purgeResponsesOverLimit(tx, batch, mostBytes)],
  })
}

function jobOf({ owner }: Hold): string[] {
  return 'job' in owner ? [owner.job] : []
}

function videoJob(inputs: JobInputs): BackgroundJob {
  const { db, log, clock, config, upstreams, balanceWatch } = inputs
  return videoWorker({
    db,
    log,
    clock,
    notify: tellOfVideo,
    timeZone: config.ACTIVITY_TIME_ZONE,
    upstreams,
    noteBalances: balanceWatch.noteBalances,
  })
}

/** The customer of every end, the operator's systems of a good one. */
async function tellOfVideo(tx: Tx, notice: VideoNotice): Promise<void> {
  await notify(tx, notice)
  if (notice.type !== 'video.completed') return
  const data = { ...notice.data, account_id: notice.accountId }
  await tellWebhooks(tx, { type: 'video.completed', data })
}

/** One minute is how soon a new replica takes over; the setting is how old a reading may get. */
function syncRegularly(sync: SyncParts, config: Config): BackgroundJob['run'] {
  // A start reads the lists too, unless another replica has done so within the last minute.
  let maxAgeS = 60
  return async (signal) => {
    await syncCatalog(sync, { signal, maxAgeS })
    maxAgeS = config.CATALOG_SYNC_MINUTES * 60
  }
}
