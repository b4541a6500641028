import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'
import { addAccount, creditsFor, startMoney, startPayments, until } from '../support/payments.ts'

const ENDED = ['completed', 'failed', 'expired']

withDatabase('payments', (open) => {
  let db: Db
  let simulator: MoneySimulator
  before(async () => {
    db = await open()
    simulator = await startMoney()
  })
  after(async () => {
    await simulator.close()
    await assertAudit(db)
  })

  for (const provider of ['snippe', 'clickpesa'] as const) {
    describe(provider, () => {
      let service: Awaited<ReturnType<typeof startPayments>>
      before(async () => {
        service = await startPayments({ db, provider, simulator, timeoutMs: 400 })
      })
      after(() => service.close())

      const pay = async (suffix: string, amountTzs = 5000) => {
        service.payWith(suffix)
        const accountId = randomUUID()
        await addAccount(db, accountId)
        return service.payments.topUp({ accountId, amountTzs, keep: undefined })
      }
      const end = (id: string) =>
        until(db, service.payments, id, ({ status }) => ENDED.includes(status))
      const pushes = (reference: string) => {
        const theirs = simulator.control.find(reference)?.reference
        return simulator.control.log.filter((l) => l.kind === 'push' && l.reference === theirs)
          .length
      }
      const reasons = (id: string) =>
        service.lines.flatMap(({ fields }) => (fields.payment_id === id ? [fields.reason] : []))

      const completes: [string, string][] = [
        ['1234', 'the normal way'],
        ['0001', 'fast'],
        ['0004', 'without a callback'],
        ['0005', 'with three callbacks'],
        ['0008', 'with the callback before the answer of the create'],
        ['0009', 'though the create answered 500'],
        ['0010', 'though the create never answered'],
        ['0011', 'after a callback with a bad signature'],
        ['0012', 'after a callback that said failed'],
        ['0014', 'after a create that was told to slow down'],
        ['0019', 'though the callback was stale'],
      ]
      for (const [suffix, how] of completes) {
        test(`completes ${how}`, async () => {
          const payment = await pay(suffix)
          assert.equal(payment.status, 'pending')
          assert.equal((await end(payment.id)).status, 'completed')
          await service.payments.idle()
          assert.deepEqual(await creditsFor(db, payment.id), [5_000_000_000n])
          assert.equal(pushes(payment.reference), 1)
        })
      }

      test('a failed payment has our error code and brings no credits', async () => {
        for (const [suffix, code] of [
          ['0002', 'insufficient_funds'],
          ['0003', 'cancelled_by_payer'],
          ['0017', 'invalid_number'],
        ] as const) {
          const payment = await pay(suffix)
          const ended = await end(payment.id)
          assert.equal(ended.status, 'failed')
          assert.equal(ended.errorCode, code)
          assert.deepEqual(await creditsFor(db, payment.id), [])
        }
      })

      test('another amount or another currency: no credit, and it is marked for review', async () => {
        for (const [suffix, reason] of [
          ['0007', 'amount_mismatch'],
          ['0016', 'currency_mismatch'],
        ] as const) {
          const { id } = await pay(suffix)
          const seen = await until(db, service.payments, id, ({ review }) => review !== undefined)
          assert.equal(seen.status, 'pending')
          assert.equal(seen.review, reason)
          assert(reasons(id).includes(reason))
          assert.deepEqual(await creditsFor(db, id), [])
        }
      })

      test('a callback that the status query does not confirm brings no credits', async () => {
        const { id } = await pay('0013')
        await sleep(200)
        await service.payments.idle()
        assert.equal((await findById(db, id))?.status, 'pending')
        assert.deepEqual(await creditsFor(db, id), [])
      })

      test('a callback with the reference of another payment brings credits to neither', async () => {
        const paid = await pay('0001')
        await end(paid.id)
        const { id } = await pay('0018')
        await sleep(300)
        await service.payments.idle()
        assert.deepEqual(await creditsFor(db, id), [])
        assert.equal((await creditsFor(db, paid.id)).length, 1)
      })

      test('the account is notified of the outcome', async () => {
        const notified = async (accountId: string) =>
          (
            await db.query<{ type: string }>(
              'select type from notifications where account_id = $1 order by id',
              [accountId],
            )
          ).map((row) => row.type)
        const paid = await pay('0001')
        await end(paid.id)
        assert.deepEqual(await notified(paid.accountId), ['payment.completed'])
        const failed = await pay('0002')
        await end(failed.id)
        assert.deepEqual(await notified(failed.accountId), ['payment.failed'])
      })
    })
  }

  test('money that comes after the payment has expired counts once', async () => {
    const service = await startPayments({ db, simulator, rules: { expiresInS: 0.3 } })
    service.payWith('0006')
    const accountId = randomUUID()
    await addAccount(db, accountId)
    const { id } = await service.payments.topUp({ accountId, amountTzs: 700, keep: undefined })
    await until(db, service.payments, id, ({ status }) => status === 'expired')
    assert.deepEqual(await creditsFor(db, id), [])
    await until(db, service.payments, id, ({ status }) => status === 'completed')
    await service.payments.reconcile(new AbortController().signal)
    assert.deepEqual(await creditsFor(db, id), [700_000_000n])
    const rows = await db.query(
      'select type from notifications where account_id = $1 order by id',
      [accountId],
    )
    assert.deepEqual(
      rows.map((row) => row.type),
      ['payment.expired', 'payment.completed'],
    )
    await service.close()
  })

  test('a success that is found after a failure counts once', async () => {
    const service = await startPayments({ db, simulator })
    service.payWith('0002')
    const accountId = randomUUID()
    const { id, reference } = await service.payments.topUp({
      accountId,
      amountTzs: 800,
      keep: undefined,
    })
    await until(db, service.payments, id, ({ status }) => status === 'failed')
    simulator.control.settle(reference, 'completed')
    const late = await until(db, service.payments, id, ({ status }) => status === 'completed')
    assert.equal(late.errorCode, undefined)
    assert.deepEqual(await creditsFor(db, id), [800_000_000n])
    await service.close()
  })

  test('a payment that nobody confirms expires', async () => {
    const service = await startPayments({ db, simulator, rules: { expiresInS: 0.2 } })
    service.payWith('0015')
    const accountId = randomUUID()
    const { id } = await service.payments.topUp({ accountId, amountTzs: 900, keep: undefined })
    const ended = await until(db, service.payments, id, ({ status }) => status !== 'pending')
    assert.equal(ended.status, 'expired')
    assert.equal(ended.errorCode, 'timeout')
    await service.close()
  })

  test('while the provider is down nothing is decided; once it is back, it is', async () => {
    const service = await startPayments({ db, simulator, rules: { expiresInS: 0.2 } })
    service.payWith('0001')
    simulator.control.outage(503)
    const accountId = randomUUID()
    const { id } = await service.payments.topUp({ accountId, amountTzs: 600, keep: undefined })
    await sleep(400)
    await service.payments.reconcile(new AbortController().signal)
    assert.equal((await findById(db, id))?.status, 'pending')
    assert(
      service.lines.some(
        ({ fields }) => fields.payment_id === id && fields.reason === 'status_503',
      ),
    )
    simulator.control.outage(undefined)
    await until(db, service.payments, id, ({ status }) => status === 'completed')
    assert.deepEqual(await creditsFor(db, id), [600_000_000n])
    await service.close()
  })

  test('two processes that reconcile at once push once and credit once', async () => {
    const services = [
      await startPayments({ db, simulator }),
      await startPayments({ db, simulator }),
    ]
    services[0]!.payWith('0004')
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      const accountId = randomUUID()
      const topUp = { accountId, amountTzs: 500 + i, keep: undefined }
      ids.push((await services[0]!.payments.topUp(topUp)).id)
    }
    const signal = new AbortController().signal
    for (let i = 0; i < 10; i++) {
      await Promise.all(
        services.flatMap(({ payments }) => [
          payments.reconcile(signal),
          payments.reconcile(signal),
        ]),
      )
      await sleep(30)
    }
    for (const id of ids) {
      await until(db, services[1]!.payments, id, ({ status }) => status === 'completed')
      assert.equal((await creditsFor(db, id)).length, 1)
      const theirs = (await findById(db, id))?.providerRef
      const pushed = simulator.control.log.filter(
        ({ kind, reference }) => kind === 'push' && reference === theirs,
      )
      assert.equal(pushed.length, 1)
    }
    for (const service of services) await service.close()
  })
})
