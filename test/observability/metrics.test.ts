import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { METRICS, type MetricEntry } from '../../src/observability/catalogue.ts'
import { createMetrics, type Metrics } from '../../src/observability/metrics.ts'
import { openMetricsPort, type MetricsPort } from '../../src/observability/port.ts'
import { assertAudit } from '../support/money/audit.ts'
import { startApp } from '../support/app.ts'

let metrics: Metrics
let port: MetricsPort
let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  metrics = await createMetrics()
  port = await openMetricsPort({ host: '127.0.0.1', port: 0, text: metrics.text })
  app = await startApp({ meter: metrics.meter })
  metrics.watch(app.rooms.gauges)
})
after(async () => {
  await app.close()
  await port.close()
})

async function scrape(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port.port}/metrics`)).text()
}

/** The value of a line such as `mlango_holds` or `mlango_payments{state="pending"}`. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

test('answers are counted by route and status, and nothing about a caller is shown', async () => {
  const { key } = await app.customer('10')
  await app.call('GET /v1/models', { token: key })
  await app.call('GET /v1/models', { token: 'mlg_wrong' })
  const text = await scrape()
  assert.match(text, /answer_seconds_count\{route="GET \/v1\/models",status="200"\} 1/)
  assert.match(text, /answer_seconds_count\{route="GET \/v1\/models",status="401"\} 1/)
  assert.equal(valueOf(text, 'mlango_upstreams_healthy'), 1)
  assert.equal(valueOf(text, 'mlango_payments_to_review'), 0)
  assert.doesNotMatch(text, /mlg_|127\.0\.0\.1|sim-key/)
  assert.equal((await fetch(`http://127.0.0.1:${port.port}/`)).status, 404)
})

test('a paid call shows as an attempt, tokens, credits, a commit; a replay as a replay', async () => {
  const { key, accountId } = await app.customer('10')
  const model = app.rooms.catalog.requireModel('sim/hekima')
  const body = { model: model.id, messages: [{ role: 'user', content: 'Habari, secret-word' }] }
  const headers = { 'idempotency-key': 'metrics-1' }
  for (let i = 0; i < 2; i++) {
    const answer = await app.call('POST /v1/chat/completions', { token: key, body, headers })
    assert.equal(answer.status, 200)
  }
  const text = await scrape()
  const attempts = `mlango_upstream_attempts_total{upstream="sim",model="${model.offers[0]!.model}",outcome="ok"}`
  assert.equal(valueOf(text, attempts), 1)
  assert.equal(valueOf(text, 'mlango_paid_calls_total{kind="chat",status="completed"}'), 1)
  const charged = valueOf(text, `mlango_charged_credits_total{kind="chat",model="${model.id}"}`)
  assert.ok(charged! > 0)
  for (const type of ['input', 'output']) {
    const labels = `gen_ai_operation_name="chat",gen_ai_token_type="${type}"`
    assert.equal(valueOf(text, `gen_ai_client_token_usage_count{${labels}}`), 1)
  }
  assert.equal(valueOf(text, 'mlango_replays_total{outcome="claimed"}'), 1)
  assert.equal(valueOf(text, 'mlango_replays_total{outcome="stored"}'), 1)
  assert.ok(valueOf(text, 'mlango_commit_seconds_count')! >= 2, 'a hold and a settlement')
  assert.equal(valueOf(text, 'mlango_holds'), 0)
  assert.ok(valueOf(text, 'mlango_disk_free_bytes')! > 0)
  assert.ok(!text.includes('secret-word') && !text.includes(accountId))
  await assertAudit(app.db)
})

test('what waits is shown with its age, and as 0 when nothing does', async () => {
  let text = await scrape()
  assert.equal(valueOf(text, 'mlango_outbox_messages{state="dead"}'), 0)
  await app.db.query(
    `insert into outbox (id, channel, recipient, state, finished_at)
     values (gen_random_uuid(), 'email', 'x', 'dead', now() - interval '100 s')`,
  )
  text = await scrape()
  assert.equal(valueOf(text, 'mlango_outbox_messages{state="dead"}'), 1)
  assert.ok(valueOf(text, 'mlango_outbox_oldest_seconds{state="dead"}')! >= 100)
  assert.equal(valueOf(text, 'mlango_payments{state="pending"}'), 0)
})

test('every metric is in the answer, and none that the catalogue lacks', async () => {
  const text = await scrape()
  const shown = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
    .map(([, name, kind]) => `${name} ${kind}`)
    .filter((line) => !/^mlango_(process|nodejs)_/.test(line))
  const known = Object.entries<MetricEntry>(METRICS).map(([name, { kind }]) => `${name} ${kind}`)
  assert.deepEqual(shown.sort(), known.sort())
})

test('models beyond the first two hundred are one series', async () => {
  const many = await createMetrics()
  for (let i = 0; i < 1_000; i++) {
    const attempt = { upstream: 'a', model: `m${i}`, operation: 'chat', outcome: 'failed' }
    many.meter.attempted({ ...attempt, durationMs: 1 })
  }
  const text = await many.text()
  assert.equal(text.match(/^mlango_upstream_attempts_total\{/gm)!.length, 201)
  assert.match(text, /model="other",outcome="failed"\} 800/)
})
