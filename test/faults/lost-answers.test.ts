import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { openPayment } from '../../src/payments/topup.ts'
import { openStoredAnswers } from '../../src/idempotency/replay-store.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { freshDatabase } from '../support/databases.ts'
import { startApp } from '../support/app.ts'
import { addressIn } from '../support/peers/database-address.ts'
import { faultProxy, type FaultProxy } from '../torture/rig/fault-proxy.ts'
import { eventually } from '../support/eventually.ts'

type App = Awaited<ReturnType<typeof startApp>>
let proxy: FaultProxy
let app: App
/** Straight to the database, not through the proxy. */
let direct: Db

before(async () => {
  const url = await freshDatabase()
  direct = openDatabase({ url, poolSize: 1, log: silentLog })
  proxy = await faultProxy(addressIn(url))
  app = await startApp({ databaseUrl: proxy.in(url) })
})
after(async () => {
  await proxy.heal()
  await app.close()
  await proxy.close()
  await direct.close()
})

const signal = new AbortController().signal
/** A call whose upstream takes half a second: time to break something. */
const callSlowModel = (token: string, headers: Record<string, string> = {}) => {
  app.models.log.clear()
  app.models.fail({ fault: 'late-500', times: 1, model: 'sim/vekta' })
  const body = { model: 'sim/vekta', input: 'Habari' }
  return app.call('POST /v1/embeddings', { token, body, headers })
}
const doubtfulCharges = () => readdir(join(app.dataDir, 'doubtful-charges')).catch(() => [])

test('a free call whose commit is not answered has one record, and its retry gets the same answer', async () => {
  const { key, token } = await app.customer('1')
  const body = { model: 'sim/hekima-mini:free', messages: [{ role: 'user', content: 'Habari' }] }
  const headers = { 'idempotency-key': 'free and lost' }
  proxy.swallowCommits(1)
  const first = await app.call('POST /v1/chat/completions', { token: key, body, headers })
  assert.equal(proxy.effects.swallowed, 1)
  assert.equal(first.status, 200)
  const again = await app.call('POST /v1/chat/completions', { token: key, body, headers })
  assert.deepEqual(again.body, first.body)
  const { body: activity } = await app.call('GET /v1/activity', { token })
  const statuses = activity.data.map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses, ['completed'])
  await assertAgreement(app.db)
})

test('a paid call whose commits are not answered is charged once', async () => {
  const { key, token } = await app.customer('100')
  const body = { model: 'sim/vekta', input: 'Habari' }
  for (let lost = 1; lost <= 3; lost++) {
    proxy.swallowCommits(lost)
    await app.call('POST /v1/embeddings', { token: key, body })
    await proxy.heal()
  }
  const undecided = async () =>
    (await app.db.query('select 1 from holds')).length + (await doubtfulCharges()).length
  await eventually('no hold and no note is left', async () => (await undecided()) === 0)
  await assertAgreement(app.db)
  const { body: list } = await app.call('GET /v1/billing/transactions?type=usage', { token })
  const { body: activity } = await app.call('GET /v1/activity?status=completed', { token })
  assert.equal(list.data.length, activity.data.length)
})

test('a charge whose commit was not answered before the database went away is given back', async () => {
  const { key, token, accountId } = await app.customer('100')
  // The hold's commit goes through; the settlement's is done but not answered, and then the database
  // cannot be reached for longer than a settlement keeps trying.
  const answering = callSlowModel(key)
  await app.models.log.until({ route: '/embeddings', outcome: 'running' })
  // Background jobs commit as well: whichever commit is the settlement's is among the next few.
  proxy.swallowCommits(50)
  const charged = `select 1 from ledger_entries where account_id = $1 and type = 'usage'`
  await eventually(
    'the charge is committed',
    async () => (await direct.query(charged, [accountId])).length > 0,
  )
  await proxy.cut()
  assert.equal((await answering).status, 503)
  // Written to disk before the caller was answered: it would survive this process.
  assert.equal((await doubtfulCharges()).length, 1)
  await proxy.heal()
  const entries = async () => {
    const { body: list } = await app.call('GET /v1/billing/transactions', { token })
    return list.data as { type: string; amount_credits: number }[]
  }
  await eventually('it is given back', async () => (await entries())[0]?.type === 'refund')
  const [refund, usage] = await entries()
  assert.equal(usage!.type, 'usage')
  assert.equal(refund!.amount_credits, -usage!.amount_credits)
  const { body: balance } = await app.call('GET /v1/billing/balance', { token })
  assert.equal(balance.data.available_credits, 100)
  await assertAgreement(app.db)
})

