import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openServer } from '../../src/db/server.ts'
import { silentLog } from '../../src/lib/log.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { startReplica, startShared } from '../support/replica.ts'

let shared: Awaited<ReturnType<typeof startShared>>
before(async () => {
  shared = await startShared()
})
after(() => shared.close())

test('two workers on one port, and a signal ends both', async () => {
  const url = await freshDatabase()
  const service = await startReplica({ ...shared.env, DATABASE_URL: url, WORKERS: '2' })
  const db = openServer({ url, poolSize: 2, log: silentLog })
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

test('a first start on the embedded database: one screen, then a clean end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-main-'))
  try {
    const service = await startReplica({ DATA_DIR: folder })
    const screen = service.output.join('\n')
    assert.match(screen, /Mlango is running\./)
    const health = await fetch(`${service.url}/healthz`)
    assert.equal(health.status, 200)
    await assert.rejects(startReplica({ DATA_DIR: folder }), /is in use by another process/)
    service.kill('SIGTERM')
    assert.equal(await service.ended, 0)
    const all = service.output.join('\n')
    for (const word of ['/docs', folder, 'simulated', 'curl http'])
      assert.ok(all.includes(word), word)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('an unsafe setting stops the start with its name', async () => {
  const start = startReplica({ DATABASE_URL: 'postgres://127.0.0.1/x' })
  await assert.rejects(start, /MASTER_KEY must be set/)
})
