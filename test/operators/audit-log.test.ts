import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, beforeEach, test } from 'node:test'
import { withAuditLog, checkAuditLog, type AuditEvent } from '../../src/operators/audit-log.ts'
import { commandActor } from '../../src/operators/actor.ts'
import { listAuditEvents } from '../../src/operators/audit-log-store.ts'
import type { Db } from '../../src/db/db.ts'
import { auditCommand } from '../../src/cli/audit.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('the log of the operators', (open) => {
  let db: Db
  const neema = commandActor('neema')
  const ANY = {
    operatorId: undefined,
    targetId: undefined,
    action: undefined,
    before: undefined,
    reads: false,
  }
  const event = (id: string): AuditEvent => ({
    action: 'account.suspend',
    target: { type: 'account', id },
    reason: 'Sababu "✓"',
    before: { status: 'active', deep: { b: [1, null], a: 1.5 } },
    after: { status: 'suspended' },
    amountMicro: -12n,
  })
  const write = (id: string = randomUUID()) =>
    withAuditLog(db, neema, (_tx, record) => record(event(id)))
  /** As whoever owns the database could. */
  const behindOurBack = (sql: string) =>
    db.begin((tx) =>
      tx.script(`alter table operator_actions disable trigger operator_actions_stay; ${sql};
        alter table operator_actions enable trigger operator_actions_stay`),
    )

  before(async () => {
    db = await open()
  })
  beforeEach(async () => {
    await behindOurBack(`delete from operator_actions; update operator_log set seq = 0, hash = ''`)
  })

  test('what is written is read as it was, numbered, and the chain holds', async () => {
    const id = randomUUID()
    await write(id)
    await write()
    const [first] = await listAuditEvents(db, { ...ANY, targetId: id, limit: 10 })
    assert.equal(first?.seq, 1n)
    assert.equal(first.operator, 'neema')
    assert.equal(first.amountMicro, -12n)
    assert.deepEqual(first.before, event(id).before)
    const { actions, finding } = await checkAuditLog(db)
    assert.deepEqual([actions, finding], [2n, undefined])
  })

  test('many at once are in one order, without a gap', async () => {
    await Promise.all(Array.from({ length: 20 }, () => write()))
    const { actions, finding } = await checkAuditLog(db)
    assert.deepEqual([actions, finding], [20n, undefined])
  })

  test('an action that fails leaves no row, and no gap', async () => {
    await assert.rejects(
      withAuditLog(db, neema, async (_tx, record) => {
        await record(event(randomUUID()))
        throw new Error('it failed')
      }),
      /it failed/,
    )
    await write()
    const { actions, finding } = await checkAuditLog(db)
    assert.deepEqual([actions, finding], [1n, undefined])
  })

  test('the database refuses to change or delete a row', async () => {
    await write()
    for (const sql of [
      "update operator_actions set reason = 'another'",
      'delete from operator_actions',
      'truncate operator_actions',
    ]) {
      await assert.rejects(db.query(sql), /only ever added/)
    }
  })

  test('a row that was changed, taken out or cut off shows', async () => {
    for (const [sql, finding] of [
      ["update operator_actions set reason = 'another' where seq = 2", /^Action 2 was changed/],
      ['update operator_actions set amount_micro = -13 where seq = 3', /^Action 3 was changed/],
      ["update operator_actions set operator = 'juma' where seq = 1", /^Action 1 was changed/],
      ['delete from operator_actions where seq = 2', /^Action 2 is missing/],
      ['delete from operator_actions where seq = 3', /^The log should end with action 3/],
    ] as const) {
      await behindOurBack(
        `delete from operator_actions; update operator_log set seq = 0, hash = ''`,
      )
      for (let i = 0; i < 3; i++) await write()
      await behindOurBack(sql)
      assert.match((await checkAuditLog(db)).finding ?? '', finding, sql)
      const lines: string[] = []
      const code = await auditCommand.run([], { db, print: (line) => lines.push(line) })
      assert.equal(code, 1)
      assert.match(lines.at(-1)!, finding)
    }
  })
})
