import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { useLocalServer } from '../../src/db/local/join.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { client } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { allGone, freshFolder } from '../db/local/support.ts'
import { startShared } from '../support/replica.ts'
import { startService } from '../support/service.ts'
import { workersOf } from '../support/workers.ts'
import { eventually } from '../support/eventually.ts'

let shared: Awaited<ReturnType<typeof startShared>>
before(async () => {
  shared = await startShared()
})
after(() => shared.close())

test('two workers on one port, and a signal ends both', async () => {
  const url = await freshDatabase()
  const service = await startService({ ...shared.env, DATABASE_URL: url, WORKERS: '2' })
  const db = openDatabase({ url, poolSize: 2, log: silentLog })
  try {
    const { key } = await newCustomer(service.url, { db, dataDir: shared.folder }, '10')
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}`, connection: 'close' }
      return (await fetch(`${service.url}/v1/billing/balance`, { headers })).status
    }
    for (let i = 0; i < 4; i++) assert.equal(await ask(), 200)
  } finally {
    await db.close()
    service.kill('SIGTERM')
  }
  assert.equal(await service.ended, 0)
})

test('two workers without any other setting share the database, the key and the simulators', async () => {
  const dataDir = join(freshFolder(), 'data')
  const service = await startService({ DATA_DIR: dataDir, WORKERS: '2', LOG_LEVEL: 'warn' })
  const server = await useLocalServer({ dataDir, connections: 20, log: silentLog })
  const db = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
  try {
    const { key, token } = await newCustomer(service.url, { db, dataDir }, '10')
    const messages = [{ role: 'user', content: 'Habari!' }]
    const chat = async () => {
      const response = await fetch(`${service.url}/v1/chat/completions`, {
        method: 'POST',
        // Another connection each time, so that both workers get their share.
        headers: {
          authorization: `Bearer ${key}`,
          connection: 'close',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: 'sim/hekima', messages, max_tokens: 20 }),
      })
      return response.status
    }
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map(chat)), [200, 200, 200, 200])
    await topUp(service.url, db, token)

    const before = workersOf(service.pid)
    assert.equal(before.length, 2)
    process.kill(before[0]!, 'SIGKILL')
    await eventually('another worker is there', () => {
      const now = workersOf(service.pid)
      return now.length === 2 && now.join() !== before.join()
    })
    for (let i = 0; i < 4; i++) assert.equal(await chat(), 200)
    await assertAudit(db)
  } finally {
    await db.close()
    service.kill('SIGTERM')
  }
  assert.equal(await service.ended, 0)
  assert.equal(workersOf(service.pid).length, 0)
  assert(await allGone(dataDir, 0), 'the server had stopped before its supervisor ended')
})

const PLAY = { PAYMENT_PROVIDER: 'simulator', ALLOW_SIMULATED_PAYMENTS: 'true' }

test('a worker that cannot start ends the supervisor with its reason, once', async () => {
  const dataDir = join(freshFolder(), 'data')
  const file = join(dataDir, 'none.json')
  await assert.rejects(
    startService({ DATA_DIR: dataDir, WORKERS: '3', UPSTREAMS_FILE: file, ...PLAY }),
    (error: Error) => {
      assert.match(error.message, /Mlango cannot start\.\nUPSTREAMS_FILE: .*no such file/)
      assert.equal(error.message.split('UPSTREAMS_FILE').length, 2)
      return true
    },
  )
  assert(await allGone(dataDir, 0))
})

/** The callback of the simulated provider is taken by whichever worker gets it. */
async function topUp(
  url: string,
  db: ReturnType<typeof openDatabase>,
  token: string,
): Promise<void> {
  await db.query(`update accounts set phone_number = '+255712345678', phone_verified_at = now()`)
  const call = client(url)
  const body = { amount_tzs: 1_000 }
  const made = await call('POST /v1/payments/topup', { token, body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await eventually('the payment is completed', async () => {
    const { status } = (await call(`GET /v1/payments/${made.body.data.id}`, { token })).body.data
    assert.ok(['pending', 'completed'].includes(status), status)
    return status === 'completed'
  })
}
