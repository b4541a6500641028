import { randomBytes, randomUUID } from 'node:crypto'
import { findAccount, insertAccount, type NewAccount } from '../../src/accounts/accounts-store.ts'
import { openAccounts, type Accounts } from '../../src/accounts/accounts.ts'
import { putCode } from '../../src/accounts/codes/codes-store.ts'
import { insertChange } from '../../src/accounts/codes/changes-store.ts'
import { putChallenge } from '../../src/accounts/codes/passkey-challenges-store.ts'
import { insertPasskey } from '../../src/accounts/codes/passkeys-store.ts'
import { replaceRecoveryCodes } from '../../src/accounts/codes/recovery-codes-store.ts'
import { takeSmsCode } from '../../src/accounts/codes/sms-codes-store.ts'
import { takeThrottle } from '../../src/accounts/codes/throttle-store.ts'
import { deleteAccount } from '../../src/accounts/profile/deletion.ts'
import { ownerProof } from '../../src/accounts/owner-proof.ts'
import { activate, proveIdentifier } from '../../src/accounts/sessions/activation.ts'
import { logout, openSession } from '../../src/accounts/sessions/sessions.ts'
import { insertAttempt, spendToken } from '../../src/accounts/sign-in/attempts-store.ts'
import { linkIdentity } from '../../src/accounts/sign-in/identities-store.ts'
import { createApiKey, revokeApiKey } from '../../src/accounts/workspaces/api-keys.ts'
import { createWorkspace, deleteWorkspace } from '../../src/accounts/workspaces/workspaces.ts'
import { moveWorkspace } from '../../src/activity/activity-store.ts'
import { healthRecorder } from '../../src/activity/health-history.ts'
import { upstreamMinutes } from '../../src/activity/upstream-minutes.ts'
import { openRefusals } from '../../src/operators/refusals.ts'
import { startHeartbeat } from '../../src/ledger/heartbeat-store.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { syncCatalog } from '../../src/catalog/sync.ts'
import type { Config } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { addUnpaid } from '../../src/gateway/bill/allowance-store.ts'
import { openBill } from '../../src/gateway/bill/billable.ts'
import { billingOn, unwatched } from './money/billing.ts'
import { appendEvents } from '../../src/gateway/responses/background/events-store.ts'
import { endJobRow, insertResponseJob } from '../../src/gateway/responses/background/jobs-store.ts'
import { insertStoredResponse } from '../../src/gateway/responses/stored/stored-responses-store.ts'
import { insertVideoJob } from '../../src/gateway/videos/jobs-store.ts'
import { writeEnd } from '../../src/gateway/videos/work-store.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createBalanceWatch } from '../../src/notices/low-balance.ts'
import { notify } from '../../src/notices/notices.ts'
import { claimMessage, insertMessage, markDead, markSent } from '../../src/notices/outbox-store.ts'
import { savePreferences } from '../../src/notices/preferences-store.ts'
import { takeNoticePlace } from '../../src/notices/sms-budget-store.ts'
import { insertPayment } from '../../src/payments/payments-store.ts'
import { newReference } from '../../src/payments/topup.ts'
import { openStoredAnswers } from '../../src/idempotency/replay-store.ts'
import { priced, settings, upstream } from '../catalog/sample.ts'

export type YearLoad = {
  /** What happens on one day, in every room. */
  day(): Promise<void>
  storedAnswers: ReturnType<typeof openStoredAnswers>
}

/** One customer who uses everything, and people who come, try and go; through the real stores. */
export async function openYearLoad(parts: {
  db: Db
  clock: Clock
  config: Config
}): Promise<YearLoad> {
  const { db, clock, config } = parts
  const accounts = await openAccounts({
    ...parts,
    masterKey: 'a master key for tests, long enough',
    log: silentLog,
    workspaceMoves: [moveWorkspace],
  })
  const processId = randomUUID()
  const storedAnswers = openStoredAnswers({ db, processId })
  const customer = await newcomer(accounts, { email: 'asha@example.com' })
  await fund(db, customer)
  await belongings(db, customer)
  const call = await paidCalls({
    db,
    clock,
    storedAnswers,
    processId,
    timeZone: config.ACTIVITY_TIME_ZONE,
  })
  const health = healthRecorder({
    db,
    now: () => clock.now(),
    timeZone: config.ACTIVITY_TIME_ZONE,
    health: () => ({ upstreams_total: 2, upstreams_healthy: 2 }),
  })
  const minutes = upstreamMinutes({
    db,
    now: () => clock.now(),
    take: () => new Map(),
    troubled: () => ['main'],
  })
  const refusals = openRefusals({ db, log: silentLog, now: () => clock.now() })
  let days = 0
  return {
    storedAnswers,
    async day() {
      days += 1
      await strangers(accounts, days)
      await occasionalWork(accounts, customer, days)
      const workspace = await createWorkspace(accounts, customer, { name: `day ${days}` })
      await call(customer, workspace.id)
      await deleteWorkspace(accounts, { accountId: customer, slug: workspace.slug })
      await videoJob(db, clock, customer)
      await messages(db, customer)
      await shortMessages(db, customer)
      await leaveStream(db, clock, customer)
      await keepResponse(db, customer)
      await money(db, customer)
      await (await startHeartbeat(db, randomUUID())).run(new AbortController().signal)
      await sync(db)
      await health.run(new AbortController().signal)
      await minutes.flush()
      const refusal = {
        accountId: customer,
        why: 'no_operator',
        what: 'GET /v1/operator/me',
      } as const
      refusals.note({ ...refusal, address: '127.0.0.1', requestId: 'req_1' })
      await refusals.flush()
    },
  }
}

