import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { markReviewed } from '../../src/payments/reviews-store.ts'
import type { CheckTiming } from '../../src/payments/schedule.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'
import { creditsFor, FAST, startMoney, startPayments, until } from '../support/payments.ts'

/** Nothing is asked but what a callback causes, and of a completed payment once an hour. */
const PATIENT = { ...FAST, pendingS: [3600], lateS: [3600], overdueS: 3600, wordS: 3600 }

withDatabase('reversals', (open) => {
  let db: Db
  let simulator: MoneySimulator
  const opened: { close(): Promise<void> }[] = []
  before(async () => {
    db = await open()
    simulator = await startMoney()
  })
  after(async () => {
    for (const service of opened) await service.close()
    await simulator.close()
    await assertAudit(db)
  })

  for (const provider of ['snippe', 'clickpesa'] as const) {
    describe(provider, () => {
      /** A payment that was completed and credited, and a provider who can be made to say so. */
      const credited = async (timing: Partial<CheckTiming> = {}) => {
        const service = await startPayments({
          db,
          provider,
          simulator,
          timing: { ...PATIENT, ...timing },
          phone: '1230015',
        })
        opened.push(service)
        const topUp = { accountId: randomUUID(), amountTzs: 5000, keep: undefined }
        const { id, reference } = await service.payments.topUp(topUp)
        await service.payments.idle()
        simulator.control.settle(reference, 'completed')
        await service.payments.check(id)
        // As if nothing had been scheduled before: from here on only callbacks cause questions.
        await db.query('update payments set next_check_at = null where id = $1', [id])
        const theirs = simulator.control.find(reference)!
        const from = simulator.control.log.length
        return {
          ...service,
          id,
          reference,
          async word(status: 'completed' | 'failed', copies = 1, collected = theirs.collected) {
            const said = simulator.control.callback({ ...theirs, collected }, { status })
            const url = `${service.url}/v1/payments/callbacks/${provider}`
            const sends = Array.from({ length: copies }, () =>
              fetch(url, { method: 'POST', headers: said.headers, body: said.body }),
            )
            for (const answer of await Promise.all(sends)) assert.equal(answer.status, 200)
            await service.payments.idle()
          },
          queries: () =>
            simulator.control.log
              .slice(from)
              .filter(
                ({ kind, reference: about }) => kind === 'status' && about === theirs.reference,
              ).length,
          now: async () => (await findById(db, id))!,
          /** The customer has what was credited, and sees nothing of all this. */
          async untouched() {
            assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
            assert.equal((await findById(db, id))?.status, 'completed')
          },
        }
      }

      test('word of a reversal: one question, a mark for the operator, nothing taken', async () => {
        const paid = await credited()
        simulator.control.takeBack(paid.reference, {})
        const lines = paid.lines.length
        await paid.word('failed')
        assert.equal(paid.queries(), 1)
        const { review, reviewSaid, reviewAt } = await paid.now()
        assert.equal(review, 'reversed')
        assert.match(reviewSaid!, /^failed TZS 5000$/i)
        assert(reviewAt instanceof Date)
        const marks = paid.lines.slice(lines).filter(({ fields }) => fields.reason === 'reversed')
        assert.deepEqual(
          marks.map(({ message, fields }) => [message, fields.payment_id]),
          [['A payment needs manual review.', paid.id]],
        )
        assert((await paid.payments.listToReview(100)).some(({ id }) => id === paid.id))
        await paid.untouched()
      })

      test('word that only repeats it: no mark, and a flood of copies is one question', async () => {
        const paid = await credited()
        await paid.word('completed', 100)
        await paid.word('failed', 50)
        assert.equal(paid.queries(), 1)
        assert.equal((await paid.now()).review, undefined)
        await paid.untouched()
      })

      test('a reversal told soon after a repetition is asked about later, not forgotten', async () => {
        const paid = await credited({ wordS: 0.2 })
        await paid.word('completed')
        simulator.control.takeBack(paid.reference, {})
        await paid.word('failed')
        await until(db, paid.payments, paid.id, ({ review }) => review === 'reversed')
        assert.equal(paid.queries(), 2)
        await paid.untouched()
      })

      test('a provider that is away is asked again until it answers', async () => {
        const paid = await credited({ overdueS: 0.05 })
        simulator.control.takeBack(paid.reference, {})
        simulator.control.outage(503)
        await paid.word('failed')
        assert.equal((await paid.now()).review, undefined)
        simulator.control.outage(undefined)
        await until(db, paid.payments, paid.id, ({ review }) => review === 'reversed')
        await paid.untouched()
      })

      test('a part that was taken back is seen, whatever amount the callback names', async () => {
        const paid = await credited()
        simulator.control.takeBack(paid.reference, { left: 2000 })
        await paid.word('completed', 1, 3000)
        const { review, reviewSaid } = await paid.now()
        assert.equal(review, 'amount_mismatch')
        assert.match(reviewSaid!, / TZS 2000$/)
        await paid.untouched()
      })

      for (const [word, reason] of [
        ['REVERSED', 'reversed'],
        ['partially_refunded', 'reversed'],
        ['clawed\u0000back\n✓', 'unconfirmed'],
      ] as const) {
        test(`the status ${JSON.stringify(word)} is ${reason}`, async () => {
          const paid = await credited()
          simulator.control.takeBack(paid.reference, { word })
          await paid.word('failed')
          const { review, reviewSaid } = await paid.now()
          assert.equal(review, reason)
          assert(reviewSaid!.startsWith(word.replaceAll(/[^\w]/g, '?')), reviewSaid)
          await paid.untouched()
        })
      }

      test('what was reviewed stays reviewed, until the provider says something else', async () => {
        const paid = await credited({ wordS: 0 })
        const { takeBack } = simulator.control
        takeBack.call(simulator.control, paid.reference, {})
        await paid.word('failed')
        const by = { operator: 'neema', note: 'called the customer' }
        assert.equal(await markReviewed(db, paid.id, by), true)
        assert.equal(await markReviewed(db, paid.id, by), false)
        await paid.word('failed')
        assert.equal((await paid.now()).reviewedBy, 'neema')
        takeBack.call(simulator.control, paid.reference, { word: 'REFUNDED' })
        await paid.word('failed')
        assert.equal((await paid.now()).reviewedBy, undefined)
        assert.match((await paid.now()).reviewSaid!, /^REFUNDED/)
        assert.equal(paid.queries(), 3)
        await paid.untouched()
      })
    })
  }
})
