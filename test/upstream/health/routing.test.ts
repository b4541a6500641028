import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  began,
  CLOSED,
  gateOf,
  noted,
  type Circuit,
  type Sample,
} from '../../../src/upstream/health/circuit.ts'
import { choose, sessionDraw, type Candidate } from '../../../src/upstream/health/circuit.ts'

const candidate = (target: string, more: Partial<Candidate<string>> = {}): Candidate<string> => ({
  target,
  priority: 1,
  weight: 1,
  circuit: CLOSED,
  demoted: false,
  ...more,
})
const opened: Circuit = { ...CLOSED, opened: 1, openUntilMs: 5000 }
const targets = (candidates: Candidate<string>[], nowMs = 0, random = () => 0) => {
  const choice = choose(candidates, nowMs, random)
  return choice.kind === 'ask' ? choice.targets : choice
}
const after = (circuit: Circuit, samples: Sample['kind'][], nowMs = 0): Circuit =>
  samples.reduce<Circuit>(
    (state, kind) => noted(state, { kind, retryAfterS: undefined }, nowMs),
    circuit,
  )

describe('the choice of an upstream', () => {
  it('goes by priority, then by weight', () => {
    const list = [
      candidate('late', { priority: 2 }),
      candidate('light'),
      candidate('heavy', { weight: 3 }),
    ]
    assert.deepEqual(
      targets(list, 0, () => 0),
      ['light', 'heavy', 'late'],
    )
    assert.deepEqual(
      targets(list, 0, () => 0.9),
      ['heavy', 'light', 'late'],
    )
  })

  it('shares by weight', () => {
    const list = [candidate('a'), candidate('b', { weight: 3 })]
    let first = 0
    const steps = Array.from({ length: 100 }, (_, i) => (i + 0.5) / 100)
    for (const a of steps) {
      for (const b of steps) {
        const order = choose(list, 0, (target) => (target === 'a' ? a : b))
        if (order.kind === 'ask' && order.targets[0] === 'a') first += 1
      }
    }
    assert.ok(Math.abs(first - 2_500) < 100, String(first))
  })

  const upstreams = ['a', 'b', 'c', 'd'].map((upstream) => ({ upstream }))
  const bySession = (session: string, listed = upstreams, weights: Record<string, number> = {}) => {
    const list = listed.map((target) => ({
      ...candidate(''),
      target,
      weight: weights[target.upstream] ?? 1,
    }))
    const choice = choose(list, 0, sessionDraw(session))
    assert.equal(choice.kind, 'ask')
    return choice.kind === 'ask' ? choice.targets.map(({ upstream }) => upstream) : []
  }

  it('is the same for a session; without an upstream, the order of the others stays', () => {
    fc.assert(
      fc.property(fc.string(), fc.subarray(upstreams, { minLength: 1 }), (session, left) => {
        const names = left.map(({ upstream }) => upstream)
        const order = bySession(session).filter((name) => names.includes(name))
        assert.deepEqual(bySession(session, left), order)
        assert.deepEqual(bySession(session, left.toReversed()), order)
      }),
    )
  })

  it('shares sessions by weight', () => {
    const shares: Record<string, number> = {}
    for (let i = 0; i < 4_000; i += 1) {
      const [first] = bySession(`session ${i}`, upstreams.slice(0, 2), { b: 3 })
      shares[first!] = (shares[first!] ?? 0) + 1
    }
    assert.ok(Math.abs(shares.b! - 3_000) < 150, JSON.stringify(shares))
  })

  it('lists every usable upstream exactly once, whatever the random numbers', () => {
    const any = fc.record({ weight: fc.integer({ min: 1, max: 9 }), priority: fc.nat(3) })
    const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 6 }), dice, (list, die) => {
        const all = list.map((one, index) => candidate(String(index), one))
        const order = targets(all, 0, () => die) as string[]
        assert.deepEqual(
          order.toSorted(),
          all.map(({ target }) => target),
        )
        const priorities = order.map((target) => all[Number(target)]!.priority)
        assert.deepEqual(
          priorities,
          priorities.toSorted((a, b) => a - b),
        )
      }),
    )
  })

  it('leaves open circuits out and tries the demoted last', () => {
    const list = [
      candidate('open', { circuit: opened }),
      candidate('no-money', { demoted: true }),
      candidate('next', { priority: 9 }),
    ]
    assert.deepEqual(targets(list), ['next', 'no-money'])
    assert.deepEqual(targets(list, 5001), ['open', 'next', 'no-money'])
  })

  it('says why and for how long when no upstream is usable', () => {
    const cooling: Circuit = { ...CLOSED, coolUntilMs: 6500 }
    assert.deepEqual(targets([candidate('a', { circuit: cooling })]), {
      kind: 'rate_limited',
      retryAfterS: 7,
    })
    const mixed = [candidate('a', { circuit: cooling }), candidate('b', { circuit: opened })]
    assert.deepEqual(targets(mixed), { kind: 'unavailable', retryAfterS: 5 })
    const probing = candidate('a', { circuit: { ...opened, probing: true } })
    assert.deepEqual(targets([probing], 9000), { kind: 'unavailable', retryAfterS: 1 })
  })
})

