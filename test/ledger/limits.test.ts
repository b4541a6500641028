import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { CostBounds, Outcome } from '../../src/ledger/commands.ts'
import { EMPTY, step, type LedgerAccount, type OpenHold } from '../../src/ledger/ledger.ts'

/* Whoever keeps to the limit of each hold is paid, however many calls run at once. */

type Move = {
  kind: 'hold' | 'extend' | 'settle' | 'release' | 'grant'
  which: number
  part: number
}
type Sizes = { want: bigint; need: bigint; least: bigint; start: bigint; most: bigint }

const micro = fc.bigInt({ min: 0n, max: 5_000n })
const sizes = fc.record({ want: micro, need: micro, least: micro, start: micro, most: micro })
const move: fc.Arbitrary<Move & { sizes: Sizes; fixed: boolean }> = fc.record({
  kind: fc.constantFrom('hold', 'hold', 'hold', 'extend', 'settle', 'release', 'grant'),
  which: fc.nat(9),
  /** How much of its limit a call costs, in hundredths. */
  part: fc.nat(100),
  sizes,
  fixed: fc.boolean(),
})

function boundsFor({ need, least, start, most }: Sizes, fixed: boolean): CostBounds {
  const minimumMicro = need + least
  const initialLimitMicro = minimumMicro + start
  return {
    committedMicro: 0n,
    minimumMicro,
    initialLimitMicro,
    worstCaseMicro: initialLimitMicro + most,
    fixed,
    rough: false,
  }
}

/** One account and its holds, moved by commands. */
class Purse {
  account: LedgerAccount = EMPTY
  readonly open = new Map<string, OpenHold>()
  #entries = 0

  run(kind: Move['kind'], more: Record<string, unknown>, holdId = ''): Outcome {
    const entry = { id: 'e', type: 'usage', key: `k${this.#entries++}`, description: '' }
    const withKeys =
      kind === 'settle' ? { charges: [{ costMicro: more.costMicro, entry }] } : { entry }
    const command = { kind, accountId: 'a', holdId, ...more, ...withKeys } as never
    const done = step(this.account, command, { hold: this.open.get(holdId), hasKey: () => false })
    this.account = done.account
    if (done.hold) this.open.set(holdId, done.hold)
    else this.open.delete(holdId)
    return done.outcome
  }

  get limits(): bigint {
    return [...this.open.values()].reduce((sum, hold) => sum + hold.limitMicro, 0n)
  }
}

function play(purse: Purse, one: Move & { sizes: Sizes; fixed: boolean }): Outcome | undefined {
  const holdId = `h${one.which}`
  const hold = purse.open.get(holdId)
  if (one.kind === 'grant') return purse.run('grant', { amountMicro: one.sizes.want + 1n })
  if (one.kind === 'hold') {
    const { want: estimateMicro, need: minimumMicro } = one.sizes
    const bounds = boundsFor(one.sizes, one.fixed)
    const size = { estimateMicro, minimumMicro, bounds, owner: { process: 'p' }, about: {} }
    return hold ? undefined : purse.run('hold', size, holdId)
  }
  if (hold === undefined) return undefined
  if (one.kind === 'extend') return purse.run('extend', { byMicro: one.sizes.want }, holdId)
  const costMicro = (hold.limitMicro * BigInt(one.part)) / 100n
  return purse.run(one.kind, { costMicro }, holdId)
}

test('limits add up to no more than the balance, and what keeps to them is paid', () => {
  const property = fc.property(fc.array(move, { maxLength: 120 }), (moves) => {
    const purse = new Purse()
    for (const one of moves) {
      const outcome = play(purse, one)
      if (outcome?.kind === 'settled') assert.equal(outcome.uncollectedMicro, 0n)
      assert.equal(purse.account.limitsMicro, purse.limits)
      assert.ok(purse.limits <= purse.account.balanceMicro, 'more was promised than there is')
    }
  })
  fc.assert(property, { numRuns: 500 })
})

const CREDIT = 1_000_000n
const opened = (balance: bigint, bounds: Partial<CostBounds>, calls: number) => {
  const purse = new Purse()
  purse.run('grant', { amountMicro: balance * CREDIT })
  const size = {
    estimateMicro: 10n * CREDIT,
    minimumMicro: CREDIT,
    owner: { process: 'p' },
    about: {},
  }
  const all = {
    committedMicro: 0n,
    minimumMicro: CREDIT,
    initialLimitMicro: 10n * CREDIT,
    worstCaseMicro: 500n * CREDIT,
    fixed: false,
    rough: false,
    ...bounds,
  }
  const outcomes = Array.from({ length: calls }, (_, i) =>
    purse.run('hold', { ...size, bounds: all }, `h${i}`),
  )
  return { purse, outcomes, limits: [...purse.open.values()].map((one) => one.limitMicro / CREDIT) }
}

test('a call that can be watched begins with little and may come to have all', () => {
  const { purse, outcomes, limits } = opened(100n, {}, 5)
  assert.deepEqual(limits, [10n, 10n, 10n, 10n, 10n])
  const [first] = outcomes
  assert.ok(first?.kind === 'held')
  assert.equal(first.ceilingMicro, 100n * CREDIT)
  const more = purse.run('extend', { byMicro: 70n * CREDIT }, 'h0')
  assert.deepEqual(more, { kind: 'extended', limitMicro: 60n * CREDIT })
  assert.deepEqual(purse.run('extend', { byMicro: CREDIT }, 'h1'), {
    kind: 'extended',
    limitMicro: 10n * CREDIT,
  })
})

test('one that cannot be watched has half of what is uncommitted, and no more later', () => {
  const { outcomes, limits } = opened(100n, { fixed: true }, 5)
  assert.deepEqual(limits, [50n, 25n, 12n, 10n, 2n])
  for (const one of outcomes) {
    assert.ok(one.kind === 'held')
    assert.equal(one.ceilingMicro, one.limitMicro)
  }
})

test('an account that can pay the worst case many times over is not limited', () => {
  const { limits } = opened(8_000n, {}, 2)
  assert.deepEqual(limits, [500n, 10n])
})

test('rough bounds that do not fit easily ask for better ones, and nothing is held', () => {
  const rough = opened(100n, { rough: true, minimumMicro: 7n * CREDIT }, 1)
  assert.deepEqual(rough.outcomes, [{ kind: 'needs_exact_bounds' }])
  assert.deepEqual(rough.purse.account, { ...EMPTY, balanceMicro: 100n * CREDIT })
  assert.equal(
    opened(200n, { rough: true, minimumMicro: 7n * CREDIT }, 1).outcomes[0]?.kind,
    'held',
  )
})

test('what an operator takes away is not promised again', () => {
  const { purse } = opened(100n, { fixed: true }, 1)
  purse.run('adjust' as never, { amountMicro: -80n * CREDIT })
  assert.equal(purse.run('hold', holdOf(CREDIT), 'h9').kind, 'refused')
  assert.deepEqual(purse.run('extend', { byMicro: CREDIT }, 'h0'), {
    kind: 'extended',
    limitMicro: 50n * CREDIT,
  })
})

function holdOf(amount: bigint) {
  return { estimateMicro: amount, minimumMicro: amount, owner: { process: 'p' }, about: {} }
}