async function newcomer(accounts: Accounts, who: Pick<NewAccount, 'email'>): Promise<string> {
  const id = uuidv7()
  await accounts.db.begin(async (tx) => {
    await insertAccount(tx, { id, fullName: 'Asha', ...who })
    await proveIdentifier(tx, ownerProof(id), { channel: 'email', value: who.email! })
    await activate(accounts, tx, { accountId: id, proofs: [who.email!] })
  })
  return id
}

async function keepResponse(db: Db, accountId: string): Promise<void> {
  const id = `resp_${randomBytes(12).toString('hex')}`
  const kept = { accountId, id, previousId: undefined, input: '[]', response: '{}', days: 30 }
  await insertStoredResponse(db, kept)
  await answerLater(db, { accountId, id })
}

async function answerLater(db: Db, { accountId, id }: { accountId: string; id: string }) {
  const [none, now] = [undefined, new Date()]
  const about = { accountId, workspaceId: none, keyId: none, requestId: 'r', model: 'm' }
  const work = { billId: uuidv7(), worthMicro: 0n, request: '{}', response: '{}', streams: true }
  const times = { deadline: now, createdAt: now, days: 30 }
  await insertResponseJob(db, { id, ...about, ...work, ...times })
  await appendEvents(db, { id }, { first: 0, count: 1, events: 'event: x\ndata: {}\n\n' })
  await endJobRow(db, { id, status: 'completed' })
}

async function fund(db: Db, accountId: string): Promise<void> {
  const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
  const grant = { kind: 'grant' as const, accountId, amountMicro: 10n ** 12n, entry }
  await db.begin((tx) => applyCommands(tx, [grant]))
}

/** One registers and never comes back; another, always the same, signs up and deletes the account. */
async function strangers(accounts: Accounts, day: number): Promise<void> {
  const { db } = accounts
  const pending = { id: uuidv7(), fullName: 'Nobody', email: `nobody-${day}@example.com` }
  await insertAccount(db, pending)
  const subject = randomBytes(32)
  await putCode(db, {
    id: uuidv7(),
    subject,
    purpose: 'verify_email',
    channel: 'email',
    accountId: pending.id,
    asker: 'somebody',
    codeHmac: randomBytes(32),
    lifeS: 600,
  })
  const rule = { freeTries: 10, firstWaitS: 10, longestWaitS: 900, forgetAfterS: 3600 }
  await takeThrottle(db, `login:${subject.toString('hex')}`, rule)
  await insertAttempt(db, {
    provider: 'google',
    stateHash: randomBytes(32),
    browserHash: randomBytes(32),
    redirectUri: 'https://example.com',
    clientState: undefined,
    cookie: false,
  })
  await spendToken(db, randomBytes(32), 3_600)
  const guest = await newcomer(accounts, { email: 'guest@example.com' })
  await belongings(db, guest)
  await deleteAccount(accounts, guest)
}

async function belongings(db: Db, accountId: string): Promise<void> {
  const proof = ownerProof(accountId)
  await linkIdentity(db, proof, {
    issuer: 'https://issuer.example',
    subject: accountId,
    provider: 'Example',
  })
  await replaceRecoveryCodes(db, proof, [randomBytes(32)])
  await insertPasskey(db, proof, {
    id: uuidv7(),
    name: 'Simu',
    credentialId: randomBytes(16),
    publicKey: randomBytes(77),
    counter: 0,
    transports: ['internal'],
    backedUp: true,
  })
  await insertChange(db, { id: uuidv7(), accountId, tokenHash: randomBytes(32) })
  await savePreferences(db, accountId, { email: { usage: false } })
}

