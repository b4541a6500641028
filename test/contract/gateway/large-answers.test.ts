import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { freshDatabase } from '../../support/databases.ts'
import { startApp } from '../../support/app.ts'
import { watch } from '../../support/money/paid.ts'
import { eventually } from '../../support/eventually.ts'

/* A key pays once, however large the answer: the retry gets the same bytes, in any process. */

type App = Awaited<ReturnType<typeof startApp>>
let databaseUrl: string
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  databaseUrl = await freshDatabase()
  app = await startApp({ databaseUrl })
  asha = await app.customer('1000')
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

async function draw(url: string, key: string) {
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${asha.key}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ model: 'sim/image-fault-picture-huge', prompt: 'Twiga', n: 2 }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.status, 200, bytes.toString('utf8', 0, 500))
  return { bytes, headers: answer.headers }
}

test('pictures of 27 MB are charged once, and replayed here and in another process', async () => {
  const key = randomUUID()
  const first = await watch(app, asha.accountId).during(() => draw(app.url, key))
  assert.ok(first.result.bytes.length > 16 * 1024 * 1024)
  assert.equal(first.spent, 240)
  const other = await startApp({ databaseUrl })
  try {
    for (const url of [other.url, app.url]) {
      const { result, spent } = await watch(app, asha.accountId).during(() => draw(url, key))
      assert.equal(spent, 0)
      assert.equal(result.headers.get('idempotency-replayed'), 'true')
      assert.equal(result.headers.get('content-length'), String(result.bytes.length))
      for (const name of ['x-request-id', 'x-credits-charged', 'x-credits-remaining']) {
        assert.equal(result.headers.get(name), first.result.headers.get(name), name)
      }
      assert.ok(result.bytes.equals(first.result.bytes), 'byte for byte')
    }
    assert.equal(app.models.log.count({ route: '/images' }), 1)
    assert.equal(other.models.log.count({ route: '/images' }), 0)
  } finally {
    await other.close()
  }
})

test('a caller who left has paid, and finds the whole answer with the same key', async () => {
  const key = randomUUID()
  app.models.log.clear()
  const watched = watch(app, asha.accountId)
  const { result, spent } = await watched.during(async () => {
    const leaving = new AbortController()
    const request = fetch(`${app.url}/v1/images/generations`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${asha.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ model: 'sim/image-fault-picture-huge', prompt: 'Tembo' }),
    })
    await app.models.log.until({ route: '/images', outcome: 'finished' })
    leaving.abort()
    await request.catch(() => {})
    return retried(key)
  })
  assert.equal(spent, 120)
  assert.equal(result.headers.get('idempotency-replayed'), 'true')
  assert.equal((JSON.parse(result.bytes.toString()) as { data: unknown[] }).data.length, 1)
})

async function retried(key: string) {
  await eventually('the answer is stored', async () => {
    const sql = `select from idempotency_keys where key = $1 and pieces_bytes > 0`
    return (await app.db.query(sql, [key])).length > 0
  })
  return draw(app.url, key)
}

test('beyond the budget of kept answers a new key is refused before any work', async () => {
  const poor = await startApp({ env: { KEPT_ANSWERS_MB_PER_ACCOUNT: '10' } })
  try {
    const juma = await poor.customer('1000')
    const body = { model: 'sim/image-fault-picture-huge', prompt: 'Simba' }
    const ask = (key: string | undefined, path = '/v1/images/generations', sent: object = body) =>
      poor.call(`POST ${path}`, {
        token: juma.key,
        body: sent,
        headers: key === undefined ? {} : { 'idempotency-key': key },
      })
    const first = await ask('first')
    assert.equal(first.status, 200)
    poor.models.log.clear()
    const chat = { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] }
    const calls: [string, object][] = [
      ['/v1/images/generations', body],
      ['/v1/chat/completions', chat],
    ]
    for (const [path, sent] of calls) {
      const { result, spent } = await watch(poor, juma.accountId).during(() =>
        ask('second', path, sent),
      )
      assert.equal(result.status, 429, path)
      assert.match(JSON.stringify(result.body), /Idempotency-Key/)
      assert.equal(result.headers.get('retry-after'), '86400')
      assert.equal(result.headers.get('x-should-retry'), 'false')
      assert.equal(spent, 0)
    }
    assert.equal(poor.models.log.entries.filter(({ method }) => method === 'POST').length, 0)
    const again = await ask('first')
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal((await ask(undefined, '/v1/chat/completions', chat)).status, 200)
    await assertAgreement(poor.db)
  } finally {
    await poor.close()
  }
})
