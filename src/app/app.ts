import { findAccount } from '../accounts/accounts-store.ts'
import { openAccounts, type Accounts } from '../accounts/accounts.ts'
import { createAuthenticator } from '../accounts/authenticator.ts'
import { moveWorkspace } from '../activity/activity-store.ts'
import { upstreamMinutes } from '../activity/upstream-minutes.ts'
import { followDrains } from '../operators/drains.ts'
import { createGate } from '../operators/gate.ts'
import { deleteOperator } from '../operators/operators-store.ts'
import { openRefusals } from '../operators/refusals.ts'
import { startHeartbeat } from '../ledger/heartbeat-store.ts'
import { creditsNumber, parseCredits } from '../ledger/money.ts'
import { auditRunner } from '../operators/accounting/audit-runs.ts'
import { openCatalog, type Catalog } from '../catalog/catalog.ts'
import { listPrices } from '../catalog/list.ts'
import { syncCatalog, type SyncParts } from '../catalog/sync.ts'
import type { Config } from '../config.ts'
import { consolePages } from '../web/console.ts'
import { consoleFolders } from '../web/folders.ts'
import type { Db } from '../db/db.ts'
import { backgroundJobs } from './background-jobs.ts'
import type { Providers } from './providers.ts'
import { openDoubtfulCharges, type DoubtfulCharges } from '../gateway/bill/doubtful-charges.ts'
import { openLeftUnpaid } from '../gateway/bill/left-unpaid.ts'
import { openBilling } from '../gateway/bill/billing.ts'
import { tryModel, type ModelTrial, type TrialResult } from '../gateway/chat/try-model.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { deleteAllStoredResponses } from '../gateway/responses/stored/stored-responses-store.ts'
import { createCallLimits } from '../gateway/call-limits.ts'
import { upstreamNames } from '../gateway/billed-call.ts'
import { drain } from '../http/drain.ts'
import { openLimiter } from '../http/limits/limiter.ts'
import { buildServer } from '../http/server.ts'
import { watchLedger } from '../ledger/ledger-watch.ts'
import { startBackgroundJobs } from './job-loop.ts'
import type { Clock } from '../lib/clock.ts'
import { decimal } from '../lib/decimal.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { Tracer } from '../lib/telemetry/trace.ts'
import { deriveKey } from '../lib/secrets.ts'
import { smsCountries } from '../notices/sms-countries.ts'
import { gaugesOf } from '../observability/gauges.ts'
import type { Gauges } from '../observability/metrics.ts'
import { createBalanceWatch, type BalanceWatch } from '../notices/low-balance.ts'
import { openOutbox } from '../notices/outbox.ts'
import { openSenders } from '../notices/senders.ts'
import { createPayments, type Payments } from '../payments/payments.ts'
import { topUpRules, type Payer } from '../payments/topup.ts'
import { createReadiness } from './readiness.ts'
import { createReplay } from '../idempotency/replay-store.ts'
import { allRoutes } from '../routes/index.ts'
import { openUpstreams } from '../upstream/upstreams.ts'
import { voiceSettings } from './voice-settings.ts'
import type { Upstreams } from '../upstream/work.ts'
import { reachOf } from '../webhooks/address.ts'
import { webhookKeys } from '../webhooks/secrets.ts'
import { openWebhookSender } from '../webhooks/sender.ts'
import { openWebhooks } from '../webhooks/webhooks.ts'

/** What the app is built on. */
export type AppInputs = {
  config: Config
  db: Db
  masterKey: string
  providers: Providers
  log: Log
  clock: Clock
  /** Told of what is done, where metrics are kept. */
  meter?: Meter | undefined
  /** Follows calls. */
  tracer?: Tracer | undefined
}

export type App = AppInputs & {
  server: ReturnType<typeof buildServer>
  accounts: Accounts
  catalog: Catalog
  catalogSync: SyncParts
  payments: Payments
  upstreams: Upstreams
  /** One short question to a model at our own cost, for the operator. */
  askModel(trial: ModelTrial): Promise<TrialResult>
  /** What can only be read off a running app. */
  gauges: Gauges
  /** Starts the background jobs: what happens with no request. */
  begin(): void
  /** Drains, ends the background jobs, gives back what this process holds. The inputs stay open. */
  end(): Promise<void>
}

