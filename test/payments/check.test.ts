import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, mock, test } from 'node:test'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshDb } from '../support/databases.ts'
import { startMoney, startPayments, until } from '../support/payments.ts'

const HOUR_MS = 3_600_000

/** Runs with this process's clock wrong by so much; the database's clock stays right. */
async function withClockOffBy(ms: number, run: () => Promise<void>): Promise<void> {
  const real = Date.now
  const wrong = mock.method(Date, 'now', () => real() + ms)
  try {
    await run()
  } finally {
    wrong.mock.restore()
  }
}

describe("the database's clock decides how long a create is repeated", () => {
  let db: Db
  let simulator: MoneySimulator
  let service: Awaited<ReturnType<typeof startPayments>>
  before(async () => {
    db = await freshDb()
    simulator = await startMoney()
    service = await startPayments({ db, simulator })
  })
  after(async () => {
    await service.close()
    await simulator.close()
    await assertAudit(db)
    await db.close()
  })

  const topUp = () =>
    service.payments.topUp({ accountId: randomUUID(), amountTzs: 5000, keep: undefined })

  test('a process whose clock is an hour ahead still creates a new payment', async () => {
    service.payWith('0001')
    await withClockOffBy(HOUR_MS, async () => {
      const { id } = await topUp()
      await until(db, service.payments, id, ({ status }) => status === 'completed')
    })
  })

  test('a process whose clock is an hour behind gives up a create whose window is over', async () => {
    simulator.control.outage(503)
    const { id, reference } = await topUp()
    await service.payments.idle()
    await db.query(
      `update payments set created_at = created_at - interval '301 seconds' where id = $1`,
      [id],
    )
    simulator.control.outage(undefined)
    await withClockOffBy(-HOUR_MS, async () => {
      await until(db, service.payments, id, ({ status }) => status !== 'pending')
    })
    const ended = await findById(db, id)
    assert.equal(ended?.status, 'failed')
    assert.equal(ended.errorCode, 'provider_unavailable')
    assert.equal(simulator.control.find(reference), undefined, 'the payer was never asked')
  })

  test('the operator asks by the same clock', async () => {
    service.payWith('0004')
    simulator.control.outage(503)
    const { id, reference } = await topUp()
    await service.payments.idle()
    simulator.control.outage(undefined)
    await withClockOffBy(HOUR_MS, async () => void (await service.payments.check(id)))
    assert.notEqual(simulator.control.find(reference), undefined, 'created by the check')
    await until(db, service.payments, id, ({ status }) => status === 'completed')
  })
})