test('the outcome of a commit is found out after silence and a broken connection', async () => {
  const { key, token } = await app.customer('100')
  const answering = callSlowModel(key)
  await app.models.log.until({ route: '/embeddings' })
  const swallowed = proxy.effects.swallowed
  proxy.swallowCommits(1, 5_500)
  const answer = await answering
  assert.equal(proxy.effects.swallowed, swallowed + 1)
  const { body: list } = await app.call('GET /v1/billing/transactions?type=usage', { token })
  assert.equal(answer.status, 200)
  assert.equal(list.data.length, 1)
  await assertAgreement(app.db)
})

test('a claim whose answer was lost is released', async () => {
  const { db } = app
  let lose = true
  const deaf: Db = {
    ...db,
    async query(sql, params) {
      const rows = await db.query(sql, params)
      if (lose) throw new Failure('unavailable', 'the answer was lost')
      return rows as never
    },
  }
  const request = { accountId: randomUUID(), key: 'k', route: 'POST /v1/embeddings' }
  const storedAnswers = openStoredAnswers({ db: deaf, processId: randomUUID() })
  await assert.rejects(storedAnswers.claim(request))
  lose = false
  assert.equal((await storedAnswers.claim(request)).state, 'running')
  await storedAnswers.tidy(signal)
  assert.equal((await storedAnswers.claim(request)).state, 'claimed')
})

test('a paid call whose key a retry has taken over is not charged', async () => {
  const { key, token, accountId } = await app.customer('100')
  const answering = callSlowModel(key, { 'idempotency-key': 'taken' })
  await app.models.log.until({ route: '/embeddings' })
  await app.db.query(
    `update idempotency_keys set claim_id = gen_random_uuid() where account_id = $1 and key = 'taken'`,
    [accountId],
  )
  assert.equal((await answering).status, 503)
  const { body: balance } = await app.call('GET /v1/billing/balance', { token })
  assert.equal(balance.data.balance_credits, 100)
  assert.equal(balance.data.reserved_credits, 0)
  await assertAgreement(app.db)
})

test('nor when the database was away as well: a failed call is never reported as done', async () => {
  const { key, accountId } = await app.customer('100')
  const answering = callSlowModel(key, { 'idempotency-key': 'taken too' })
  const upstreamCall = await app.models.log.until({ route: '/embeddings' })
  await app.db.query(
    `update idempotency_keys set claim_id = gen_random_uuid() where account_id = $1 and key = 'taken too'`,
    [accountId],
  )
  await proxy.cut()
  await eventually('the upstream has answered', () => upstreamCall.outcome !== 'running')
  await new Promise((done) => setTimeout(done, 400))
  await proxy.heal()
  assert.equal((await answering).status, 503)
  await assertAgreement(app.db)
})

test('a top-up whose key a retry has taken over makes no second payment', async () => {
  const { db } = app
  const accountId = randomUUID()
  const request = { accountId, key: 'topup', route: 'POST /v1/payments/topup' }
  const frozen = await openStoredAnswers({ db, processId: randomUUID() }).claim(request)
  assert(frozen.state === 'claimed')
  await db.query(
    `update idempotency_keys set claimed_at = now() - interval '25 s' where key = 'topup'`,
  )
  const retry = await openStoredAnswers({ db, processId: randomUUID() }).claim(request)
  assert(retry.state === 'claimed')
  const NOWHERE = { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', webhookSecret: 's' }
  const pay = (claim: typeof retry.claim) =>
    openPayment(
      {
        db,
        provider: snippe({ ...NOWHERE, callbackUrl: () => '', fallbackEmail: undefined }),
        rules: {
          minTzs: 500,
          maxTzs: 5_000,
          creditsPerTzs: '1',
          requireVerifiedPhone: false,
          expiresInS: 60,
        },
        payerOf: async () => ({
          name: 'Asha',
          email: undefined,
          phoneNumber: '+255712345678',
          phoneVerified: true,
        }),
      },
      {
        accountId,
        amountTzs: 1_000,
        keep: { claim, answer: () => ({ status: 201, headers: {}, body: '{}' }) },
      },
    )
  await assert.rejects(pay(frozen.claim), Failure)
  await pay(retry.claim)
  const rows = await db.query('select id from payments where account_id = $1', [accountId])
  assert.equal(rows.length, 1)
})
