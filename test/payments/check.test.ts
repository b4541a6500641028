import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, mock, test } from 'node:test'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshDb } from '../support/databases.ts'
import { creditsFor, startMoney, startPayments, until } from '../support/payments.ts'
import { startReceiver } from '../support/peers/receiver.ts'

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

for (const provider of ['snippe', 'clickpesa'] as const) {
  describe(`a create that was tried more than once, ${provider}`, () => {
    let db: Db
    before(async () => {
      db = await freshDb()
    })
    after(async () => {
      await assertAudit(db)
      await db.close()
    })

    test('a refusal closes nothing when an earlier try was not answered', async () => {
      const simulator = await startMoney({ fastMs: 600_000 })
      const service = await startPayments({ db, provider, simulator })
      service.payWith('0009')
      const { payments } = service
      const topUp = { accountId: randomUUID(), amountTzs: 5000, keep: undefined }
      const { id, reference } = await payments.topUp(topUp)
      await payments.idle()
      assert.equal((await findById(db, id))?.accepted, false, 'the first answer was a 500')
      simulator.control.outage(400)
      await payments.check(id)
      assert.equal((await findById(db, id))?.status, 'pending')
      simulator.control.outage(undefined)
      simulator.control.settle(reference, 'completed')
      await until(db, payments, id, ({ status }) => status === 'completed')
      assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
      await service.close()
      await simulator.close()
    })

    test('a refusal of the only try ends it at once', async () => {
      const simulator = await startMoney()
      const service = await startPayments({ db, provider, simulator })
      service.payWith('0017')
      const topUp = { accountId: randomUUID(), amountTzs: 5000, keep: undefined }
      const { id } = await service.payments.topUp(topUp)
      await service.payments.idle()
      assert.equal((await findById(db, id))?.errorCode, 'invalid_number')
      const [row] = await db.query(
        'select next_check_at, create_body from payments where id = $1',
        [id],
      )
      assert.deepEqual(row, { next_check_at: null, create_body: null })
      await service.close()
      await simulator.close()
    })

    test('every process sends the same bytes, whatever its address and settings', async () => {
      const nobody = await startReceiver(({ path }, response) => {
        const isToken = path.endsWith('/generate-token')
        response.writeHead(isToken ? 200 : 503).end(JSON.stringify({ token: 'Bearer x' }))
      })
      const simulator = { url: `http://127.0.0.1:${nobody.port}` }
      const payer = { name: 'Asha Juma', email: undefined }
      const opener = await startPayments({ db, provider, simulator, payer })
      const other = await startPayments({ db, provider, simulator, fallbackEmail: 'c@d.tz' })
      const topUp = { accountId: randomUUID(), amountTzs: 5000, keep: undefined }
      const { id, reference } = await opener.payments.topUp(topUp)
      await opener.payments.idle()
      for (const { payments } of [other, opener, other]) await payments.check(id)
      const creates = nobody.received.filter(({ body }) => body !== '')
      assert.equal(creates.length, 4)
      assert.equal(new Set(creates.map(({ body }) => body)).size, 1)
      if (provider === 'snippe') {
        const keys = creates.map(({ headers }) => headers['idempotency-key'])
        assert.deepEqual(new Set(keys), new Set([reference]))
        assert.ok(creates[0]!.json.webhook_url.startsWith(opener.url))
      }
      await Promise.all([opener.close(), other.close()])
      await nobody.close()
    })
  })
}
