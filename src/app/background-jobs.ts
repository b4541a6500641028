import { endWaiting } from '../accounts/accounts-store.ts'
import { insertRecords } from '../activity/activity-store.ts'
import { healthRecorder } from '../activity/health-history.ts'
import { activityRetention } from '../activity/retention.ts'
import { activitySumming } from '../activity/summing.ts'
import type { Hold } from '../ledger/ledger.ts'
import { syncCatalog, type SyncParts } from '../catalog/sync.ts'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/db.ts'
import { purgeJob } from '../db/purge-store.ts'
import { interruptedRecords } from '../gateway/bill/interrupted.ts'
import type { Billing } from '../gateway/bill/billing.ts'
import { refusedWatch } from '../gateway/bill/refused-watch.ts'
import { holdsOfLiveResponses } from '../gateway/responses/background/jobs-store.ts'
import { responseWorker } from '../gateway/responses/background/worker.ts'
import { purgeResponsesOverLimit } from '../gateway/responses/stored/stored-responses-store.ts'
import type { VideoNotice } from '../gateway/videos/end.ts'
import { holdsOfLiveJobs } from '../gateway/videos/jobs-store.ts'
import { videoWorker } from '../gateway/videos/worker.ts'
import { sweeper } from '../ledger/sweeper.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { notify } from '../notices/notices.ts'
import type { Upstreams } from '../upstream/work.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import { outageWatch } from '../webhooks/outages.ts'
import type { AppInputs } from './inputs.ts'
import { purgeExpired } from './purge-expired.ts'
import type { Rooms } from './rooms.ts'

/** Everything that happens without a request, on every replica; what calls depend on comes first. */
export function backgroundJobs(inputs: AppInputs, rooms: Rooms): BackgroundJob[] {
  const { config, db, log } = inputs
  const { accounts, upstreams } = rooms
  const { billing } = rooms.gateway
  return [
    rooms.heartbeat,
    { name: 'catalog', everyMs: 60_000, run: syncRegularly(rooms.catalogSync, config) },
    { name: 'upstream-health', everyMs: 60_000, run: upstreams.probe },
    sweep(inputs, billing),
    rooms.ledgerWatch.job,
    rooms.audits,
    rooms.auditHeads,
    { name: 'doubtful-charges', everyMs: 5_000, run: billing.doubtfulCharges.giveBack },
    rooms.unpaidWatch.job,
    refusedWatch(inputs, rooms.gateway.callLimits.doubt),
    ...rooms.outbox.jobs,
    ...rooms.webhooks.jobs,
    { name: 'payments', everyMs: 5_000, run: rooms.payments.reconcile },
    videoJob(inputs, rooms),
    responseWorker(rooms.responses),
    { name: 'replay', everyMs: 10_000, run: rooms.storedAnswers.tidy },
    outageWatch({ db, problems: () => upstreams.problems() }),
    rooms.upstreamMinutes.job,
    recordHealth(inputs, upstreams),
    activitySumming({ db }),
    { name: 'arrivals', everyMs: 3_000, run: accounts.arrivals.send },
    { name: 'key-uses', everyMs: 5_000, run: accounts.apiKeys.flushUses },
    { name: 'waiting-numbers', everyMs: 60_000, run: () => endWaiting(db) },
    purgeExpired({ db, config }),
    purgeLargeResponses(db, config),
    activityRetention({ db, days: config.ACTIVITY_RETENTION_DAYS, log }),
  ]
}

function sweep({ db, log, clock, config }: AppInputs, billing: Billing): BackgroundJob {
  return sweeper({
    db,
    log,
    own: billing,
    onReleased: (tx, holds) =>
      insertRecords(tx, interruptedRecords(holds, clock.now()), config.ACTIVITY_TIME_ZONE),
    async claimed(tx, holds) {
      const jobs = holds.flatMap(jobOf)
      const live = [await holdsOfLiveJobs(tx, jobs), await holdsOfLiveResponses(tx, jobs)]
      return new Set(live.flatMap((ids) => [...ids]))
    },
  })
}

/** More often than what goes with time: models that cost nothing could fill a disk in an hour. */
function purgeLargeResponses(db: Db, config: Config): BackgroundJob {
  const mostBytes = config.KEPT_RESPONSES_MB_PER_ACCOUNT * 1_000_000
  return purgeJob({
    db,
    name: 'stored-responses',
    everyMs: 60_000,
    purges: [(tx, batch) => purgeResponsesOverLimit(tx, batch, mostBytes)],
  })
}

function recordHealth({ db, clock, config }: AppInputs, upstreams: Upstreams): BackgroundJob {
  return healthRecorder({
    db,
    now: () => clock.now(),
    timeZone: config.ACTIVITY_TIME_ZONE,
    health: () => upstreams.health(),
  })
}

function jobOf({ owner }: Hold): string[] {
  return 'job' in owner ? [owner.job] : []
}

function videoJob(inputs: AppInputs, { upstreams, balanceWatch }: Rooms): BackgroundJob {
  const { db, log, clock, config } = inputs
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
