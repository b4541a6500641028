import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Loose } from '../../support/loose.ts'
import { differences } from './compare.ts'

const ASHA = 'an account'

/** Two months: TZS 5,000 paid, 0.25 used in the next, of which 0.05 came back. */
function evidence() {
  const ledger = (number: string, cells: Loose) => ({ account_id: ASHA, number, ...cells })
  const paid = { type: 'topup', amount_credits: '5000', balance_after_credits: '5000' }
  const used = { type: 'usage', amount_credits: '-0.25', balance_after_credits: '4999.75' }
  const back = { type: 'refund', amount_credits: '0.05', balance_after_credits: '4999.8' }
  const payment = { payment_id: 'p1', network: 'mpesa', review: 'reversed', credits: '5000' }
  const moved = (type: string, amount_credits: number) => ({ type, entries: 1, amount_credits })
  const received = { received_tzs: 5_000, payments: 1 }
  return {
    months: [
      {
        month: '2026-10',
        ledger: [ledger('1', { ...paid, reference_id: 'p1' })],
        payments: [{ ...payment, time: '2026-10-31T23:59:59+03:00', amount_tzs: '5000' }],
        sums: {
          ledger: {
            opening_credits: 0,
            movements: [moved('topup', 5_000)],
            closing_credits: 5_000,
          },
          payments: { count: 1, received_tzs: 5_000, credits: 5_000 },
        } as Loose,
      },
      {
        month: '2026-11',
        ledger: [ledger('2', used), ledger('3', back)],
        payments: [],
        sums: {
          ledger: {
            opening_credits: 5_000,
            movements: [moved('refund', 0.05), moved('usage', -0.25)],
            closing_credits: 4_999.8,
          },
          payments: { count: 0, received_tzs: 0, credits: 0 },
        } as Loose,
      },
    ],
    tables: {
      moved: new Map([
        ['topup', 5_000_000_000n],
        ['usage', -250_000n],
        ['refund', 50_000n],
      ]),
      entries: 3n,
      balances: new Map([[ASHA, 4_999_800_000n]]),
      received: new Map([['mpesa, reversed', 5_000n]]),
      payments: 1n,
    },
    overview: {
      ...received,
      used_credits: 0.25,
      refunded_credits: 0.05,
      credits: { topup: 5_000, refund: 0.05 },
      owed: { balance_credits: 4_999.8 },
      paid_in: { ...received, credits: 5_000 },
      by_network: [{ network: 'mpesa', ...received }],
      days: [{ day: '2026-10-31', ...received }],
    } as Loose,
    audit: { entries: 3, finding_count: 0 } as Loose,
  }
}

it('finds nothing where everything agrees', () => {
  assert.deepEqual(differences(evidence()), [])
})

type Evidence = ReturnType<typeof evidence>

const CHANGES: [figure: RegExp, change: (one: Evidence) => unknown][] = [
  [/^usage: /, (one) => (one.months[1]!.ledger[0]!.amount_credits = '-0.250001')],
  [/^entries: /, (one) => one.months[1]!.ledger.pop()],
  [/^balance after entry 3: /, (one) => (one.months[1]!.ledger[1]!.balance_after_credits = '9')],
  [/^opening of 2026-11: /, (one) => (one.months[1]!.sums.ledger.opening_credits = 4_999.999999)],
  [/^closing of 2026-10: /, (one) => (one.months[0]!.sums.ledger.closing_credits = 5_000.000001)],
  [/^refund of 2026-11: /, (one) => one.months[1]!.sums.ledger.movements.shift()],
  [/^entries of usage of /, (one) => (one.months[1]!.sums.ledger.movements[1].entries = 2)],
  [/^received in 2026-10: /, (one) => (one.months[0]!.sums.payments.received_tzs = 5_001)],
  [/^credits received in /, (one) => (one.months[0]!.sums.payments.credits = 4_999.999999)],
  [/^payments of 2026-10: /, (one) => (one.months[0]!.sums.payments.count = 2)],
  [/^received, mpesa, reversed: /, (one) => (one.months[0]!.payments[0]!.review = '')],
  [/^received by mpesa: /, (one) => (one.months[0]!.payments[0]!.network = 'airtel')],
  [/^received on 2026-11-01: /, (one) => (one.months[0]!.payments[0]!.time = '2026-11-01T00:00')],
  [/^credits of payment p2: /, (one) => (one.months[0]!.payments[0]!.payment_id = 'p2')],
  [/^topup: /, (one) => one.tables.moved.set('topup', 5_000_000_001n)],
  [/^balance of an account: /, (one) => one.tables.balances.set(ASHA, 4_999_800_001n)],
  [/^payments: /, (one) => (one.tables.payments = 2n)],
  [/^usage: .*overview -250001$/, (one) => (one.overview.used_credits = 0.250001)],
  [/^refunded: /, (one) => (one.overview.refunded_credits = 0.050001)],
  [/^owed to customers: /, (one) => (one.overview.owed.balance_credits = 4_999.800001)],
  [/^received: /, (one) => (one.overview.received_tzs = 5_001)],
  [/^received: .*paid in 4999$/, (one) => (one.overview.paid_in.received_tzs = 4_999)],
  [/^credits paid in: /, (one) => (one.overview.paid_in.credits = 5_000.000001)],
  [/^entries: /, (one) => (one.audit.entries = 4)],
  [/^findings: /, (one) => (one.audit.finding_count = 1)],
]

for (const [figure, change] of CHANGES) {
  it(`names what differs: ${figure.source}`, () => {
    const changed = evidence()
    change(changed)
    const found = differences(changed)
    assert.ok(
      found.some((one) => figure.test(one)),
      found.join('\n'),
    )
  })
}