/** Builds every room once, in order. The only place that knows them all. */
export async function buildApp(inputs: AppInputs): Promise<App> {
  const { config, db, masterKey, providers, log, clock } = inputs
  const processId = uuidv7()
  const heartbeat = await startHeartbeat(db, processId)
  const budgetBytes = config.KEPT_ANSWERS_MB_PER_ACCOUNT * 1_000_000
  const replay = createReplay({ db, processId, budgetBytes })
  const limiter = await openLimiter(config, log, clock)
  const balanceWatch = createBalanceWatch({
    thresholdMicro: parseCredits(config.LOW_BALANCE_CREDITS),
    credits: creditsNumber,
  })
  const accounts = await openAccounts({
    db,
    config,
    masterKey,
    clock,
    log,
    workspaceMoves: [moveWorkspace],
    erasures: [deleteAllStoredResponses, deleteOperator],
  })
  const { upstreams, minutes } = await openUpstreamsCounted(inputs)
  const { catalog, catalogSync } = await openCatalogAndSync(inputs, upstreams)
  const payments = openPayments(inputs, balanceWatch)
  const doubtfulCharges = await openDoubtfulCharges({ db, log, dataDir: config.DATA_DIR })
  const left = { db, clock, log, limitMicro: parseCredits(config.UNPAID_STREAM_CREDITS) }
  const leftUnpaid = {
    streams: await openLeftUnpaid({ kind: 'stream', ...left }),
    answers: await openLeftUnpaid({ kind: 'answer', ...left }),
  }
  const gateway = openGateway(inputs, {
    processId,
    catalog,
    upstreams,
    balanceWatch,
    doubtfulCharges,
    leftUnpaid,
  })
  const askModel = (trial: ModelTrial) => tryModel(gateway, trial)
  const responses = { gateway, db, storedDays: config.RESPONSE_DAYS }
  const videos = { gateway, db, deadlineS: config.VIDEO_DEADLINE_MINUTES * 60 }
  const webhookAdmin = {
    db,
    keys: webhookKeys({ masterKey, previous: config.MASTER_KEY_PREVIOUS }),
    reach: reachOf(config.WEBHOOK_ALLOW_NETWORKS),
  }
  const refusals = openRefusals({ db, log, now: () => clock.now() })
  const server = buildServer({
    routes: allRoutes({
      config,
      db,
      clock,
      accounts,
      catalog,
      catalogSync,
      gateway,
      responses,
      videos,
      payments,
      upstreams,
      askModel,
      webhookAdmin,
      simulated: providers.simulated,
    }),
    pages: consolePages(consoleFolders(config.DATA_DIR), () => listPrices(catalog.index())),
    authenticator: createAuthenticator(accounts),
    operators: createGate({ db, networks: config.OPERATOR_NETWORKS, refused: refusals.note }),
    limiter,
    replay,
    config,
    log,
    meter: inputs.meter,
    tracer: inputs.tracer,
    missing: createReadiness({ db, models: () => catalog.index().models.length }),
  })
  const outbox = await openOutbox({
    db,
    senders: openSenders(config),
    log,
    smsRules: {
      countries: smsCountries(config),
      noticesPerDay: config.SMS_NOTICES_PER_DAY,
      timeZone: config.ACTIVITY_TIME_ZONE,
    },
  })
  const webhooks = await openWebhooks({
    ...webhookAdmin,
    log,
    clock,
    sender: openWebhookSender(webhookAdmin.reach),
  })
  const books = watchLedger({ db, log })
  const jobs = backgroundJobs({
    ...inputs,
    books: books.job,
    audits: await auditRunner({ db, log }),
    heartbeat,
    billing: gateway.billing,
    replay,
    accounts,
    upstreams,
    upstreamMinutes: minutes.job,
    catalogSync,
    payments,
    doubtfulCharges,
    leftUnpaid,
    balanceWatch,
    outbox,
    webhooks,
  })
  let running: ReturnType<typeof startBackgroundJobs> | undefined
  return {
    ...inputs,
    server,
    accounts,
    catalog,
    catalogSync,
    payments,
    upstreams,
    askModel,
    gauges: gaugesOf({
      db,
      dataDir: config.DATA_DIR,
      catalog,
      upstreams,
      payments,
      runningCalls: () => server.context.running.count,
      ledgerFindings: books.findings,
    }),
    begin() {
      running = startBackgroundJobs(jobs, log)
    },
    async end() {
      await drain(server)
      await running?.stop()
      await outbox.close()
      await webhooks.close()
      await payments.idle()
      await accounts.apiKeys.flushUses()
      // The figures of a last moment are not worth an end that fails.
      await Promise.allSettled([minutes.flush(), refusals.flush()])
      await heartbeat.leave()
      await upstreams.close()
      await limiter.close()
    },
  }
}

