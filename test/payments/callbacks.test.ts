import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { SimPayment } from '../../simulator/money/payments.ts'
import type { Signed } from '../../simulator/money/callbacks.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'
import { creditsFor, FAST, startMoney, startPayments, until } from '../support/payments.ts'

/** Only a callback can bring credits here: the next scheduled check is an hour away. */
const PATIENT = { ...FAST, pendingS: [3600], lateS: [3600], wordS: 3600 }

withDatabase('callbacks', (open) => {
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
        service = await startPayments({
          db,
          provider,
          simulator,
          timing: PATIENT,
          phone: '1230015',
        })
      })
      after(() => service.close())

      /** Paid at the provider, who has told nobody. */
      const paid = async (): Promise<{ id: string; theirs: SimPayment }> => {
        const accountId = randomUUID()
        const topUp = { accountId, amountTzs: 5000, keep: undefined }
        const { id, reference } = await service.payments.topUp(topUp)
        await service.payments.idle()
        simulator.control.settle(reference, 'completed')
        return { id, theirs: simulator.control.find(reference)! }
      }
      const send = async ({ headers, body }: Signed) => {
        const url = `${service.url}/v1/payments/callbacks/${provider}`
        const answer = await fetch(url, { method: 'POST', headers, body })
        return { status: answer.status, text: await answer.text() }
      }
      const keyed = (key: string) => ({ signing: { webhookSecret: key, checksumKey: key } })
      const callback: MoneySimulator['control']['callback'] = (theirs, changes) =>
        simulator.control.callback(theirs, changes)

      test('100 copies of one valid callback and the poller at once: one credit', async () => {
        const { id, theirs } = await paid()
        const before = simulator.control.log.length
        const copy = callback(theirs)
        const signal = new AbortController().signal
        const polls = Promise.all(
          Array.from({ length: 5 }, () => service.payments.reconcile(signal)),
        )
        const answers = await Promise.all(Array.from({ length: 100 }, () => send(copy)))
        await polls
        assert(answers.every(({ status }) => status === 200))
        await until(db, service.payments, id, ({ status }) => status === 'completed')
        await service.payments.idle()
        assert.equal((await send(copy)).status, 200)
        assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
        const queries = simulator.control.log.slice(before).filter(({ kind }) => kind === 'status')
        assert(queries.length <= 5, `${queries.length} queries for one payment`)
      })

      const refusals: [string, string, number, (theirs: SimPayment) => Signed][] = [
        ['unsigned', 'signature_missing', 401, (theirs) => unsigned(callback(theirs))],
        ['wrongly signed', 'signature_wrong', 401, (theirs) => callback(theirs, keyed('wrong'))],
        [
          'signed with an empty key',
          'signature_wrong',
          401,
          (theirs) => callback(theirs, keyed('')),
        ],
        [
          'replayed after 300 s',
          'timestamp_stale',
          401,
          (theirs) => callback(theirs, { ageS: 301 }),
        ],
        ['from the future', 'timestamp_future', 401, (theirs) => callback(theirs, { ageS: -301 })],
        [
          'another amount',
          'amount_mismatch',
          200,
          (theirs) => callback({ ...theirs, collected: 9000 }),
        ],
        [
          'another currency',
          'currency_mismatch',
          200,
          (theirs) => callback({ ...theirs, collectedCurrency: 'KES' }),
        ],
        [
          'an unknown reference',
          'unknown_reference',
          404,
          (theirs) => callback({ ...theirs, metadata: {} }, { reference: randomUUID() }),
        ],
      ]
      for (const text of ['\0', 'a\0b', '\ud800']) {
        refusals.push([
          `a reference of ${JSON.stringify(text)}, which no table can keep`,
          'malformed',
          401,
          (theirs) => callback({ ...theirs, metadata: {} }, { reference: text }),
        ])
      }
      for (const [name, reason, status, make] of refusals) {
        test(`${name}: no credit, and the log names ${reason}`, async () => {
          const { id, theirs } = await paid()
          const before = service.lines.length
          assert.equal((await send(make(theirs))).status, status)
          await service.payments.idle()
          assert.deepEqual(await creditsFor(db, id), [])
          assert.equal((await findById(db, id))?.status, 'pending')
          const line = service.lines.slice(before).find(({ fields }) => fields.reason === reason)
          assert.equal(line?.message, 'A payment callback was refused.')
          assert.equal((await send(callback(theirs))).status, 200)
          await until(db, service.payments, id, (payment) => payment.status === 'completed')
          assert.equal((await creditsFor(db, id)).length, 1)
        })
      }

      test('a refusal does not say why', async () => {
        const { theirs } = await paid()
        const wrong = await send(callback(theirs, keyed('wrong')))
        const stale = await send(callback(theirs, { ageS: 999 }))
        const shown = (text: string) => ({ ...JSON.parse(text), request_id: undefined })
        assert.deepEqual(shown(wrong.text), shown(stale.text))
      })

      test('404 for a provider that is not configured', async () => {
        const { theirs } = await paid()
        const { headers, body } = callback(theirs)
        const url = `${service.url}/v1/payments/callbacks/nobody`
        assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 404)
      })
    })
  }

  test('a callback that mixes two payments brings credits to neither', async () => {
    const service = await startPayments({ db, simulator, timing: PATIENT, phone: '1230015' })
    const topUp = () =>
      service.payments.topUp({ accountId: randomUUID(), amountTzs: 5000, keep: undefined })
    const [mine, other] = [await topUp(), await topUp()]
    await service.payments.idle()
    simulator.control.settle(other.reference, 'completed')
    const { metadata } = simulator.control.find(mine.reference)!
    const theirs = simulator.control.find(other.reference)!
    const { headers, body } = simulator.control.callback({ ...theirs, metadata })
    const url = `${service.url}/v1/payments/callbacks/snippe`
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200)
    await sleep(50)
    await service.payments.idle()
    for (const { id } of [mine, other]) assert.deepEqual(await creditsFor(db, id), [])
    assert(service.lines.some(({ fields }) => fields.reason === 'reference_mismatch'))
    await service.close()
  })
})

function unsigned({ headers, body }: Signed): Signed {
  const { 'x-webhook-signature': _, ...rest } = headers
  const { checksum: __, ...event } = JSON.parse(body) as Record<string, unknown>
  return { headers: rest, body: JSON.stringify(event) }
}

test('a provider without its secret does not start', () => {
  const secrets = { SNIPPE_API_KEY: 'k', CLICKPESA_CLIENT_ID: 'c', CLICKPESA_API_KEY: 'k' }
  assert.throws(
    () => readConfig({ ...secrets, PAYMENT_PROVIDER: 'snippe' }),
    /SNIPPE_WEBHOOK_SECRET/,
  )
  assert.throws(
    () => readConfig({ ...secrets, PAYMENT_PROVIDER: 'snippe', SNIPPE_WEBHOOK_SECRET: '' }),
    /SNIPPE_WEBHOOK_SECRET/,
  )
  assert.throws(
    () => readConfig({ ...secrets, PAYMENT_PROVIDER: 'clickpesa' }),
    /CLICKPESA_CHECKSUM_KEY/,
  )
})