async function occasionalWork(accounts: Accounts, accountId: string, day: number): Promise<void> {
  const { db } = accounts
  const device = { address: `10.0.0.${day % 250}`, userAgent: `browser ${day}` }
  const account = (await findAccount(db, accountId))!
  const opened = await db.begin((tx) => openSession(accounts, tx, { account, device }))
  const use = { use: 'step_up', boundTo: opened.id, accountId } as const
  await putChallenge(db, use, randomBytes(32))
  if (day % 2 === 0) await logout(accounts, { accountId, sessionId: opened.id }, {})
  const { id } = await createApiKey(accounts, accountId, { name: `key ${day}` })
  await revokeApiKey(accounts, { accountId, id })
}

async function paidCalls(parts: {
  db: Db
  clock: Clock
  storedAnswers: ReturnType<typeof openStoredAnswers>
  processId: string
  timeZone: string
}) {
  const { db, clock, storedAnswers, processId, timeZone } = parts
  const watch = createBalanceWatch({ thresholdMicro: 10n ** 18n, credits: Number })
  const billing = await billingOn(db, { timeZone, processId, clock, ...watch })
  return async (accountId: string, workspaceId: string) => {
    const principal = { kind: 'key' as const, accountId, keyId: randomUUID(), workspaceId }
    const stage = { kind: 'chat' as const, model: 'acme/small' }
    const about = { principal, requestId: 'req_year', stage, estimateMicro: 10n, minimumMicro: 10n }
    const order = unwatched(about)
    const outcome = await storedAnswers.claim({ accountId, key: randomUUID(), route: 'POST /test' })
    if (outcome.state !== 'claimed') throw new Error(outcome.state)
    const answer = () => ({ status: 200, headers: {}, body: 'k'.repeat(300_000) })
    const bill = await openBill(billing, order)
    const line = { stage, costMicro: 10n, latencyMs: 1, estimated: false }
    await bill.settle([line], { claim: outcome.claim, answer })
    // And one whose process dies.
    await openBill({ ...billing, processId: randomUUID() }, order)
  }
}

async function videoJob(db: Db, clock: Clock, accountId: string): Promise<void> {
  const id = uuidv7()
  await insertVideoJob(db, {
    id,
    accountId,
    workspaceId: undefined,
    keyId: undefined,
    requestId: 'req_year',
    model: 'acme/film',
    priceSnapshotId: randomUUID(),
    priceMicro: 1n,
    creditsPerUsd: '3000',
    margin: '1',
    targets: [],
    request: '{}',
    holdId: undefined,
    holdUntil: clock.now(),
    deadlineS: 60,
    createdAt: clock.now(),
  })
  const end = { id, status: 'failed' as const, costMicro: undefined }
  await writeEnd(db, { ...end, errorCode: 'generation_failed' })
}

/** Every second message cannot be delivered. */
async function messages(db: Db, accountId: string): Promise<void> {
  await notify(db, { accountId, type: 'security.password_changed', data: {} })
  for (let sent = 0; ; sent++) {
    const leaseId = randomUUID()
    const message = await claimMessage(db, { channel: 'email', leaseId, leaseMs: 60_000 })
    if (message === undefined) return
    if (sent % 2 === 0) await markSent(db, message)
    else await markDead(db, message, 'refused')
  }
}

/** A code, and a notice that has its place among those of the day. */
async function shortMessages(db: Db, accountId: string): Promise<void> {
  await takeSmsCode(db, 'all', 100)
  const content = { subject: 'Notice', text: 'Notice', to: '+255712345678' }
  const message = { id: uuidv7(), accountId, channel: 'sms' as const, notice: 'payments' as const }
  await insertMessage(db, { ...message, ...content })
  const leaseId = randomUUID()
  const claimed = await claimMessage(db, { channel: 'sms', leaseId, leaseMs: 60_000 })
  await takeNoticePlace(db, claimed!, { most: 5, timeZone: 'UTC' })
  await markSent(db, claimed!)
}

async function leaveStream(db: Db, clock: Clock, accountId: string): Promise<void> {
  const unpaid = { accountId, kind: 'chat' as const, at: clock.now(), worthMicro: 1n }
  await db.begin((tx) => addUnpaid(tx, unpaid))
}

async function money(db: Db, accountId: string): Promise<void> {
  await insertPayment(db, {
    id: uuidv7(),
    accountId,
    provider: 'snippe',
    reference: newReference(),
    amountTzs: 1_000,
    creditsMicro: 1_000n,
    phoneNumber: '+255700000000',
    createBody: '{}',
    expiresInS: 60,
  })
}

/** The same list every day, and a price that leapt and waits for the operator. */
async function sync(db: Db): Promise<void> {
  const known = await db.query('select 1 from catalog_models limit 1')
  const price = known.length === 0 ? '0.000001' : '0.001'
  const list = [priced('acme/small', '0.000001', '0.000002'), priced('acme/large', price, price)]
  const upstreams = [upstream('main')]
  await syncCatalog({ db, log: silentLog, settings, upstreams, read: async () => list })
}
