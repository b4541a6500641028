import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAgents } from './load/client.ts'
import { badInput } from './bad-input.ts'
import { openWorld } from './rig/world.ts'

const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000)

test(`bad input on every route and field (seed ${seed}): refused, and nothing breaks`, async (t) => {
  const world = await openWorld({ replicas: 1 })
  try {
    const report = await badInput(world, {
      seed,
      share: Number(process.env.TORTURE_SHARE ?? 0.015),
    })
    t.diagnostic(
      `${report.inputs} inputs on ${report.operations} routes and ${report.fields} fields, ` +
        `longest turn ${report.longestTurnMs} ms, ${JSON.stringify(report.statuses)}`,
    )
    assert.deepEqual(report.violations, [])
    assert.ok(report.inputs > 300)
  } finally {
    await closeAgents()
    await world.close()
  }
})
