import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { rangeBetween } from '../../src/ledger/statement-store.ts'
import type { Db } from '../../src/db/db.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('statement store', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })
  after(() => assertAudit(db))

  /** One entry at each of these times, in order. */
  async function accountWith(times: Date[]): Promise<string> {
    const accountId = randomUUID()
    await db.begin(async (tx) => {
      const grants = times.map(() => ({
        kind: 'grant' as const,
        accountId,
        amountMicro: 1n,
        entry: {
          id: randomUUID(),
          type: 'adjustment' as const,
          key: randomUUID(),
          description: '',
        },
      }))
      await applyCommands(tx, grants)
      await tx.script('alter table ledger_entries disable trigger ledger_entries_stay')
      await tx.query(
        `update ledger_entries set created_at = ($2::timestamptz[])[ordinal] where account_id = $1`,
        [accountId, times],
      )
      await tx.script('alter table ledger_entries enable trigger ledger_entries_stay')
    })
    return accountId
  }

  const second = fc.integer({ min: 0, max: 40 }).map((s) => new Date(Date.UTC(2026, 0, 1, 0, 0, s)))

  test('a period has the entries whose time is in it', async () => {
    const property = fc.asyncProperty(
      fc.array(second, { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(fc.option(second), fc.option(second)), { minLength: 10, maxLength: 10 }),
      async (unsorted, periods) => {
        const times = unsorted.toSorted((a, b) => a.getTime() - b.getTime())
        const accountId = await accountWith(times)
        for (const [from, to] of periods) {
          const range = await rangeBetween(db, {
            accountId,
            from: from ?? undefined,
            to: to ?? undefined,
          })
          const within = times.flatMap((time, i) =>
            (from === null || time >= from) && (to === null || time < to) ? [BigInt(i + 1)] : [],
          )
          if (within.length === 0) assert.ok(range.last < range.first)
          else assert.deepEqual(range, { first: within[0], last: within.at(-1) })
        }
      },
    )
    await fc.assert(property, { numRuns: 20 })
  })

  test('an account without entries has none in any period', async () => {
    const [from, to] = [new Date('2026-01-01'), new Date('2027-01-01')]
    for (const period of [
      { from: undefined, to: undefined },
      { from, to },
    ]) {
      const { first, last } = await rangeBetween(db, { accountId: randomUUID(), ...period })
      assert.ok(last < first)
    }
  })
})
