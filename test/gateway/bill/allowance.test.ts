import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { purgeUnpaid } from '../../../src/gateway/bill/allowance-store.ts'
import type { Allowance, BeyondAllowance } from '../../../src/gateway/bill/allowance.ts'
import { openBill, type Bill } from '../../../src/gateway/bill/billable.ts'
import type { Billing } from '../../../src/gateway/bill/billing.ts'
import type { Stage } from '../../../src/gateway/bill/rows.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { testClock } from '../../support/accounts.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { allowanceOn, billingOn, unwatched } from '../../support/money/billing.ts'
import { withDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'

const STAGE: Stage = { kind: 'chat', model: 'test/model', priceSnapshotId: undefined }
const LEFT = { status: 'cancelled', errorCode: 'caller_left', stage: STAGE, latencyMs: 3 } as const
const HOUR_MS = 3_600_000
const clock = testClock()

withDatabase('the allowance', (open) => {
  let db: Db
  let billing: Billing
  let here: Allowance
  const told: BeyondAllowance[] = []

  before(async () => {
    db = await open()
    billing = await billingOn(db, { clock })
    here = inProcess()
  })
  after(() => assert.ok(told.length > 0))
  afterEach(() => assertAgreement(db))

  const inProcess = () =>
    allowanceOn(db, { clock, freeMicro: 100n, tellOwner: async (one) => void told.push(one) })

  async function customer(): Promise<string> {
    const accountId = uuidv7()
    const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
    const grant = { kind: 'grant' as const, accountId, amountMicro: 1_000n, entry }
    await db.begin((tx) => applyCommands(tx, [grant]))
    return accountId
  }

  const billOf = (accountId: string): Promise<Bill> =>
    openBill(
      billing,
      unwatched({
        principal: { kind: 'key', accountId, keyId: uuidv7(), workspaceId: uuidv7() },
        requestId: `req_${uuidv7()}`,
        stage: STAGE,
        estimateMicro: 5n,
        minimumMicro: 5n,
      }),
    )

  /** Whether it was left without a charge. */
  async function leave(accountId: string, micro: bigint, on = here): Promise<boolean> {
    const bill = await billOf(accountId)
    const may = await on.mayLeave({ accountId, stage: STAGE }, micro)
    if (may) await on.drop(bill, LEFT, { accountId, micro, countedMicro: micro })
    else await bill.drop(LEFT)
    return may
  }

  const rows = (accountId: string) =>
    db.query<{ kind: string; worth_micro: bigint }>(
      'select kind, worth_micro from unpaid_work where account_id = $1',
      [accountId],
    )
  const sumOf = async (accountId: string) =>
    (await rows(accountId)).reduce((sum, row) => sum + row.worth_micro, 0n)

  test('up to the last microcredit, and only of the account that left it', async () => {
    const [asha, juma] = [await customer(), await customer()]
    assert.ok(await leave(asha, 60n))
    assert.ok(!(await leave(asha, 41n)))
    assert.deepEqual(told.at(-1), {
      accountId: asha,
      model: 'test/model',
      unpaidMicro: 60n,
      limitMicro: 100n,
    })
    assert.ok(await leave(asha, 40n))
    assert.ok(!(await leave(asha, 1n)))
    assert.ok(await leave(asha, 0n))
    assert.ok(await leave(juma, 100n))
  })

  test('one row for a kind of call, however often somebody leaves within ten minutes', async () => {
    const asha = await customer()
    for (let i = 0; i < 20; i++) await leave(asha, 1n)
    const found = await rows(asha)
    assert.ok(found.length <= 2, String(found.length))
    assert.deepEqual([...new Set(found.map(({ kind }) => kind))], ['chat'])
    assert.equal(await sumOf(asha), 20n)
  })

  test('every process counts what was left in another', async () => {
    const asha = await customer()
    assert.ok(await leave(asha, 60n))
    assert.ok(!(await leave(asha, 60n, inProcess())))
  })

  test('many that are left at once are counted one after the other, and once', async () => {
    const asha = await customer()
    const left = await Promise.all(Array.from({ length: 20 }, () => leave(asha, 10n)))
    assert.equal(left.filter(Boolean).length, 10)
    assert.equal(await sumOf(asha), 100n)
    const juma = await customer()
    for (let i = 0; i < 5; i++) await Promise.all([leave(juma, 10n), leave(juma, 10n)])
    assert.equal(await sumOf(juma), 100n)
  })

  test('two processes that decide at one moment grant no more than one', async () => {
    const asha = await customer()
    const held = Promise.withResolvers<void>()
    const { promise: bothWait, resolve } = Promise.withResolvers<void>()
    // Whoever reads may do so, and nobody can write.
    const locking = db.begin(async (tx) => {
      await tx.query('lock table unpaid_work in share mode')
      held.resolve()
      await bothWait
    })
    await held.promise
    const call = { accountId: asha, stage: STAGE }
    const asked = Promise.all([here, inProcess()].map((one) => one.mayLeave(call, 60n)))
    await eventually('both wait', async () => {
      const waiting = await db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting.length === 2
    })
    resolve()
    await locking
    const may = await asked
    assert.ok(may.filter(Boolean).length <= 1, String(may))
  })

  test('it comes back when it is a day old', async () => {
    const asha = await customer()
    await leave(asha, 50n)
    clock.push(12 * HOUR_MS)
    await leave(asha, 50n)
    assert.ok(!(await leave(asha, 50n)))
    clock.push(12 * HOUR_MS)
    assert.ok(await leave(asha, 50n))
    assert.ok(!(await leave(asha, 50n)))
  })

  test('while the database cannot be asked nobody leaves unpaid', async () => {
    const asha = await customer()
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const locking = db.begin(async (tx) => {
      await tx.query('lock table unpaid_work in access exclusive mode')
      held.resolve()
      await asked.promise
    })
    await held.promise
    const may = await here.mayLeave({ accountId: asha, stage: STAGE }, 1n)
    asked.resolve()
    await locking
    assert.ok(!may)
    assert.ok(await leave(asha, 1n))
  })

  test('rows that are more than a day old are removed', async () => {
    const asha = await customer()
    await leave(asha, 100n)
    const age = (hours: number) =>
      db.query(
        `update unpaid_work set at = now() - make_interval(hours => $2) where account_id = $1`,
        [asha, hours],
      )
    await age(24)
    await purgeUnpaid(db, 100)
    assert.equal((await rows(asha)).length, 1)
    await age(26)
    await purgeUnpaid(db, 100)
    assert.deepEqual(await rows(asha), [])
  })

  test('what it was worth more at its end is counted with its release', async () => {
    const asha = await customer()
    const bill = await billOf(asha)
    assert.ok(await here.mayLeave({ accountId: asha, stage: STAGE }, 10n))
    await here.drop(bill, LEFT, { accountId: asha, micro: 13n, countedMicro: 10n })
    assert.equal(await sumOf(asha), 13n)
    // A hold that is gone leaves no row.
    await here.drop(bill, LEFT, { accountId: asha, micro: 101n, countedMicro: 10n })
    assert.equal(await sumOf(asha), 13n)
  })
})
