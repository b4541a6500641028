import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { useLocalServer } from '../../src/db/local/join.ts'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { client } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { newCustomer } from '../support/customer.ts'
import { freshFolder } from '../db/local/support.ts'
import { startReplica, type Replica } from '../support/replica.ts'
import { eventually } from '../support/eventually.ts'

const dataDir = join(freshFolder(), 'data')
let service: Replica
let db: Db
before(async () => {
  service = await startReplica({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
  const { url } = await useLocalServer({ dataDir, connections: 20, log: silentLog })
  db = openDatabase({ url, poolSize: 2, log: silentLog })
})
after(async () => {
  await db.close()
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test('a database server that dies alone: 503, then 200 again within seconds, and nothing is lost', async () => {
  const { key } = await newCustomer(service.url, { db, dataDir }, '10')
  const call = client(service.url)
  const chat = async () => {
    const messages = [{ role: 'user', content: 'Habari!' }]
    const body = { model: 'sim/hekima', messages, max_tokens: 20 }
    return (await call('POST /v1/chat/completions', { token: key, body })).status
  }
  let paid = 0
  for (let round = 0; round < 2; round++) {
    assert.equal(await chat(), 200)
    paid++
    const postmaster = pidOfServer()
    process.kill(postmaster, 'SIGKILL')
    const seen: number[] = []
    await eventually('a call is answered again', async () => {
      seen.push(await chat())
      return seen.at(-1) === 200
    })
    paid++
    assert.deepEqual(
      seen.slice(0, -1).filter((status) => status !== 503),
      [],
    )
    assert.notEqual(pidOfServer(), postmaster)
  }
  await assertAudit(db)
  const [row] = await db.query<{ charges: number }>(
    `select count(*)::int as charges from ledger_entries where type = 'usage'`,
  )
  assert.equal(row!.charges, paid)
  assert.match(service.output.join('\n'), /The database server ended and is started again\./)
})

function pidOfServer(): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
}
