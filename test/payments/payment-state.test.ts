import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { Finding, PaymentState, PaymentStatus } from '../../src/payments/payment-state.ts'
import { decide, isSubmitting, SUBMIT_WINDOW_MS } from '../../src/payments/payment-state.ts'
import { nextCheckS, DEFAULT_TIMING } from '../../src/payments/schedule.ts'

const CREATED = new Date('2026-11-15T08:00:00Z')
const EXPIRES = new Date('2026-11-15T08:30:00Z')
const EARLY = new Date('2026-11-15T08:00:10Z')
const LATE = new Date('2026-11-15T09:00:00Z')

const stateWith = (changes: Partial<PaymentState> = {}): PaymentState => ({
  status: 'pending',
  providerRef: 'theirs',
  accepted: true,
  creates: 1,
  amountTzs: 5000,
  currency: 'TZS',
  createdAt: CREATED,
  expiresAt: EXPIRES,
  accountDeleted: false,
  ...changes,
})

const found = (
  status: 'pending' | 'completed' | 'failed' | 'expired' | 'reversed',
  changes: Record<string, unknown> = {},
) =>
  ({
    status,
    amountTzs: 5000,
    currency: 'TZS',
    providerRef: 'theirs',
    network: undefined,
    failure: undefined,
    said: undefined,
    ...changes,
  }) as Finding

