import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPostmaster } from '../../src/db/local/leftovers.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshFolder, start } from '../db/local/support.ts'
import { assertAudit } from '../support/money/audit.ts'
import { runChild, type Child } from '../support/child.ts'

/** The service's own server, with the service's own settings: every commit waits for the disk. */
function grantingIn(dataDir: string, accountId: string): Child {
  return runChild('test/faults/children/acknowledge.ts', [dataDir, accountId])
}

async function someWork(child: Child): Promise<string[]> {
  const keys: string[] = []
  while (keys.length < 20) keys.push(await child.line())
  await sleep(Math.random() * 400)
  return [...keys, ...child.lines()]
}

async function killed(child: Child): Promise<string[]> {
  child.kill('SIGKILL')
  await child.ended
  return child.lines()
}

async function assertKept(dataDir: string, accountId: string, keys: string[]): Promise<void> {
  const server = await start(dataDir)
  const db = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
  try {
    const rows = await db.query<{ key: string }>(
      'select key from ledger_entries where account_id = $1',
      [accountId],
    )
    const kept = new Set(rows.map((row) => row.key))
    assert(keys.length > 10, `only ${keys.length} were acknowledged`)
    assert.deepEqual(
      keys.filter((key) => !kept.has(key)),
      [],
    )
    await assertAudit(db)
  } finally {
    await db.close()
    await server.stop()
  }
}

test('what was acknowledged survives kill -9 of the service, repeatedly', async () => {
  const dataDir = freshFolder()
  const accountId = randomUUID()
  const keys: string[] = []
  for (let round = 0; round < 2; round++) {
    const child = grantingIn(dataDir, accountId)
    keys.push(...(await someWork(child)), ...(await killed(child)))
    await assertKept(dataDir, accountId, keys)
  }
})

test('what was acknowledged survives kill -9 of its server, and the work goes on', async () => {
  const dataDir = freshFolder()
  const accountId = randomUUID()
  const child = grantingIn(dataDir, accountId)
  const keys = await someWork(child)
  process.kill(readPostmaster(join(dataDir, 'postgres'))!.pid, 'SIGKILL')
  // What it said before it noticed.
  await sleep(50)
  keys.push(...child.lines())
  keys.push(...(await someWork(child)), ...(await killed(child)))
  await assertKept(dataDir, accountId, keys)
})
