import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { addUnpaid } from '../../../src/gateway/bill/allowance-store.ts'
import { UnpaidWatch, type UnpaidDay } from '../../../src/gateway/bill/unpaid-watch.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { testClock } from '../../support/accounts.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { allowanceOn } from '../../support/money/billing.ts'
import { withDatabase } from '../../support/databases.ts'

const DAY_MS = 24 * 3_600_000
const clock = testClock()

withDatabase('what accounts that never paid leave unpaid on a day', (open) => {
  let db: Db
  const told: UnpaidDay[] = []

  before(async () => {
    db = await open()
    // Nowhere near midnight.
    clock.push(DAY_MS * 1.5 - (clock.now().getTime() % DAY_MS))
  })
  afterEach(() => assertAgreement(db))

  const inProcess = () =>
    new UnpaidWatch({
      db,
      clock,
      limitMicro: 100n,
      tellOperator: async (_tx, day) => void told.push(day),
    })
  const look = (watch: UnpaidWatch) => watch.job.run(new AbortController().signal)

  async function account(type: 'topup' | 'signup_bonus'): Promise<string> {
    const accountId = uuidv7()
    const entry = { id: uuidv7(), type, key: uuidv7(), description: 'test' }
    await db.begin((tx) =>
      applyCommands(tx, [{ kind: 'grant', accountId, amountMicro: 1_000n, entry }]),
    )
    return accountId
  }

  const leave = (accountId: string, worthMicro: bigint) =>
    db.begin((tx) => addUnpaid(tx, { accountId, kind: 'chat', at: clock.now(), worthMicro }))

  const collectNothing = (accountId: string, micro: bigint) =>
    db.query(
      `insert into uncollected (key, account_id, amount_micro, description, created_at)
       values ($1, $2, $3, 'test', $4)`,
      [uuidv7(), accountId, micro, clock.now()],
    )

  test('reaches a bound: until midnight they have no allowance, and the operator is told once', async () => {
    const [asha, juma, payer] = [
      await account('signup_bonus'),
      await account('signup_bonus'),
      await account('topup'),
    ]
    const [watch, other] = [inProcess(), inProcess()]
    await leave(asha, 60n)
    await leave(payer, 1_000n)
    await collectNothing(juma, 39n)
    await look(watch)
    assert.equal(await watch.tightened(asha), false)

    await leave(juma, 1n)
    await look(watch)
    await look(other)
    const limits = { unpaidMicro: 100n, limitMicro: 100n }
    assert.deepEqual(told, [{ day: clock.now().toISOString().slice(0, 10), ...limits }])
    for (const one of [watch, other]) {
      assert.deepEqual(await Promise.all([asha, juma, payer].map((id) => one.tightened(id))), [
        true,
        true,
        false,
      ])
    }

    const tightened = (id: string) => watch.tightened(id)
    const allowance = allowanceOn(db, { clock, freeMicro: 10_000n, tightened })
    const may = (accountId: string) => {
      const stage = { kind: 'chat', model: 'test/model' } as const
      return allowance.mayLeave({ accountId, stage }, 1n)
    }
    assert.deepEqual([await may(asha), await may(payer)], [false, true])

    clock.push(DAY_MS / 2)
    await look(watch)
    assert.equal(await watch.tightened(asha), false)
    assert.ok(await may(asha))
  })
})
