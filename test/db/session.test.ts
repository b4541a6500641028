import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/db/database.ts'
import { lostSettings, withSession } from '../../src/db/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshDatabase } from '../support/databases.ts'

/** As PostgreSQL is delivered, and as other people set it for their own purposes. */
const OF_ITS_OWN = {
  jit: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  TimeZone: `'Asia/Tokyo'`,
  DateStyle: 'German',
  default_transaction_isolation: 'serializable',
}

async function withOwnSettings(): Promise<string> {
  const url = await freshDatabase()
  const db = openDatabase({ url, poolSize: 1, log: silentLog })
  const name = new URL(url).pathname.slice(1)
  for (const [setting, value] of Object.entries(OF_ITS_OWN)) {
    await db.script(`alter database ${name} set ${setting} = ${value}`)
  }
  await db.close()
  return url
}

test('every connection has the settings that the service relies on', async () => {
  const url = await withOwnSettings()
  const db = openDatabase({ url, poolSize: 3, log: silentLog })
  const show = async (setting: string) => Object.values((await db.read(`show ${setting}`))[0]!)[0]
  assert.equal(await show('jit'), 'off')
  assert.equal(await show('statement_timeout'), '5s')
  assert.equal(await show('lock_timeout'), '2s')
  assert.equal(await show('idle_in_transaction_session_timeout'), '10s')
  assert.equal(await show('timezone'), 'UTC')
  assert.equal(await show('transaction_isolation'), 'read committed')
  const [row] = await db.read(
    `select timestamptz '2026-02-01T00:00:00Z' as at, date '2026-02-01' as day`,
  )
  assert.deepEqual(row, { at: new Date('2026-02-01T00:00:00Z'), day: '2026-02-01' })
  const lost = await Promise.all([0, 1, 2].map(() => db.begin(lostSettings)))
  assert.deepEqual(lost, [[], [], []])
  await db.close()
})

test('options in the address stay, but for what the service sets itself', async () => {
  const url = new URL(await freshDatabase())
  url.searchParams.set('options', '-c work_mem=7MB -c jit=on')
  const db = openDatabase({ url: url.href, poolSize: 1, log: silentLog })
  assert.deepEqual(await db.read('show work_mem'), [{ work_mem: '7MB' }])
  assert.deepEqual(await db.read('show jit'), [{ jit: 'off' }])
  await db.close()
})

test('a connection that lost its settings on the way is noticed', async () => {
  const db = openDatabase({ url: await freshDatabase(), poolSize: 1, log: silentLog })
  await db.query('set jit = on')
  await db.query(`set statement_timeout = '7s'`)
  assert.deepEqual(await lostSettings(db), ['statement_timeout = 7s', 'jit = on'])
  await db.close()
})

test('a socket, a password and other parts of an address come through', () => {
  const url = 'postgresql://asha:a%3Fb@/mlango?host=%2Fvar%2Frun&sslmode=disable'
  const { username, password, searchParams } = new URL(withSession(url).replace('@/', '@socket/'))
  assert.deepEqual([username, password], ['asha', 'a%3Fb'])
  assert.equal(searchParams.get('host'), '/var/run')
  assert.equal(searchParams.get('sslmode'), 'disable')
})
