import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { processesIn } from '../../../src/db/local/leftovers.ts'
import { allGone, ask, freshFolder, start } from './support.ts'

test('a first start makes the data, and a later one finds them again', async () => {
  const dataDir = freshFolder()
  const first = await start(dataDir)
  await ask(first.url, 'create table kept as select 42 as answer')
  assert.equal(first.folder, join(dataDir, 'postgres'))
  await first.stop()
  assert(await allGone(dataDir))
  const second = await start(dataDir)
  assert.deepEqual(await ask(second.url, 'select answer from kept'), [{ answer: 42 }])
  await second.stop()
})

test('the server is durable, off the network, closed to others, and of fixed collation', async () => {
  const dataDir = freshFolder()
  const server = await start(dataDir)
  const rows = await ask<{ name: string; setting: string }>(
    server.url,
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit',
       'full_page_writes', 'data_checksums', 'listen_addresses', 'max_connections', 'wal_level',
       'server_encoding', 'TimeZone')`,
  )
  assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.setting])), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    max_connections: '20',
    wal_level: 'replica',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
  })
  const [words] = await ask<object>(
    server.url,
    `select upper('éà') as upper, array(select * from unnest(array['b', 'B', 'é', 'a']) t order by t) as sorted,
       (select datlocprovider::text || ' ' || datlocale from pg_database where datname = 'postgres') as locale`,
  )
  assert.deepEqual(words, { upper: 'ÉÀ', sorted: ['B', 'a', 'b', 'é'], locale: 'b C.UTF-8' })
  for (const name of ['postgres', 'run']) {
    assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o700, name)
  }
  await server.stop()
})

test('it stays small: few processes, and none of them with our environment', async () => {
  const dataDir = freshFolder()
  process.env.MLANGO_TEST_SECRET = 'a secret'
  const server = await start(dataDir)
  delete process.env.MLANGO_TEST_SECRET
  const pids = processesIn(server.folder)
  assert(pids.length <= 6, `${pids.length} processes`)
  if (process.platform === 'linux') {
    const { readFileSync } = await import('node:fs')
    for (const pid of pids) {
      assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /MLANGO_TEST_SECRET/)
    }
  }
  await server.stop()
})
