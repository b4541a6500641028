import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { Finding, PaymentStatus, Standing } from '../../src/payments/transition.ts'
import { decide, SUBMIT_WINDOW_MS } from '../../src/payments/transition.ts'
import { nextLookS, TIMING } from '../../src/payments/schedule.ts'

const CREATED = new Date('2026-11-15T08:00:00Z')
const EXPIRES = new Date('2026-11-15T08:30:00Z')
const EARLY = new Date('2026-11-15T08:00:10Z')
const LATE = new Date('2026-11-15T09:00:00Z')

const standing = (changes: Partial<Standing> = {}): Standing => ({
  status: 'pending',
  providerRef: 'theirs',
  accepted: true,
  amountTzs: 5000,
  currency: 'TZS',
  createdAt: CREATED,
  expiresAt: EXPIRES,
  ...changes,
})

const seen = (
  status: 'pending' | 'completed' | 'failed' | 'expired',
  changes: Record<string, unknown> = {},
) =>
  ({
    status,
    amountTzs: 5000,
    currency: 'TZS',
    providerRef: 'theirs',
    network: undefined,
    failure: undefined,
    ...changes,
  }) as Finding

describe('the life of a payment', () => {
  const table: [string, Standing, Finding, Date, Partial<ReturnType<typeof decide>>][] = [
    ['paid', standing(), seen('completed'), EARLY, { status: 'completed', credit: true }],
    [
      'paid late after expired',
      standing({ status: 'expired' }),
      seen('completed'),
      LATE,
      { status: 'completed', credit: true, late: true },
    ],
    [
      'paid late after failed',
      standing({ status: 'failed' }),
      seen('completed'),
      LATE,
      { status: 'completed', credit: true, late: true },
    ],
    [
      'paid again',
      standing({ status: 'completed' }),
      seen('completed'),
      LATE,
      { status: 'completed', credit: false },
    ],
    [
      'failed after completed',
      standing({ status: 'completed' }),
      seen('failed'),
      LATE,
      { status: 'completed', credit: false, review: 'reversed' },
    ],
    [
      'failed',
      standing(),
      seen('failed', { failure: 'insufficient_funds' }),
      EARLY,
      { status: 'failed', errorCode: 'insufficient_funds' },
    ],
    [
      'failed after expired',
      standing({ status: 'expired' }),
      seen('failed'),
      LATE,
      { status: 'expired' },
    ],
    ['expired there', standing(), seen('expired'), EARLY, { status: 'expired' }],
    ['still waiting', standing(), seen('pending'), EARLY, { status: 'pending' }],
    [
      'waited too long',
      standing(),
      seen('pending'),
      LATE,
      { status: 'expired', errorCode: 'timeout' },
    ],
    [
      'less money',
      standing(),
      seen('completed', { amountTzs: 4999 }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'more money',
      standing(),
      seen('completed', { amountTzs: 5001 }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'no amount told',
      standing(),
      seen('completed', { amountTzs: undefined }),
      EARLY,
      { status: 'pending', credit: false, review: 'amount_mismatch' },
    ],
    [
      'other money',
      standing(),
      seen('completed', { currency: 'KES' }),
      EARLY,
      { status: 'pending', credit: false, review: 'currency_mismatch' },
    ],
    [
      'less money, past its time',
      standing(),
      seen('completed', { amountTzs: 4999 }),
      LATE,
      { status: 'expired', credit: false, review: 'amount_mismatch' },
    ],
    [
      'another payment',
      standing(),
      seen('completed', { providerRef: 'other' }),
      EARLY,
      { status: 'pending', credit: false, review: 'reference_mismatch', providerRef: 'theirs' },
    ],
    [
      'nobody answers',
      standing(),
      { status: 'unreachable', reason: 'timeout' },
      LATE,
      { status: 'pending' },
    ],
    [
      'refused at once',
      standing({ accepted: false, providerRef: undefined }),
      { status: 'refused', code: 'invalid_number' },
      EARLY,
      { status: 'failed', errorCode: 'invalid_number', closed: true },
    ],
    [
      'refused, though accepted before',
      standing(),
      { status: 'refused', code: 'rejected' },
      EARLY,
      { status: 'pending' },
    ],
    [
      'not there yet',
      standing({ accepted: false, providerRef: undefined }),
      { status: 'not_found' },
      EARLY,
      { status: 'pending' },
    ],
    [
      'never arrived',
      standing({ accepted: false, providerRef: undefined }),
      { status: 'not_found' },
      new Date(CREATED.getTime() + SUBMIT_WINDOW_MS),
      { status: 'failed', errorCode: 'provider_unavailable' },
    ],
    ['lost there', standing(), { status: 'not_found' }, LATE, { status: 'expired' }],
    [
      'found again',
      standing({ accepted: false, providerRef: undefined }),
      seen('pending'),
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

const findings: fc.Arbitrary<Finding> = fc.oneof(
  fc.record({
    status: fc.constantFrom('pending', 'completed', 'failed', 'expired'),
    amountTzs: fc.constantFrom(5000, 4999, undefined),
    currency: fc.constantFrom('TZS', 'KES', undefined),
    providerRef: fc.constantFrom('theirs', 'other', undefined),
    network: fc.constant(undefined),
    failure: fc.constant(undefined),
  }),
  fc.constant({ status: 'not_found' } as const),
  fc.constant({ status: 'unreachable', reason: 'timeout' } as const),
  fc.constant({ status: 'refused', code: 'rejected' } as const),
)

test('in any order of findings: at most one credit, and only for the right money', () => {
  const history = fc.array(fc.tuple(findings, fc.integer({ min: 0, max: 7_200_000 })), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(history, (steps) => {
      let now = standing({ accepted: false, providerRef: undefined })
      let credits = 0
      for (const [finding, afterMs] of steps) {
        const before = now
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

test('the first look after the create comes within 30 s, then they thin out, then they end', () => {
  const next = (status: PaymentStatus, checks: number, now = EARLY) => {
    const before = { ...standing({ status }), checks }
    return nextLookS(
      TIMING,
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
  assert.equal(next('pending', 3, LATE), TIMING.overdueS)
  assert.equal(next('expired', 0), TIMING.lateS[0])
  assert.equal(next('failed', TIMING.lateS.length), undefined)
  assert.equal(next('completed', 0), undefined)
})
