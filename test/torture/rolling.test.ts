import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement } from '../support/money/agreement.ts'
import { closeAgents } from './load/client.ts'
import { rollingRestart } from './rolling.ts'
import { openWorld } from './rig/world.ts'

test('three processes are replaced under load, and no call is lost', async (t) => {
  const world = await openWorld({ replicas: 3 })
  try {
    const { lost, calls, ...figures } = await rollingRestart(world, { rounds: 1, callers: 8 })
    t.diagnostic(`${calls} calls, ${JSON.stringify(figures)}`)
    assert.deepEqual(lost, [])
    assert.ok(calls > 50)
    // A server accepts those who wait before it stops listening.
    assert.ok(figures.resetAndRetried <= figures.restarts)
    // A process that drains releases its holds: nothing is left for the sweeper.
    await assertAgreement(world.db)
  } finally {
    await closeAgents()
    await world.close()
  }
})
