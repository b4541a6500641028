import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement } from '../support/money/agreement.ts'
import { closeAgents } from './load/client.ts'
import { CAPACITY, overload } from './overload.ts'
import { openWorld } from './rig/world.ts'

test('ten times the calls that a process accepts: it refuses the rest, stays alive, and recovers', async (t) => {
  const env = {
    MAX_RUNNING_CALLS: String(CAPACITY),
    CONCURRENCY_PER_ACCOUNT: '5000',
    ACCOUNT_SHARE_PERCENT: '100',
    ADDRESS_SHARE_PERCENT: '100',
  }
  const world = await openWorld({ replicas: 1, env })
  try {
    const { violations, ...figures } = await overload(world, 1)
    t.diagnostic(JSON.stringify(figures))
    assert.deepEqual(violations, [])
    await assertAgreement(world.db)
  } finally {
    await closeAgents()
    await world.close()
  }
})
