import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshDatabase } from '../support/databases.ts'
import { addressIn, throughPort } from '../support/peers/database-address.ts'

/** Each write of ours, as the server receives it. */
let writes: string[] = []
let db: Db
let proxy: Awaited<ReturnType<typeof recordingProxy>>

before(async () => {
  proxy = await recordingProxy(await freshDatabase())
  db = openDatabase({ url: proxy.url, poolSize: 1, log: silentLog })
  await db.script('create table box (id int8 primary key)')
  await db.begin((tx) => tx.read('select id from box for update'))
})
after(async () => {
  await db.close()
  await proxy.close()
})

test('the reads that come first travel with BEGIN', async () => {
  const sent = await writesOf(() =>
    db.begin((tx) =>
      Promise.all([tx.read('select id from box for update'), tx.read('select 1 as one')]),
    ),
  )
  assert.equal(sent.length, 2)
  assert.match(sent[0]!, /begin/)
  assert.match(sent[0]!, /select 1 as one/)
  assert.match(sent[1]!, /commit/)
})

test('a write waits until BEGIN is answered, and so does a read behind it', async () => {
  const sent = await writesOf(() =>
    db.begin((tx) =>
      Promise.all([tx.query('insert into box values (1)'), tx.read('select 2 as two')]),
    ),
  )
  assert.equal(sent.length, 3)
  assert.doesNotMatch(sent[0]!, /insert|select/)
  assert.match(sent[1]!, /insert.*select 2 as two/s)
})

test('a function with effects that begins with select is a query, and waits too', async () => {
  const sent = await writesOf(() => db.begin((tx) => tx.query(`select pg_notify('news', '')`)))
  assert.doesNotMatch(sent[0]!, /pg_notify/)
})

test('COMMIT travels with the last writes', async () => {
  const sent = await writesOf(() =>
    db.begin(async (tx) => {
      await tx.read('select id from box for update')
      await tx.later.query('insert into box values (2)')
      await tx.later.query('insert into box values (3)')
    }),
  )
  assert.equal(sent.length, 2)
  assert.match(sent[1]!, /insert.*insert.*commit/s)
})

test('nothing can be read for later', async () => {
  await assert.rejects(
    db.begin((tx) => tx.later.read('select 1')),
    /read for later/,
  )
})

async function writesOf(work: () => Promise<unknown>): Promise<string[]> {
  writes = []
  await work()
  return writes
}

async function recordingProxy(target: string) {
  const server = createServer((near) => {
    const far = connect(addressIn(target))
    near.on('data', (bytes) => writes.push(bytes.toString('latin1')))
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = throughPort(target, (server.address() as AddressInfo).port)
  return { url, close: () => new Promise((closed) => server.close(closed)) }
}
