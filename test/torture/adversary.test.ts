import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adversary } from './adversary.ts'
import { closeAgents } from './load/client.ts'

/** Another seed, or one that failed: TORTURE_SEED=123 npm test -- test/torture/adversary.test.ts */
const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000)

after(closeAgents)

test(`thieves (seed ${seed}): none gets more than a bounded loss, and the honest are served`, async (t) => {
  const report = await adversary({
    seed,
    seconds: 4,
    replicas: 2,
    thieves: 8,
    people: 3,
    players: 4,
    holdMs: 2_000,
    topUps: [500],
    dailyCredits: 1_500,
  })
  t.diagnostic(JSON.stringify(report.stolen))
  assert.deepEqual(report.violations, [])
  // On a busy machine one or the other may miss in so short a time.
  assert.ok(report.missed.length <= 3, `had no effect: ${report.missed.join(', ')}`)
})