describe('a circuit', () => {
  const five = Array.from({ length: 5 }, () => 'failed' as const)

  it('opens after five failures in a row, not after four and a success', () => {
    assert.equal(gateOf(after(CLOSED, five), 1), 'open')
    assert.equal(
      gateOf(after(CLOSED, ['failed', 'failed', 'failed', 'failed', 'ok', 'failed']), 1),
      'closed',
    )
  })

  it('opens when every second call fails', () => {
    const flapping = Array.from(
      { length: 10 },
      (_, i) => (i % 2 ? 'failed' : 'ok') as Sample['kind'],
    )
    assert.equal(gateOf(after(CLOSED, flapping), 1), 'open')
  })

  it('forgets failures of long ago', () => {
    const old = after(CLOSED, ['failed', 'ok', 'failed', 'ok', 'failed', 'ok', 'failed', 'ok'])
    assert.equal(gateOf(after(old, ['failed', 'ok', 'failed'], 60_000), 60_000), 'closed')
  })

  it('lets one probe through; its success closes, its failure opens for twice as long', () => {
    const open = after(CLOSED, five)
    assert.equal(gateOf(open, 5001), 'half_open')
    const probing = began(open)
    assert.equal(gateOf(probing, 5001), 'open')
    assert.deepEqual(noted(probing, { kind: 'ok' }, 5001), CLOSED)
    const again = noted(probing, { kind: 'failed' }, 5001)
    assert.deepEqual([gateOf(again, 15_000), gateOf(again, 15_002)], ['open', 'half_open'])
    assert.equal(gateOf(noted(probing, { kind: 'neutral' }, 5001), 5002), 'half_open')
  })

  it('a call that began before it opened changes nothing', () => {
    const open = after(CLOSED, five)
    assert.equal(noted(open, { kind: 'failed' }, 10), open)
    assert.equal(noted(open, { kind: 'ok' }, 10), open)
  })

  it('honours Retry-After, up to a minute', () => {
    const busy = noted(CLOSED, { kind: 'failed', retryAfterS: 9 }, 0)
    assert.deepEqual([gateOf(busy, 8999), gateOf(busy, 9001)], ['open', 'half_open'])
    const limited = noted(CLOSED, { kind: 'rate_limited', retryAfterS: 3600 }, 0)
    assert.deepEqual([gateOf(limited, 59_999), gateOf(limited, 60_001)], ['cooling', 'closed'])
    assert.equal(
      gateOf(noted(CLOSED, { kind: 'rate_limited', retryAfterS: undefined }, 0), 1),
      'closed',
    )
  })

  it('never stays open: a minute after any history a call may pass', () => {
    const kinds = fc.constantFrom<Sample['kind']>('ok', 'failed', 'rate_limited', 'neutral')
    const steps = fc.array(fc.record({ kind: kinds, wait: fc.nat(20_000), retry: fc.nat(4000) }))
    fc.assert(
      fc.property(steps, (history) => {
        let [circuit, nowMs] = [CLOSED, 0]
        for (const { kind, wait, retry } of history) {
          nowMs += wait
          const gate = gateOf(circuit, nowMs)
          if (gate === 'open' || gate === 'cooling') continue
          circuit = noted(began(circuit), { kind, retryAfterS: retry }, nowMs)
        }
        assert.notEqual(gateOf(circuit, nowMs + 60_001), 'open')
      }),
    )
  })
})
