import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import type { Charge, Command, CostBounds, Entry, UsualAmounts } from '../../src/ledger/commands.ts'

/** Few accounts, holds and keys and small amounts, so that every kind of clash happens often. */
export type World = { accounts: string[]; holds: string[]; process: string; keyPrefix: string }

export function freshWorld(): World {
  return {
    accounts: [randomUUID(), randomUUID(), randomUUID()],
    holds: Array.from({ length: 6 }, () => randomUUID()),
    process: randomUUID(),
    keyPrefix: randomUUID(),
  }
}

/** A command with small numbers for ids; `inWorld` gives it real ones. */
export type Sketch = {
  kind: Command['kind']
  account: number
  hold: number
  keys: number[]
  amounts: bigint[]
  ofJob: boolean
  /** What the bounds of a hold go beyond what is needed; none: it has no bounds of its own. */
  steps: [bigint, bigint, bigint] | undefined
  fixed: boolean
  rough: boolean
  /** A hold with bounds has usual amounts too, with this much less needed. */
  usualPart: bigint | undefined
}

const amount = fc.bigInt({ min: 0n, max: 50n })

export const sketch: fc.Arbitrary<Sketch> = fc.record({
  kind: fc.constantFrom(
    'grant',
    'grant',
    'adjust',
    'hold',
    'hold',
    'extend',
    'settle',
    'release',
    'renew',
  ),
  account: fc.nat(2),
  hold: fc.nat(5),
  keys: fc.array(fc.nat(40), { minLength: 3, maxLength: 3 }),
  amounts: fc.array(amount, { minLength: 3, maxLength: 3 }),
  ofJob: fc.boolean(),
  steps: fc.option(fc.tuple(amount, amount, amount), { nil: undefined }),
  fixed: fc.boolean(),
  rough: fc.boolean(),
  usualPart: fc.option(fc.bigInt({ min: 2n, max: 6n }), { nil: undefined }),
})

function boundsOf(need: bigint, sketch: Sketch): CostBounds | undefined {
  if (sketch.steps === undefined) return undefined
  const [least, start, most] = sketch.steps
  const minimumMicro = need + least
  const initialLimitMicro = minimumMicro + start
  const { fixed, rough } = sketch
  const worstCaseMicro = initialLimitMicro + most
  return { committedMicro: 0n, minimumMicro, initialLimitMicro, worstCaseMicro, fixed, rough }
}

function usualOf(
  want: bigint,
  need: bigint,
  { usualPart, steps, ...sketch }: Sketch,
): UsualAmounts | undefined {
  if (usualPart === undefined || steps === undefined) return undefined
  const [least, start, most] = steps
  const [estimateMicro, minimumMicro] = [want / usualPart, need / (2n * usualPart)]
  const smaller: Sketch['steps'] = [least / usualPart, start, most]
  const bounds = boundsOf(minimumMicro, { ...sketch, usualPart, steps: smaller })!
  return { estimateMicro, minimumMicro, bounds, allowanceMicro: 10n ** 9n, at: new Date(0) }
}

const GRANTS = ['signup_bonus', 'topup', 'refund', 'adjustment'] as const

/** Holds 0 to 2 belong to the process, 3 to 5 to jobs; only a job's hold can be renewed. */
export function inWorld(world: World, sketch: Sketch): Command {
  const [first = 0n, second = 0n] = sketch.amounts
  const hold = sketch.kind === 'renew' ? 3 + (sketch.hold % 3) : sketch.hold
  // A hold is opened by its own account only; any account may try to close it.
  const account = sketch.kind === 'hold' ? hold % 3 : sketch.account
  const accountId = world.accounts[account]!
  const holdId = world.holds[hold]!
  const entry = (key: number, type: Entry['type']): Entry => ({
    id: randomUUID(),
    type,
    key: `${world.keyPrefix}:${key}`,
    description: 'A trial.',
  })
  switch (sketch.kind) {
    case 'grant':
      return {
        kind: 'grant',
        accountId,
        amountMicro: first + 1n,
        entry: entry(sketch.keys[0]!, GRANTS[sketch.keys[1]! % GRANTS.length]!),
      }
    case 'adjust': {
      const amountMicro = (sketch.ofJob ? first : -first) || 1n
      return { kind: 'adjust', accountId, amountMicro, entry: entry(sketch.keys[0]!, 'adjustment') }
    }
    case 'hold': {
      const owner =
        hold < 3 ? { process: world.process } : { job: `job-${hold}`, deadline: new Date(1e12) }
      return {
        kind: 'hold',
        accountId,
        holdId,
        estimateMicro: first,
        minimumMicro: second / 2n,
        bounds: boundsOf(second / 2n, sketch),
        usual: usualOf(first, second, sketch),
        owner,
        about: { trial: true },
      }
    }
    case 'extend':
      return { kind: 'extend', accountId, holdId, byMicro: first }
    case 'renew':
      return { kind: 'renew', accountId, holdId, deadline: new Date(2e12) }
    case 'release':
      return { kind: 'release', accountId, holdId }
    default: {
      const charges = sketch.amounts
        .slice(0, 1 + (sketch.keys[2]! % 3))
        .map((costMicro, i): Charge => ({ costMicro, entry: entry(sketch.keys[i]!, 'usage') }))
      return { kind: 'settle', accountId, holdId, charges }
    }
  }
}
