import assert from 'node:assert/strict'
import { NOBODY } from '../support/money/billing.ts'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { sweeper } from '../../src/ledger/sweeper.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { runChild } from '../support/child.ts'
import { freshDatabase } from '../support/databases.ts'
import type { Tally } from './children/hammer.ts'
import { eventually } from '../support/eventually.ts'

let url: string
let db: Db
before(async () => {
  url = await freshDatabase()
  db = openDatabase({ url, poolSize: 5, log: silentLog })
})
after(() => db.close())

const DEAD_AFTER_MS = 1_000
const sweepNow = (deadAfterMs = DEAD_AFTER_MS) =>
  sweeper({
    db,
    log: silentLog,
    deadAfterMs,
    onReleased: async () => {},
    own: NOBODY,
    claimed: async () => new Set(),
  }).run(new AbortController().signal)

test('four processes on a few accounts, one of them killed: the ledger stays correct', async () => {
  const hot = randomUUID()
  const accounts = [hot, hot, hot, ...Array.from({ length: 4 }, () => randomUUID())]
  const entry = { id: randomUUID(), type: 'topup', key: randomUUID(), description: '' } as const
  await db.begin((tx) =>
    applyCommands(tx, [{ kind: 'grant', accountId: hot, amountMicro: 5_000n, entry }]),
  )
  const children = Array.from({ length: 4 }, () =>
    runChild('test/faults/children/hammer.ts', [url, '3000', ...accounts]),
  )
  for (const child of children) await child.line()
  children[3]!.kill('SIGKILL')
  const lines = await Promise.all(children.slice(0, 3).map((child) => child.line()))
  await Promise.all(children.map((child) => child.ended))

  const tallies = lines.map((line) => JSON.parse(line) as Tally)
  for (const { holds, closed, wrong } of tallies) {
    assert.deepEqual(wrong, [])
    assert.equal(closed, holds)
    assert(holds > 5, `only ${holds} holds`)
  }
  await assertAudit(db)
  await eventually('the holds of the killed one are released', async () => {
    await sweepNow()
    return (await db.query('select from holds')).length === 0
  })
  await assertAudit(db)
})

test('a frozen process that wakes after the sweep finds its hold gone', async () => {
  const accountId = randomUUID()
  const child = runChild('test/faults/children/sleeper.ts', [url, accountId])
  assert.equal(await child.line(), 'held')
  // It lives for longer than a dead process would: by heartbeats, which a sweep respects.
  const since = await beat()
  await eventually('it has beaten', async () => (await beat()) - since > DEAD_AFTER_MS)
  await sweepNow(60_000)
  assert.deepEqual(await held(accountId), { balance_micro: 100n, held_micro: 40n })
  child.kill('SIGSTOP')
  await eventually('its hold is released', async () => {
    await sweepNow()
    return (await held(accountId))!.held_micro === 0n
  })
  assert.deepEqual(await held(accountId), { balance_micro: 100n, held_micro: 0n })
  child.kill('SIGCONT')
  child.kill('SIGUSR2')
  assert.equal(await child.line(), 'gone')
  await child.ended
  assert.deepEqual(await held(accountId), { balance_micro: 100n, held_micro: 0n })
  await assertAudit(db)
})

async function beat(): Promise<number> {
  const [row] = await db.query<{ at: Date }>('select max(beat_at) as at from processes')
  return row!.at.getTime()
}

async function held(accountId: string) {
  const sql = 'select balance_micro, held_micro from ledger_accounts where account_id = $1'
  return (await db.query(sql, [accountId]))[0]
}
