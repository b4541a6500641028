import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reportedCost } from '../../../src/gateway/price/reported-cost.ts'
import { decimal, type Decimal } from '../../../src/lib/decimal.ts'
import type { UsageReading } from '../../../src/upstream/contract/usage.ts'
import { pricedModel } from '../../support/models/priced-model.ts'

const ABSENT: UsageReading = { kind: 'absent' }
const UNUSABLE: UsageReading = { kind: 'unusable', reason: 'negative' }
const reported = (usage: object): UsageReading => ({ kind: 'reported', usage })

// 0.001 dollars are 4.5 credits; a report is believed up to 0.003, or ten times the catalog, or the cap
// where the catalog has no price.
const CAP = decimal('20')
type Catalog = { micro?: bigint; capUsd?: Decimal }
const REPORTS: [what: string, UsageReading, Catalog, bigint, estimated: boolean][] = [
  ['as reported', reported({ costUsd: '0.001' }), { micro: 1_000_000n }, 4_500_000n, false],
  [
    'less than the catalog',
    reported({ costUsd: '0.001' }),
    { micro: 9_000_000n },
    4_500_000n,
    false,
  ],
  ['an explicit zero', reported({ costUsd: '0' }), { micro: 1_000_000n }, 0n, false],
  ['a small sum, however cheap', reported({ costUsd: '0.003' }), { micro: 1n }, 13_500_000n, false],
  ['more than that, and cheap', reported({ costUsd: '0.0031' }), { micro: 1n }, 1n, true],
  ['ten times', reported({ costUsd: '0.01' }), { micro: 4_500_000n }, 45_000_000n, false],
  ['a little more', reported({ costUsd: '0.010001' }), { micro: 4_500_000n }, 4_500_000n, true],
  ['no cost among what is reported', reported({ promptTokens: 5 }), { micro: 3n }, 3n, true],
  ['nothing reported', ABSENT, { micro: 3n }, 3n, true],
  ['nothing to be believed', UNUSABLE, { micro: 3n }, 3n, true],
  // Finding: 3.50 dollars were charged as one credit.
  ['no price', reported({ costUsd: '3.5' }), { capUsd: CAP }, 15_750_000_000n, false],
  ['no price, at the cap', reported({ costUsd: '20' }), { capUsd: CAP }, 90_000_000_000n, false],
  ['no price, over the cap', reported({ costUsd: '25' }), { capUsd: CAP }, 90_000_000_000n, true],
  ['no price and no report', ABSENT, { capUsd: CAP }, 1_000_000n, true],
  [
    'a price that is a guess',
    reported({ costUsd: '3.5' }),
    { micro: 5n, capUsd: CAP },
    15_750_000_000n,
    false,
  ],
  ['a guess, over the cap', reported({ costUsd: '25' }), { micro: 5n, capUsd: CAP }, 5n, true],
]

for (const [what, reading, { micro: catalogMicro, capUsd }, costMicro, estimated] of REPORTS) {
  test(`a cost of the upstream's own: ${what}`, () => {
    const known = { catalogMicro, capUsd, nominalMicro: 1_000_000n }
    const cost = reportedCost({ reading, rate: pricedModel(), ...known })
    const basis = estimated ? (catalogMicro === undefined ? 'estimated' : 'list') : 'reported'
    // At this rate a nano-dollar is 4.5 microcredits.
    const nusd = (costMicro * 4n + 9n) / 18n
    assert.deepEqual(cost, { costMicro, estimated, upstreamCost: { nusd, basis } })
  })
}

test('where there is a price, no report costs more than a small sum or ten times the catalog', () => {
  const cents = fc.integer({ min: 0, max: 100_000_000 }).map((n) => (n / 1e6).toFixed(6))
  fc.assert(
    fc.property(cents, fc.bigInt({ min: 0n, max: 10n ** 12n }), (costUsd, catalogMicro) => {
      const reading = reported({ costUsd })
      const { costMicro } = reportedCost({ reading, rate: pricedModel(), catalogMicro })
      assert.ok(costMicro <= 13_500_000n || costMicro <= 10n * catalogMicro)
    }),
  )
})
