import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { useLocalServer } from '../../src/db/local/join.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { progressLine } from '../../src/cli/progress.ts'
import { client, PASSWORD } from '../support/accounts.ts'
import { runMlango } from '../support/command.ts'
import { newCustomer, signUp } from '../support/customer.ts'
import { allGone, freshFolder } from '../db/local/support.ts'
import { startService } from '../support/service.ts'

async function mlango(env: Record<string, string>, ...args: string[]) {
  const { code, out, err } = await runMlango(env, ...args)
  return { code, out: out + err }
}

test('a backup of a working service, restored elsewhere: people and balances are there, sessions are not', async () => {
  const dataDir = join(freshFolder(), 'data')
  const file = join(freshFolder(), 'mlango.backup')
  const service = await startService({ DATA_DIR: dataDir })
  const { email, token } = await signUp(service.url, dataDir)
  const { key } = await customerOf(service.url, dataDir)
  writeFileSync(file, 'something precious')
  const refused = await mlango({ DATA_DIR: dataDir }, 'backup', file)
  assert.deepEqual([refused.code, /is there already/.test(refused.out)], [1, true])
  assert.equal(readFileSync(file, 'utf8'), 'something precious')
  const made = await mlango({ DATA_DIR: dataDir }, 'backup', file, '--force')
  assert.match(made.out, /The backup is in .*mlango\.backup/)
  assert.equal(made.code, 0)
  assert.equal((await fetch(`${service.url}/v1/catalog`)).status, 200)
  const inUse = await mlango({ DATA_DIR: dataDir }, 'restore', file, '--keys', 'keep')
  assert.match(inUse.out, /is in use by another Mlango/)
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)

  const notEmpty = await mlango({ DATA_DIR: dataDir }, 'restore', file, '--keys', 'keep')
  assert.deepEqual([notEmpty.code, /is not empty/.test(notEmpty.out)], [1, true])
  const other = join(freshFolder(), 'other')
  const restored = await mlango({ DATA_DIR: other }, 'restore', file, '--keys', 'keep')
  assert.match(restored.out, /has been restored into .*\nSessions ended: 2\./)
  assert.match(restored.out, /\nAPI keys kept: 1, also those that were revoked since/)
  assert.match(restored.out, /\n  operators: none; do it again/)
  assert.match(restored.out, /\nThe books balance: 2 accounts/)
  // The copy has the row of the backup, and the restored one that of its restoring.
  assert.match(restored.out, /The log of the operators is whole: [23] actions/)
  assert.equal(restored.code, 0)
  assert(await allGone(other, 0))

  const again = await startService({ DATA_DIR: other })
  const call = client(again.url)
  assert.equal((await call('GET /v1/me', { token })).status, 401)
  const body = { identifier: email, password: PASSWORD }
  assert.equal((await call('POST /v1/auth/login', { body })).status, 200)
  assert.equal((await call('GET /v1/billing/balance', { token: key })).body.data.balance_credits, 7)
  again.kill('SIGTERM')
  assert.equal(await again.ended, 0)
})

test('a stopped service: every command starts the server for its time', async () => {
  const dataDir = join(freshFolder(), 'data')
  const [first, second] = await Promise.all([
    mlango({ DATA_DIR: dataDir }, 'audit'),
    mlango({ DATA_DIR: dataDir }, 'operators', 'list'),
  ])
  assert.deepEqual(first, {
    code: 0,
    out:
      'The books balance: 0 accounts, 0 entries, 0 open holds.\n' +
      'The log of the operators is whole: 0 actions.\n',
  })
  assert.deepEqual(second, { code: 0, out: '0 shown.\n' })
  assert(await allGone(dataDir, 0))
})

test('books that do not balance end a restore with 1', async () => {
  const dataDir = join(freshFolder(), 'data')
  const file = join(freshFolder(), 'odd.backup')
  await mlango({ DATA_DIR: dataDir }, 'audit')
  const server = await useLocalServer({ dataDir, connections: 20, log: silentLog })
  const db = openDatabase({ url: server.url, poolSize: 1, log: silentLog })
  await db.query(
    `insert into ledger_accounts (account_id, balance_micro, held_micro)
     values (gen_random_uuid(), 5, 0)`,
  )
  await db.close()
  await server.stop()
  const MASTER_KEY = 'a master key for tests, long enough'
  const made = await mlango({ DATA_DIR: dataDir, MASTER_KEY }, 'backup', file)
  assert.match(made.out, /MASTER_KEY is not in it/)
  const other = join(freshFolder(), 'other')
  const restored = await mlango({ DATA_DIR: other, MASTER_KEY }, 'restore', file, '--keys', 'keep')
  assert.equal(restored.code, 1)
  assert.match(restored.out, /set MASTER_KEY to the one that was used then/)
  assert.match(restored.out, /The books do not balance: 1 findings/)
})

test('with DATABASE_URL the tools of that server are named', async () => {
  const env = { DATABASE_URL: 'postgres://h/d', MASTER_KEY: 'a master key for tests, long enough' }
  for (const name of ['backup', 'restore']) {
    const { code, out } = await mlango(env, name, 'x')
    assert.equal(code, 1)
    assert.match(out, /pg_dump and pg_restore .*pg_basebackup/)
  }
})

test('without a file name, usage; a file that is no backup is refused', async () => {
  const dataDir = freshFolder()
  assert.equal((await mlango({ DATA_DIR: dataDir }, 'backup')).code, 2)
  assert.equal((await mlango({ DATA_DIR: dataDir }, 'restore', '--keys', 'keep')).code, 2)
  const asked = await mlango({ DATA_DIR: dataDir }, 'restore', 'x')
  assert.equal(asked.code, 1)
  assert.match(asked.out, /--keys revoke .*\n.*--keys keep/)
  const file = join(freshFolder(), 'letter.txt')
  writeFileSync(file, 'Dear Asha')
  const { code, out } = await mlango({ DATA_DIR: dataDir }, 'restore', file, '--keys', 'keep')
  assert.equal(code, 1)
  assert.match(out, /is not a backup made by "mlango backup"/)
  assert(!existsSync(join(dataDir, 'postgres')))
})

test('progress is drawn in place on a terminal, and seldom elsewhere', () => {
  let text = ''
  const write = (part: string) => (text += part)
  const line = progressLine('Copied', { isTTY: true, write })
  for (let mb = 0; mb <= 10; mb++) line.show(mb * 2 ** 20, 10 * 2 ** 20)
  line.end()
  assert.equal(text, '\rCopied: 0.0 of 10.0 MB\rCopied: 10.0 of 10.0 MB\n')
  text = ''
  const quiet = progressLine('Copied', { write })
  for (let mb = 0; mb <= 10; mb++) quiet.show(mb * 2 ** 20, 10 * 2 ** 20)
  quiet.end()
  assert.equal(text, '')
})

async function customerOf(url: string, dataDir: string) {
  const server = await useLocalServer({ dataDir, connections: 20, log: silentLog })
  const db = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
  try {
    return await newCustomer(url, { db, dataDir }, '7')
  } finally {
    await db.close()
    await server.stop()
  }
}
