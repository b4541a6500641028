import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { openBill } from '../../../src/gateway/bill/billable.ts'
import type { Billing } from '../../../src/gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../../../src/gateway/bill/doubtful-charges.ts'
import { openLeftUnpaid, type LeftUnpaid } from '../../../src/gateway/bill/left-unpaid.ts'
import type { Stage } from '../../../src/gateway/bill/rows.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { testClock } from '../../support/accounts.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { billingOn, unwatched } from '../../support/money/billing.ts'
import { withDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'

const STAGE: Stage = { kind: 'chat', model: 'test/model', priceSnapshotId: undefined }
const LEFT = { status: 'cancelled', errorCode: 'caller_left', stage: STAGE, latencyMs: 3 } as const
const HOUR_MS = 3_600_000
const clock = testClock()

withDatabase('what is left unpaid', (open) => {
  let db: Db
  let dataDir: string
  let billing: Billing
  let here: LeftUnpaid

  before(async () => {
    db = await open()
    dataDir = await mkdtemp(join(tmpdir(), 'mlango-left-'))
    const doubtfulCharges = openDoubtfulCharges({ db, dataDir, log: silentLog })
    billing = await billingOn(db, { doubtfulCharges, clock })
    here = await inProcess()
  })
  after(() => rm(dataDir, { recursive: true, force: true }))
  afterEach(() => assertAgreement(db))

  const inProcess = () =>
    openLeftUnpaid({ kind: 'stream', db, clock, log: silentLog, limitMicro: 100n })

  async function customer(): Promise<string> {
    const accountId = uuidv7()
    const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
    const grant = { kind: 'grant' as const, accountId, amountMicro: 1_000n, entry }
    await db.begin((tx) => applyCommands(tx, [grant]))
    return accountId
  }

  async function leave(accountId: string, micro: bigint, on = here): Promise<void> {
    const bill = await openBill(
      billing,
      unwatched({
        principal: { kind: 'key', accountId, keyId: uuidv7(), workspaceId: uuidv7() },
        requestId: `req_${uuidv7()}`,
        stage: STAGE,
        estimateMicro: 5n,
        minimumMicro: 5n,
      }),
    )
    await on.drop(bill, LEFT, { accountId, micro })
  }

  const waitOf = (accountId: string, on = here): number | undefined => {
    try {
      on.admit(accountId)
      return undefined
    } catch (error) {
      assert.ok(error instanceof Failure && error.kind === 'rate_limited')
      return error.retryAfterS
    }
  }

  const rows = (accountId: string) =>
    db.query<{ worth_micro: bigint }>('select worth_micro from left_unpaid where account_id = $1', [
      accountId,
    ])

  test('only beyond the limit, and only the account that did it', async () => {
    const [asha, juma] = [await customer(), await customer()]
    await leave(asha, 60n)
    await leave(juma, 60n)
    await leave(asha, 40n)
    assert.deepEqual([here.isBeyond(asha), waitOf(asha)], [false, undefined])
    await leave(asha, 1n)
    assert.ok(here.isBeyond(asha))
    assert.equal(here.isBeyond(juma), false)
    await leave(juma, 0n)
    assert.equal((await rows(juma)).length, 1)
  })

  test('one row, however often somebody leaves within ten minutes', async () => {
    const asha = await customer()
    for (let i = 0; i < 20; i++) await leave(asha, 1n)
    const found = await rows(asha)
    assert.ok(found.length <= 2, String(found.length))
    assert.equal(
      found.reduce((sum, row) => sum + row.worth_micro, 0n),
      20n,
    )
  })

  test('other processes hear of it, and one that starts later knows', async () => {
    const there = await inProcess()
    const asha = await customer()
    await leave(asha, 101n)
    await eventually('the other process hears of it', () => there.isBeyond(asha))
    const later = await inProcess()
    assert.equal(waitOf(asha, later), waitOf(asha))
  })

  test('what is not committed yet counts here', async () => {
    const asha = await customer()
    const leaving = Promise.all([leave(asha, 60n), leave(asha, 60n)])
    await leaving
    assert.ok(here.isBeyond(asha))
    const juma = await customer()
    const bill = await openBill(
      billing,
      unwatched({
        principal: { kind: 'key', accountId: juma, keyId: uuidv7(), workspaceId: uuidv7() },
        requestId: 'req_now',
        stage: STAGE,
        estimateMicro: 5n,
        minimumMicro: 5n,
      }),
    )
    const dropped = here.drop(bill, LEFT, { accountId: juma, micro: 101n })
    assert.ok(here.isBeyond(juma))
    await dropped
    assert.ok(here.isBeyond(juma))
  })

  test('it ends when enough of it is a day old', async () => {
    const asha = await customer()
    await leave(asha, 30n)
    clock.push(2 * HOUR_MS)
    await leave(asha, 50n)
    clock.push(HOUR_MS)
    await leave(asha, 60n)
    // 110 of it is not older than an hour: the 50 must go too.
    const waitS = waitOf(asha)!
    assert.ok(waitS <= 23 * 3_600 && waitS > 23 * 3_600 - 60, String(waitS))
    clock.push(22 * HOUR_MS)
    assert.ok(here.isBeyond(asha))
    clock.push(HOUR_MS)
    assert.equal(waitOf(asha), undefined)
    await leave(asha, 41n)
    assert.ok(here.isBeyond(asha))
  })

  test('rows that are a day old are removed', async () => {
    const asha = await customer()
    await leave(asha, 101n)
    clock.push(23 * HOUR_MS)
    const { signal } = new AbortController()
    await here.job.run(signal)
    assert.equal((await rows(asha)).length, 1)
    assert.ok(here.isBeyond(asha))
    clock.push(HOUR_MS)
    await here.job.run(signal)
    assert.deepEqual(await db.query('select 1 from left_unpaid'), [])
  })

  test('the row and the release are one commit: a hold that is gone leaves no row', async () => {
    const asha = await customer()
    const bill = await openBill(
      billing,
      unwatched({
        principal: { kind: 'key', accountId: asha, keyId: uuidv7(), workspaceId: uuidv7() },
        requestId: 'req_gone',
        stage: STAGE,
        estimateMicro: 5n,
        minimumMicro: 5n,
      }),
    )
    await bill.drop(LEFT)
    await here.drop(bill, LEFT, { accountId: asha, micro: 101n })
    assert.deepEqual(await rows(asha), [])
    assert.equal(here.isBeyond(asha), false)
  })
})
