import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { applyCommands } from '../../src/billing/ledger-store.ts'
import { openDatabase } from '../../src/db/database.ts'
import { sweeper } from '../../src/jobs/sweeper.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertBooks } from '../support/audit.ts'
import { runChild } from '../support/child.ts'
import { freshDatabase } from '../support/databases.ts'

const GIVEN = 100_000n
const DEAD_AFTER_MS = 1_500

/** What a child writes of a charge that was confirmed, and how many calls it had drawn by then. */
type Line = { chargedMicro: number; drawn: number }

test('processes that draw from floats are killed: every confirmed charge stays, every float goes', async (t) => {
  const url = await freshDatabase()
  const db = openDatabase({ url, poolSize: 3, log: silentLog })
  const dataDir = await mkdtemp(join(tmpdir(), 'mlango-floats-'))
  t.after(async () => {
    await db.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  // One account of both processes, which may be too restless for a float, and one of each alone.
  const [shared, ...owned] = [uuidv7(), uuidv7(), uuidv7()]
  for (const accountId of [shared, ...owned]) {
    const entry = { id: uuidv7(), type: 'topup', key: uuidv7(), description: 'test' } as const
    const grant = { kind: 'grant', accountId, amountMicro: GIVEN, entry } as const
    await db.begin((tx) => applyCommands(tx, [grant]))
  }
  const released: boolean[] = []
  const sweep = sweeper({
    db,
    log: silentLog,
    onReleased: async (_tx, holds) => void released.push(...holds.map((hold) => hold.isFloat!)),
    claimed: async () => new Set(),
    deadAfterMs: DEAD_AFTER_MS,
  })
  let confirmed = 0n
  for (let round = 0; round < 4; round++) {
    const children = owned.map((accountId) =>
      runChild('test/faults/children/floats.ts', [url, dataDir, accountId, shared]),
    )
    for (const child of children) {
      let line: Line
      do {
        line = JSON.parse(await child.line()) as Line
        confirmed += BigInt(line.chargedMicro)
      } while (line.drawn === 0)
    }
    await wait(Math.random() * 800)
    for (const child of children) child.kill('SIGKILL')
    for (const child of children) {
      await child.ended
      for (const line of child.lines()) confirmed += BigInt((JSON.parse(line) as Line).chargedMicro)
    }
    await sweep.run(new AbortController().signal)
  }
  await wait(DEAD_AFTER_MS + 300)
  await sweep.run(new AbortController().signal)
  assert.ok(released.includes(true), 'floats of the dead were released')
  assert.deepEqual(await db.query('select id from holds'), [])
  await assertBooks(db)
  const [row] = await db.query<{ spent: bigint }>(
    `select coalesce(-sum(amount_micro), 0)::int8 as spent from ledger_entries where type = 'usage'`,
  )
  assert.ok(row!.spent >= confirmed, 'no confirmed charge is lost')
})
