import { openAccounts } from '../accounts/accounts.ts'
import { moveWorkspace } from '../activity/activity-store.ts'
import { wakeVideoJobs } from '../gateway/videos/jobs-store.ts'
import { openLimiter } from '../http/limits/limiter.ts'
import { openStoredAnswers } from '../idempotency/replay-store.ts'
import { startHeartbeat } from '../ledger/heartbeat-store.ts'
import { watchLedger } from '../ledger/ledger-watch.ts'
import { creditsNumber, parseCredits } from '../ledger/money.ts'
import { uuidv7 } from '../lib/ids.ts'
import { createBalanceWatch, type BalanceWatch } from '../notices/low-balance.ts'
import { openOutbox } from '../notices/outbox.ts'
import { openSenders } from '../notices/senders.ts'
import { smsCountries } from '../notices/sms-countries.ts'
import { auditHeadJob } from '../operators/accounting/audit-heads.ts'
import { auditRunner } from '../operators/accounting/audit-runs.ts'
import { createGate } from '../operators/gate.ts'
import { deleteOperator } from '../operators/operators-store.ts'
import { openRefusals } from '../operators/refusals.ts'
import { reachOf } from '../webhooks/address.ts'
import { webhookKeys } from '../webhooks/secrets.ts'
import { openWebhookSender } from '../webhooks/sender.ts'
import { openWebhooks } from '../webhooks/webhooks.ts'
import type { AppInputs } from './inputs.ts'
import { openGatewayRoom } from './open-gateway.ts'
import { upstreamMinutes } from '../activity/upstream-minutes.ts'
import { followDrains } from '../operators/drains.ts'
import { openUpstreams } from '../upstream/upstreams.ts'
import { openCatalog } from '../catalog/catalog.ts'
import type { SyncParts } from '../catalog/sync.ts'
import type { Upstreams } from '../upstream/work.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import type { Db } from '../db/db.ts'
import { createPayments, type Payments } from '../payments/payments.ts'
import { topUpRules, type Payer } from '../payments/topup.ts'

export type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Opens every room once, in order. The only place that knows them all. */
export async function openRooms(inputs: AppInputs) {
  const processId = uuidv7()
  const heartbeat = await startHeartbeat(inputs.db, processId)
  const storedAnswers = openAnswerStore(inputs, processId)
  const limiter = await openLimiter(inputs.config, inputs.log, inputs.clock)
  const balanceWatch = openBalanceWatch(inputs)
  const accounts = await openAccountsRoom(inputs)
  const { upstreams, upstreamMinutes } = await openUpstreamsRoom(inputs)
  const { catalog, catalogSync } = await openCatalogRoom(inputs, upstreams)
  const payments = openPaymentsRoom(inputs, balanceWatch)
  const paidWork = await openGatewayRoom(inputs, { processId, catalog, upstreams, balanceWatch })
  return {
    heartbeat,
    storedAnswers,
    limiter,
    balanceWatch,
    accounts,
    upstreams,
    upstreamMinutes,
    catalog,
    catalogSync,
    payments,
    ...paidWork,
    ...openOperatorsRoom(inputs),
    outbox: await openOutboxRoom(inputs),
    ...(await openWebhooksRoom(inputs)),
    ledgerWatch: watchLedger(inputs),
    audits: await auditRunner(inputs),
    auditHeads: auditHeadJob(inputs),
  }
}

function openAnswerStore({ db, config }: AppInputs, processId: string) {
  const budgetBytes = config.KEPT_ANSWERS_MB_PER_ACCOUNT * 1_000_000
  return openStoredAnswers({ db, processId, budgetBytes })
}

function openBalanceWatch({ config }: AppInputs) {
  const thresholdMicro = parseCredits(config.LOW_BALANCE_CREDITS)
  return createBalanceWatch({ thresholdMicro, credits: creditsNumber })
}

function openAccountsRoom(inputs: AppInputs) {
  return openAccounts({
    ...inputs,
    workspaceMoves: [moveWorkspace],
    onDeletion: [deleteOperator, wakeVideoJobs],
  })
}

function openOperatorsRoom({ db, log, clock, config }: AppInputs) {
  const refusals = openRefusals({ db, log, now: () => clock.now() })
  const gate = createGate({ db, networks: config.OPERATOR_NETWORKS, refused: refusals.note })
  return { refusals, gate }
}

function openOutboxRoom({ db, log, config }: AppInputs) {
  const smsRules = {
    countries: smsCountries(config),
    noticesPerDay: config.SMS_NOTICES_PER_DAY,
    timeZone: config.ACTIVITY_TIME_ZONE,
  }
  return openOutbox({ db, log, senders: openSenders(config), smsRules })
}

async function openWebhooksRoom({ db, log, clock, config, masterKey }: AppInputs) {
  const keys = webhookKeys({ masterKey, previous: config.MASTER_KEY_PREVIOUS })
  const reach = reachOf(config)
  const sender = openWebhookSender(reach)
  const webhooks = await openWebhooks({ db, keys, log, clock, sender })
  return { webhooks, webhookAdmin: { db, keys, reach } }
}

/** Upstreams whose attempts are counted, and of which operators may drain some. */
async function openUpstreamsRoom({ db, log, clock, providers, meter }: AppInputs) {
  const upstreams = openUpstreams({ upstreams: providers.upstreams, log, meter })
  const minutes = upstreamMinutes({
    db,
    now: () => clock.now(),
    take: () => upstreams.takeCounts(),
    troubled: () => [...new Set(upstreams.problems().map((one) => one.upstream))],
  })
  await followDrains({ db, log, apply: (names) => upstreams.drain(names) })
  return { upstreams, upstreamMinutes: minutes }
}

/** The catalog as it is, and what a service brings it up to date with. */
async function openCatalogRoom({ config, db, log, clock }: AppInputs, upstreams: Upstreams) {
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
  return { catalog: await openCatalog({ db, log, clock, upstreams: lists }), catalogSync }
}

function openPaymentsRoom(inputs: AppInputs, balanceWatch: BalanceWatch): Payments {
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
