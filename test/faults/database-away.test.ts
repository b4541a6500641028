import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/db/db.ts'
import { groupCommit } from '../../src/db/group-commit.ts'
import { openDatabase } from '../../src/db/database.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startTestServer, type TestServer } from '../support/local-server.ts'
import { muteableProxy } from '../support/peers/mute-proxy.ts'
import { eventually } from '../support/eventually.ts'

let server: TestServer
let db: Db
before(async () => {
  server = await startTestServer()
  db = openDatabase({ url: server.url, poolSize: 5, log: silentLog })
})
after(async () => {
  await db.close()
  await server.stop()
})

const isAway = (error: unknown) => {
  assert(error instanceof Failure, `not a failure: ${String(error)}`)
  assert.equal(error.kind, 'unavailable')
  assert.equal(error.retryAfterS, 2)
  assert.doesNotMatch(error.message, /127\.0\.0\.1|postgres|ECONN/i)
  return true
}

for (const how of ['fast', 'kill'] as const) {
  test(`the server stops (${how}) and comes back: 503 meanwhile, and the service needs no restart`, async () => {
    const payloads: string[] = []
    await db.listen(`news_${how}`, (payload) => payloads.push(payload))
    const commits = groupCommit({ db, apply: (tx, items: number[]) => echo(tx, items) })
    assert.equal(await commits.submit(1), 1)
    const sleeping = assert.rejects(db.query('select pg_sleep(60)'), isAway)
    const inside = assert.rejects(
      db.begin(async (tx) => {
        await tx.query('select pg_sleep(60)')
      }),
      isAway,
    )
    await sleep(200)
    await server.halt(how)
    await Promise.all([sleeping, inside])

    await assert.rejects(db.query('select 1'), isAway)
    await assert.rejects(
      db.begin(async (tx) => tx.query('select 1')),
      isAway,
    )
    await assert.rejects(db.script('select 1'), isAway)
    await Promise.all([2, 3].map((item) => assert.rejects(commits.submit(item), isAway)))

    await server.resume()
    assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
    assert.equal(await commits.submit(4), 4)
    await eventually('the gap is told', () => payloads.length > 0)
    await db.query(`select pg_notify($1, 'back')`, [`news_${how}`])
    await eventually('news come again', () => payloads.at(-1) === 'back')
    // A server that is still starting may take a connection and drop it: that is one gap more.
    assert.match(payloads.join(), /^,+back$/)
  })
}

test('a backend terminated during a transaction fails only that transaction', async () => {
  const ended = db.begin(async (tx) => {
    const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await sleep(50)
    const other = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
    await other.query('select pg_terminate_backend($1)', [row!.pid])
    await other.close()
    await tx.query('select 1')
  })
  await assert.rejects(ended, isAway)
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
})

test('a statement that takes too long, or waits too long for a lock, fails as unavailable', async () => {
  await assert.rejects(db.query('select pg_sleep(20)'), isAway)
  await db.script('create table locked (id int); insert into locked values (1)')
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = db.begin(async (tx) => {
    await tx.query('select * from locked for update')
    locked.resolve()
    await release.promise
  })
  await locked.promise
  await assert.rejects(db.query('select * from locked for update'), isAway)
  release.resolve()
  await holder
})

test('a network that loses answers fails as unavailable, and the transaction is rolled back', async (t) => {
  const { proxy, far } = await openFar(t, 2)
  assert.deepEqual(await far.query('select 1 as one'), [{ one: 1 }])
  await far.script('create table mute (id int)')
  const lost = far.begin(async (tx) => {
    await tx.query('insert into mute values (1)')
    proxy.mute()
    await tx.query('insert into mute values (2)')
  })
  await assert.rejects(lost, isAway)
  proxy.restore()
  assert.deepEqual(await far.query('select * from mute'), [])
})

test('a statement whose answer is lost fails as unavailable, and the next one has another connection', async (t) => {
  const { proxy, far } = await openFar(t, 1)
  assert.deepEqual(await far.query('select 1 as one'), [{ one: 1 }])
  proxy.mute()
  await assert.rejects(far.query('select 2 as two'), isAway)
  proxy.restore()
  assert.deepEqual(await far.query('select 3 as three'), [{ three: 3 }])
})

test('an error of the database says where the statement was sent', async () => {
  const { stack } = await db.query('select broken').then(
    () => assert.fail('it should fail'),
    (error: Error) => error,
  )
  assert.match(stack!, /database-away\.test\.ts/)
})

test('an invalid statement is reported as such, not as unavailable', async () => {
  await assert.rejects(db.query('select broken'), (error) => !(error instanceof Failure))
})

test('a server that is not there at the start is unavailable, not a crash', async () => {
  const nowhere = openDatabase({
    url: 'postgresql://postgres@127.0.0.1:9/none',
    poolSize: 2,
    log: silentLog,
  })
  await assert.rejects(nowhere.query('select 1'), isAway)
  await assert.rejects(
    nowhere.listen('news', () => {}),
    isAway,
  )
  await nowhere.close()
})

async function echo(tx: { query(sql: string): Promise<unknown> }, items: number[]) {
  await tx.query('select 1')
  return items
}

/** The database behind a network that can be made to lose answers. */
async function openFar(t: TestContext, poolSize: number) {
  const proxy = await muteableProxy(server.url)
  const far = openDatabase({ url: proxy.url, poolSize, log: silentLog, patienceMs: 400 })
  t.after(async () => {
    await far.close()
    await proxy.close()
  })
  return { proxy, far }
}
