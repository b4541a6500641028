import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepareDatabase } from '../../src/app/prepare-database.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { SERVICE_USER } from '../../src/db/local/settings.ts'
import { readRights } from '../../src/db/service-role.ts'
import { silentLog } from '../../src/lib/log.ts'
import { commandActor } from '../../src/operators/actor.ts'
import { checkAuditLog, withAuditLog } from '../../src/operators/audit-log.ts'
import { asService, emptyDatabase } from '../support/databases.ts'
import { startTestServer } from '../support/local-server.ts'

/* The role in which the service works, on a database that its owner has prepared. */

const MASTER_KEY = 'a master key for tests, long enough'
let ownerUrl: string
let owner: Db
let service: Db
before(async () => {
  ownerUrl = await emptyDatabase()
  owner = openDatabase({ url: ownerUrl, poolSize: 2, log: silentLog })
  service = await start({ DATABASE_OWNER_URL: ownerUrl })
})
after(async () => {
  await service.close()
  await owner.close()
})

function start(more: Record<string, string> = {}): Promise<Db> {
  const env = { DATABASE_URL: asService(ownerUrl), MASTER_KEY, DATABASE_POOL: '2', ...more }
  return prepareDatabase(readConfig(env), silentLog, undefined)
}

const act = () =>
  withAuditLog(service, commandActor('neema'), (_tx, record) =>
    record({ action: 'account.suspend', target: { type: 'account', id: '1' } }),
  )

/** The database's word for what a role may not do is 42501. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return (cause as { code?: unknown }).code
}

test('it adds to the log, and cannot change, cut or unlock it', async () => {
  await act()
  await act()
  assert.deepEqual(
    [(await checkAuditLog(service)).actions, (await checkAuditLog(service)).finding],
    [2n, undefined],
  )
  for (const table of ['operator_actions', 'ledger_entries', 'price_snapshots']) {
    for (const sql of [
      `update ${table} set ${table === 'operator_actions' ? 'seq = seq' : 'id = id'}`,
      `delete from ${table}`,
      `truncate ${table}`,
      `alter table ${table} disable trigger all`,
      `drop table ${table}`,
      `grant update on ${table} to current_user`,
    ]) {
      // A grant by somebody who may not grant is a warning, and does nothing.
      await service.script(sql).then(
        () => assert.match(sql, /^grant/, sql),
        (error: unknown) => assert.equal(codeOf(error), '42501', sql),
      )
    }
  }
  assert.deepEqual(await readRights(service), { superuser: false, changesLog: false })
  assert.deepEqual(await readRights(owner), { superuser: true, changesLog: true })
})

test('it makes no tables and reads no files of the server', async () => {
  for (const sql of [
    'create table mine (id int)',
    'create or replace function now() returns int language sql as $$ select 1 $$',
    `select pg_read_file('PG_VERSION')`,
    `copy (select 1) to program 'true'`,
    `set session_replication_role = replica`,
    'delete from migrations',
  ]) {
    await assert.rejects(service.script(sql), (error) => codeOf(error) === '42501', sql)
  }
})

test('a start without the owner works while there is nothing to migrate, and says what it lacks after', async () => {
  const again = await start()
  assert.equal((await checkAuditLog(again)).finding, undefined)
  await again.close()
  await owner.query('delete from migrations where number = (select max(number) from migrations)')
  await assert.rejects(start(), /may not create tables.*DATABASE_OWNER_URL/)
})

test('data that were made before there was such a role get one at the next start', async () => {
  const server = await startTestServer()
  try {
    const asOwner = openDatabase({ url: server.url, poolSize: 1, log: silentLog })
    await asOwner.query(`drop role ${SERVICE_USER}`)
    await asOwner.close()
    await server.halt('fast')
    await server.resume()
    const local = { url: server.url, serviceUrl: asService(server.url) }
    const db = await prepareDatabase(readConfig({ DATABASE_POOL: '2' }), silentLog, local)
    assert.deepEqual(await readRights(db), { superuser: false, changesLog: false })
    assert.equal((await checkAuditLog(db)).actions, 0n)
    await db.close()
  } finally {
    await server.stop()
  }
})