describe('the life of a payment', () => {
  const table: [string, PaymentState, Finding, Date, Partial<ReturnType<typeof decide>>][] = [
    ['paid', stateWith(), found('completed'), EARLY, { status: 'completed', credit: true }],
    [
      'paid late after expired',
      stateWith({ status: 'expired' }),
      found('completed'),
      LATE,
      { status: 'completed', credit: true, late: true },
    ],
    [
      'paid late after failed',
      stateWith({ status: 'failed' }),
      found('completed'),
      LATE,
      { status: 'completed', credit: true, late: true },
    ],
    [
      'paid again',
      stateWith({ status: 'completed' }),
      found('completed'),
      LATE,
      { status: 'completed', credit: false, review: undefined, unanswered: false },
    ],
    [
      'failed after completed',
      stateWith({ status: 'completed' }),
      found('failed', { said: 'voided' }),
      LATE,
      { status: 'completed', credit: false, review: 'reversed', said: 'voided TZS 5000' },
    ],
    [
      'reversed after completed',
      stateWith({ status: 'completed' }),
      found('reversed', { said: 'REVERSED', amountTzs: undefined }),
      LATE,
      { status: 'completed', credit: false, review: 'reversed', said: 'REVERSED' },
    ],
    [
      'reversed in part after completed',
      stateWith({ status: 'completed' }),
      found('completed', { amountTzs: 2000 }),
      LATE,
      { status: 'completed', review: 'amount_mismatch', said: 'completed TZS 2000' },
    ],
    [
      'pending again after completed',
      stateWith({ status: 'completed' }),
      found('pending'),
      LATE,
      { status: 'completed', review: 'unconfirmed', said: 'pending TZS 5000' },
    ],
    [
      'unknown after completed',
      stateWith({ status: 'completed' }),
      { status: 'not_found' },
      LATE,
      { status: 'completed', review: 'unconfirmed', said: 'not found' },
    ],
    [
      'an unheard-of status after completed',
      stateWith({ status: 'completed' }),
      { status: 'unreachable', reason: 'unreadable_answer', said: 'clawed_back' },
      LATE,
      { status: 'completed', review: 'unconfirmed', said: 'clawed_back', unanswered: false },
    ],
    [
      'another payment after completed',
      stateWith({ status: 'completed' }),
      found('failed', { providerRef: 'other' }),
      LATE,
      { status: 'completed', review: 'reference_mismatch', providerRef: 'theirs' },
    ],
    [
      'nobody answers after completed',
      stateWith({ status: 'completed' }),
      { status: 'unreachable', reason: 'timeout' },
      LATE,
      { status: 'completed', review: undefined, unanswered: true },
    ],
    [
      'reversed before we heard that it was paid',
      stateWith(),
      found('reversed', { said: 'reversed' }),
      EARLY,
      { status: 'failed', credit: false, review: 'reversed', errorCode: 'rejected' },
    ],
    [
      'failed',
      stateWith(),
      found('failed', { failure: 'insufficient_funds' }),
      EARLY,
      { status: 'failed', errorCode: 'insufficient_funds' },
    ],
    [
      'failed after expired',
      stateWith({ status: 'expired' }),
      found('failed'),
      LATE,
      { status: 'expired' },
    ],
    ['expired there', stateWith(), found('expired'), EARLY, { status: 'expired' }],
    ['still waiting', stateWith(), found('pending'), EARLY, { status: 'pending' }],
    [
      'waited too long',
      stateWith(),
      found('pending'),
      LATE,
      { status: 'expired', errorCode: 'timeout' },
    ],
    [
      'less money',
      stateWith(),
      found('completed', { amountTzs: 4999 }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'more money',
      stateWith(),
      found('completed', { amountTzs: 5001 }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'no amount reported',
      stateWith(),
      found('completed', { amountTzs: undefined }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'another currency',
      stateWith(),
      found('completed', { currency: 'KES' }),
      EARLY,
      { status: 'pending', credit: false, review: 'currency_mismatch' },
    ],
    [
      'less money, past its time',
      stateWith(),
      found('completed', { amountTzs: 4999 }),
      LATE,
      { status: 'expired', credit: false, review: 'amount_mismatch' },
    ],
    [
      'paid after the account was deleted',
      stateWith({ accountDeleted: true }),
      found('completed'),
      EARLY,
      { status: 'pending', credit: false, review: 'account_deleted', said: 'completed TZS 5000' },
    ],
    [
      'so late that it has expired, too',
      stateWith({ accountDeleted: true }),
      found('completed'),
      LATE,
      { status: 'expired', credit: false, review: 'account_deleted', errorCode: 'timeout' },
    ],
    [
      'another payment',
      stateWith(),
      found('completed', { providerRef: 'other' }),
      EARLY,
      { status: 'pending', credit: false, review: 'reference_mismatch', providerRef: 'theirs' },
    ],
    [
      'nobody answers',
      stateWith(),
      { status: 'unreachable', reason: 'timeout' },
      LATE,
      { status: 'pending' },
    ],
    [
      'refused at once',
      stateWith({ accepted: false, providerRef: undefined }),
      { status: 'refused', code: 'invalid_number' },
      EARLY,
      { status: 'failed', errorCode: 'invalid_number', closed: true },
    ],
    [
      'refused, after another try that may have arrived',
      stateWith({ accepted: false, providerRef: undefined, creates: 2 }),
      { status: 'refused', code: 'invalid_number' },
      EARLY,
      { status: 'pending', closed: false },
    ],
    [
      'refused, though accepted before',
      stateWith(),
      { status: 'refused', code: 'rejected' },
      EARLY,
      { status: 'pending' },
    ],
    [
      'not there yet',
      stateWith({ accepted: false, providerRef: undefined }),
      { status: 'not_found' },
      EARLY,
      { status: 'pending' },
    ],
    [
      'never arrived',
      stateWith({ accepted: false, providerRef: undefined }),
      { status: 'not_found' },
      new Date(CREATED.getTime() + SUBMIT_WINDOW_MS),
      { status: 'failed', errorCode: 'provider_unavailable' },
    ],
    ['lost there', stateWith(), { status: 'not_found' }, LATE, { status: 'expired' }],
    [
      'found again',
      stateWith({ accepted: false, providerRef: undefined }),
      found('pending'),
      EARLY,
      { status: 'pending', accepted: true, providerRef: 'theirs' },
    ],
  ]
  for (const [name, before, finding, now, expected] of table) {
    test(name, () => {
      const decision = decide(before, finding, now)
      for (const [field, value] of Object.entries(expected)) {
        assert.equal(decision[field as keyof typeof decision], value, field)
      }
    })
  }
})

test('a create is repeated until it is accepted, for five minutes', () => {
  const opened = stateWith({ accepted: false, providerRef: undefined })
  const end = CREATED.getTime() + SUBMIT_WINDOW_MS
  assert.equal(isSubmitting(opened, CREATED), true)
  assert.equal(isSubmitting(opened, new Date(end - 1)), true)
  assert.equal(isSubmitting(opened, new Date(end)), false)
  assert.equal(isSubmitting({ ...opened, accepted: true }, CREATED), false)
  assert.equal(isSubmitting({ ...opened, status: 'failed' }, CREATED), false)
})

const findings: fc.Arbitrary<Finding> = fc.oneof(
  fc.record({
    status: fc.constantFrom('pending', 'completed', 'failed', 'expired', 'reversed'),
    amountTzs: fc.constantFrom(5000, 4999, undefined),
    currency: fc.constantFrom('TZS', 'KES', undefined),
    providerRef: fc.constantFrom('theirs', 'other', undefined),
    network: fc.constant(undefined),
    failure: fc.constant(undefined),
    said: fc.constant(undefined),
  }),
  fc.constant({ status: 'not_found' } as const),
  fc.constant({ status: 'unreachable', reason: 'timeout' } as const),
  fc.constant({ status: 'unreachable', reason: 'unreadable_answer', said: 'other' } as const),
  fc.constant({ status: 'refused', code: 'rejected' } as const),
)

test('in any order of findings: one credit at most, for the right money; closed by the first try alone', () => {
  const history = fc.array(fc.tuple(findings, fc.integer({ min: 0, max: 7_200_000 })), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(history, (steps) => {
      let now = stateWith({ accepted: false, providerRef: undefined })
      let credits = 0
      let creates = 0
      for (const [finding, afterMs] of steps) {
        const before = { ...now, creates: ++creates }
        const decision = decide(before, finding, new Date(CREATED.getTime() + afterMs))
        if (decision.credit) {
          credits++
          assert(finding.status === 'completed')
          assert.equal(finding.amountTzs, 5000)
          assert.equal(finding.currency, 'TZS')
        }
        assert.equal(
          decision.credit,
          decision.status === 'completed' && before.status !== 'completed',
        )
        if (before.status === 'completed') assert.equal(decision.status, 'completed')
        if (before.status !== 'pending') assert.notEqual(decision.status, 'pending')
        if (decision.closed) assert.deepEqual([finding.status, creates], ['refused', 1])
        if (before.providerRef) assert.equal(decision.providerRef, before.providerRef)
        const { status, accepted, providerRef } = decision
        now = { ...before, status, accepted, providerRef }
      }
      assert(credits <= 1)
      assert.equal(credits === 1, now.status === 'completed')
    }),
    { numRuns: 2_000 },
  )
})

test('the first check after the create comes within 30 s, then they get rarer, then they end', () => {
  const next = (status: PaymentStatus, checks: number, now = EARLY) => {
    const before = { ...stateWith({ status }), checks }
    return nextCheckS(
      DEFAULT_TIMING,
      before,
      decide(before, { status: 'unreachable', reason: '' }, now),
      now,
    )
  }
  assert(next('pending', 1)! <= 30)
  const steps = [1, 2, 3, 4, 5, 6, 7, 50].map((checks) => next('pending', checks)!)
  assert.deepEqual(
    steps,
    [...steps].sort((a, b) => a - b),
  )
  assert.equal(next('pending', 3, LATE), DEFAULT_TIMING.overdueS)
  assert.equal(next('expired', 0), DEFAULT_TIMING.lateS[0])
  assert.equal(next('failed', DEFAULT_TIMING.lateS.length), undefined)
  assert.equal(next('completed', 1), DEFAULT_TIMING.overdueS)
  const completed = { ...stateWith({ status: 'completed' }), checks: 1 }
  const confirmed = decide(completed, found('completed'), LATE)
  assert.equal(nextCheckS(DEFAULT_TIMING, completed, confirmed, LATE), undefined)
})
