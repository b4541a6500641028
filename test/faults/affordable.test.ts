import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { startApp } from '../support/app.ts'
import { startReplica, startShared, type Replica } from '../support/replica.ts'

/** Three credits a call, whatever is said. */
const FIXED = {
  id: 'sim/fixed',
  name: 'Fixed',
  kind: 'chat' as const,
  inputs: ['text'],
  outputs: ['text'],
  context: 8_192,
  maxOutput: 100,
  pricing: { prompt: '0', completion: '0', request: '0.001' },
}
const body = JSON.stringify({ model: FIXED.id, messages: [{ role: 'user', content: 'Habari' }] })

/** Shed: the process had no time for the call, and said so or closed the door. */
const SHED = 503

async function ask(url: string, key: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

async function askOrShed(url: string, key: string): Promise<{ status: number }> {
  return ask(url, key).catch(() => ({ status: SHED }))
}

function assertAffordable(counts: Record<number, number>, all: number): void {
  assert.equal(counts[200], 10)
  assert.equal(counts[402]! + (counts[SHED] ?? 0), all - 10)
}

function count(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('1,000 calls at once on credits for 10: ten succeed, the rest are refused with the reason', async () => {
  const env = { CONCURRENCY_PER_ACCOUNT: '2000' }
  const app = await startApp({ env, simulator: { models: [FIXED] } })
  try {
    const { key, token } = await app.customer('30.5')
    const calls = Array.from({ length: 1_000 }, () => askOrShed(app.url, key))
    assertAffordable(count(await Promise.all(calls)), 1_000)
    const { body: balance } = await app.call('GET /v1/billing/balance', { token })
    assert.equal(balance.data.balance_credits, 0.5)
    await assertAgreement(app.db)
  } finally {
    await app.close()
  }
})

let shared: Awaited<ReturnType<typeof startShared>>
let replicas: Replica[]
let db: Db
before(async () => {
  shared = await startShared({
    models: [FIXED],
    latency: { firstMs: 20, pieceMs: 1, videoMs: 300 },
  })
  const url = await freshDatabase()
  const env = { ...shared.env, DATABASE_URL: url, CONCURRENCY_PER_ACCOUNT: '2000' }
  db = openDatabase({ url, poolSize: 4, log: silentLog })
  replicas = [await startReplica(env), await startReplica(env)]
})
after(async () => {
  for (const replica of replicas) replica.kill('SIGTERM')
  await Promise.all(replicas.map((replica) => replica.ended))
  await db.close()
  await shared.close()
})
afterEach(async () => {
  if (db !== undefined) await assertAgreement(db)
})

test('the same over two processes on one PostgreSQL', async () => {
  const { key } = await newCustomer(replicas[0]!.url, { db, dataDir: shared.folder }, '30.5')
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, i) => askOrShed(replicas[i % 2]!.url, key)),
  )
  assertAffordable(count(answers), 600)
})

test('one key, fifty calls over two processes: one upstream call, one charge', async () => {
  const { key, accountId } = await newCustomer(
    replicas[0]!.url,
    { db, dataDir: shared.folder },
    '100',
  )
  shared.models.log.clear()
  const headers = { 'idempotency-key': 'order 66' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => ask(replicas[i % 2]!.url, key, headers)),
  )
  const counts = count(answers)
  assert.equal((counts[200] ?? 0) + (counts[409] ?? 0), 50)
  assert.ok(counts[200]! >= 1)
  assert.equal(shared.models.log.count({ route: '/chat/completions' }), 1)
  const later = await ask(replicas[1]!.url, key, headers)
  assert.equal(later.headers.get('idempotency-replayed'), 'true')
  const good = answers.filter((one) => one.status === 200)
  for (const one of good) assert.equal(one.text, later.text)
  const rows = await db.query(
    `select amount_micro from ledger_entries where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  assert.deepEqual(rows, [{ amount_micro: -3_000_000n }])
})

test('a keyed call whose caller is disconnected continues, and its retry is answered', async () => {
  const { key } = await newCustomer(replicas[0]!.url, { db, dataDir: shared.folder }, '100')
  shared.models.log.clear()
  shared.models.fail({ fault: 'late-400', times: 1, model: FIXED.id })
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const left = fetch(`${replicas[0]!.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'cut' },
    body,
    signal: leave.signal,
  })
  await shared.models.log.until({ route: '/chat/completions' })
  leave.abort()
  await assert.rejects(left)
  await shared.models.log.until({ route: '/chat/completions', outcome: 'finished' })
  let again = await ask(replicas[1]!.url, key, { 'idempotency-key': 'cut' })
  for (let tries = 0; again.status === 409 && tries < 50; tries++) {
    again = await ask(replicas[1]!.url, key, { 'idempotency-key': 'cut' })
  }
  assert.equal(again.status, 200)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(shared.models.log.count({ route: '/chat/completions' }), 1)
})
