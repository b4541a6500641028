import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/db/db.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { openServer } from '../../src/db/server.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertBooks } from '../support/audit.ts'
import { runChild } from '../support/child.ts'
import { startPostgres } from '../support/postgres.ts'

/** Kills the process in full work; gives what it had acknowledged by then. */
async function acknowledgedBeforeKill(where: string, accountId: string): Promise<string[]> {
  const child = runChild('test/faults/children/acknowledge.ts', [where, accountId])
  const first = await child.line()
  await sleep(300 + Math.random() * 400)
  child.kill('SIGKILL')
  await child.ended
  return [first, ...child.lines()]
}

async function assertKept(db: Db, accountId: string, keys: string[]): Promise<void> {
  const rows = await db.query<{ key: string }>(
    'select key from ledger_entries where account_id = $1',
    [accountId],
  )
  const kept = new Set(rows.map((row) => row.key))
  const lost = keys.filter((key) => !kept.has(key))
  assert(keys.length > 10, `only ${keys.length} were acknowledged`)
  assert.deepEqual(lost, [])
  await assertBooks(db)
}

test('embedded: what was acknowledged survives kill -9, repeatedly', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-kill-'))
  const accountId = randomUUID()
  const keys: string[] = []
  try {
    for (let round = 0; round < 2; round++) {
      keys.push(...(await acknowledgedBeforeKill(folder, accountId)))
      const db = await openEmbedded({ folder, log: silentLog })
      await assertKept(db, accountId, keys).finally(() => db.close())
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('server: what was acknowledged survives kill -9 of the process and a crash of the server', async () => {
  const server = await startPostgres({ durable: true })
  const accountId = randomUUID()
  try {
    const keys = await acknowledgedBeforeKill(server.url, accountId)
    await server.halt('kill')
    await server.resume()
    const db = openServer({ url: server.url, poolSize: 2, log: silentLog })
    await assertKept(db, accountId, keys).finally(() => db.close())
  } finally {
    await server.stop()
  }
})
