import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { EMPTY, type LedgerAccount } from '../../src/ledger/ledger.ts'
import { openUnconfirmed } from '../../src/ledger/unconfirmed.ts'

const CAP = 100n
const DAY_MS = 24 * 3_600_000
const AS_EXPECTED = { asExpected: true }
const LESS = { asExpected: false }

/** Of a process that knows one account. */
function opened(account: Partial<LedgerAccount> | undefined) {
  const time = { ms: 0 }
  const known = () => account && { ...EMPTY, ...account }
  return { time, unconfirmed: openUnconfirmed({ capMicro: CAP, known, nowMs: () => time.ms }) }
}

const RICH = { balanceMicro: 1_000_000n }
const CASES: [
  why: string,
  account: Partial<LedgerAccount> | undefined,
  may: boolean,
  micro: bigint,
][] = [
  ['an account that is not known', undefined, false, 1n],
  ['an account that pays sixteen times as much', { balanceMicro: 160n }, true, 10n],
  ['an account that pays a little less than that', { balanceMicro: 159n }, false, 10n],
  ['what open holds may cost is not there', { balanceMicro: 160n, limitsMicro: 1n }, false, 10n],
  ['what they hold is not subtracted twice', { balanceMicro: 160n, heldMicro: 9n }, true, 10n],
  ['an account that an operator took from', { balanceMicro: 5n, limitsMicro: 9n }, false, 1n],
  ['a call at the cap', RICH, true, CAP],
  ['a call above the cap', RICH, false, CAP + 1n],
]
for (const [why, account, may, micro] of CASES) {
  test(`whether the upstream is asked at once: ${why}`, () => {
    assert.equal(opened(account).unconfirmed.enter('a', micro) !== undefined, may)
  })
}

test('calls of one account are counted together, those of others are not', () => {
  const { unconfirmed } = opened(RICH)
  const first = unconfirmed.enter('a', 60n)!
  assert.equal(unconfirmed.enter('a', 41n), undefined)
  assert.ok(unconfirmed.enter('b', 100n))
  first(AS_EXPECTED)
  assert.ok(unconfirmed.enter('a', 41n))
})

test('an account that had less than expected waits for its holds for a day', () => {
  const { unconfirmed, time } = opened(RICH)
  unconfirmed.enter('a', 1n)!(LESS)
  assert.equal(unconfirmed.enter('a', 1n), undefined)
  assert.ok(unconfirmed.enter('b', 1n))
  time.ms = DAY_MS - 1
  assert.equal(unconfirmed.enter('a', 1n), undefined)
  time.ms = DAY_MS
  assert.ok(unconfirmed.enter('a', 1n))
})

test('whatever comes and goes, what is counted is within the cap, and nothing stays counted', () => {
  const act = fc.record({ micro: fc.bigInt({ min: 1n, max: 60n }), leaves: fc.nat(3) })
  const property = fc.property(
    fc.bigInt({ min: 0n, max: 3_000n }),
    fc.array(act, { maxLength: 60 }),
    (balanceMicro, acts) => {
      const { unconfirmed } = opened({ balanceMicro })
      const inside: { micro: bigint; leave: (outcome: { asExpected: boolean }) => void }[] = []
      for (const { micro, leaves } of acts) {
        const before = inside.reduce((sum, one) => sum + one.micro, micro)
        const leave = unconfirmed.enter('a', micro)
        assert.equal(leave !== undefined, before <= CAP && before * 16n <= balanceMicro)
        if (leave !== undefined) inside.push({ micro, leave })
        for (const one of inside.splice(0, leaves)) one.leave(AS_EXPECTED)
      }
      for (const one of inside) one.leave(AS_EXPECTED)
      const most = balanceMicro / 16n < CAP ? balanceMicro / 16n : CAP
      assert.ok(most === 0n || unconfirmed.enter('a', most))
    },
  )
  fc.assert(property, { numRuns: 300 })
})