/** Upstreams whose attempts are counted, and of which some may be drained. */
async function openUpstreamsCounted({ db, log, clock, providers, meter }: AppInputs) {
  const upstreams = openUpstreams({ upstreams: providers.upstreams, log, meter })
  const minutes = upstreamMinutes({
    db,
    now: () => clock.now(),
    take: () => upstreams.takeCounts(),
    troubled: () => [...new Set(upstreams.problems().map((one) => one.upstream))],
  })
  await followDrains({ db, log, apply: (names) => upstreams.drain(names) })
  return { upstreams, minutes }
}

async function openCatalogAndSync(inputs: AppInputs, upstreams: Upstreams) {
  const { config, db, log } = inputs
  const lists = upstreams.list.map(({ records, ...upstream }) => ({
    ...upstream,
    byHand: records,
  }))
  const catalogSync: SyncParts = {
    db,
    log,
    settings: config,
    upstreams: lists,
    read: async (upstream, signal) => (await upstreams.catalog(upstream, signal)).records,
  }
  const catalog = await openCatalog({ db, log, upstreams: lists })
  // Without a catalog nothing can be served; later readings can wait.
  if (catalog.index().models.length === 0) {
    await syncCatalog(catalogSync)
    await catalog.reload()
  }
  return { catalog, catalogSync }
}

function openPayments(inputs: AppInputs, balanceWatch: BalanceWatch): Payments {
  const { config, db, log, clock, providers } = inputs
  return createPayments({
    db,
    log,
    clock,
    providers: providers.payments,
    rules: topUpRules(config),
    payerOf: (accountId) => payerOf(db, accountId),
    balanceWatch,
  })
}

async function payerOf(db: Db, accountId: string): Promise<Payer> {
  // The credential was checked a moment ago: an account that is gone has no phone to charge.
  const account = await findAccount(db, accountId)
  return {
    name: account?.fullName ?? '',
    email: (account?.emailVerified && account.email) || undefined,
    phoneNumber: account?.phoneNumber ?? undefined,
    phoneVerified: account?.phoneVerified ?? false,
  }
}

function openGateway(
  inputs: AppInputs,
  rooms: {
    processId: string
    catalog: Catalog
    upstreams: Upstreams
    balanceWatch: BalanceWatch
    doubtfulCharges: DoubtfulCharges
    leftUnpaid: Gateway['leftUnpaid']
  },
): Gateway {
  const { config, db, log, clock, masterKey } = inputs
  const billing = openBilling({
    db,
    doubtfulCharges: rooms.doubtfulCharges,
    processId: rooms.processId,
    clock,
    log,
    timeZone: config.ACTIVITY_TIME_ZONE,
    noteBalances: rooms.balanceWatch.noteBalances,
    isNews: rooms.balanceWatch.isNews,
    unconfirmedCapMicro: parseCredits(config.RESERVATION_CAP_CREDITS),
    meter: inputs.meter,
  })
  return {
    billing,
    catalog: rooms.catalog,
    upstreams: rooms.upstreams,
    callLimits: createCallLimits({ perAccount: config.CONCURRENCY_PER_ACCOUNT }),
    leftUnpaid: rooms.leftUnpaid,
    rules: {
      capMicro: parseCredits(config.RESERVATION_CAP_CREDITS),
      minMicro: parseCredits(config.MIN_RESERVATION_CREDITS),
    },
    reportedCapUsd: decimal(config.REPORTED_COST_CAP_USD),
    voice: voiceSettings(config, inputs.providers.simulated.upstreams),
    nameForUpstream: upstreamNames(deriveKey(masterKey, 'upstream-user')),
  }
}
