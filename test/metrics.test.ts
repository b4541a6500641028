import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMetrics } from '../src/metrics.ts'
import { startHouse } from './support/house.ts'

test('answers are counted by route and status, and nothing about a caller is shown', async () => {
  const metrics = await openMetrics({ host: '127.0.0.1', port: 0 })
  const house = await startHouse({ meter: metrics.meter })
  metrics.watch(house.house.gauges)
  try {
    const { key } = await house.customer('10')
    await house.call('GET /v1/models', { token: key })
    await house.call('GET /v1/models', { token: 'mlg_wrong' })
    const answer = await fetch(`http://127.0.0.1:${metrics.port}/metrics`)
    const text = await answer.text()
    assert.match(text, /answer_seconds_count\{route="GET \/v1\/models",status="200"\} 1/)
    assert.match(text, /answer_seconds_count\{route="GET \/v1\/models",status="401"\} 1/)
    assert.match(text, /mlango_upstreams_healthy 1/)
    assert.match(text, /mlango_payments_to_review 0/)
    assert.doesNotMatch(text, /mlg_|127\.0\.0\.1|sim-key/)
    assert.equal((await fetch(`http://127.0.0.1:${metrics.port}/`)).status, 404)
  } finally {
    await house.close()
    await metrics.close()
  }
})
