import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import type { Db } from '../../../src/db/db.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { withDatabase } from '../../support/databases.ts'
import { watchHolds } from './forgotten-holds.ts'
import { brokenInvariants } from './invariants.ts'

/* What judges a run must see what is wrong. */

withDatabase('the judge of the fire', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  test('finds an old hold of a live process, no young one, and none of a dead process', async () => {
    const [live, dead] = [randomUUID(), randomUUID()]
    await db.query(
      `insert into processes (id, beat_at) values ($1, now()), ($2, now() - interval '1 min')`,
      [live, dead],
    )
    const forgotten = await holdOf(live, '91 s')
    await holdOf(live, '80 s')
    await holdOf(dead, '91 s')
    const found = await watchHolds(db).stop()
    assert.equal(found.length, 1, found.join('\n'))
    assert.match(found[0]!, new RegExp(forgotten))
    await db.query('delete from holds')
  })

  test('finds an adjustment by an operator that is not in the log', async () => {
    assert.deepEqual(await brokenInvariants(db), [])
    const entry = { id: randomUUID(), key: 'k', description: 'gift', operator: 'Asha' }
    const accountId = randomUUID()
    await db.begin((tx) =>
      applyCommands(tx, [
        { kind: 'adjust', accountId, amountMicro: 7n, entry: { ...entry, type: 'adjustment' } },
      ]),
    )
    const found = await brokenInvariants(db)
    assert.equal(found.length, 1, found.join('\n'))
    assert.match(found[0]!, /^I13/)
  })

  async function holdOf(processId: string, age: string): Promise<string> {
    const id = randomUUID()
    await db.query(
      `insert into holds (id, account_id, amount_micro, limit_micro, owner_process, about, created_at)
       values ($1, $2, 0, 0, $3, '{}', now() - $4::interval)`,
      [id, randomUUID(), processId, age],
    )
    return id
  }
})
