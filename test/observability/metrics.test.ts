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
  const provider = 'gen_ai_provider_name="openrouter"'
  const operation = `gen_ai_operation_name="chat",${provider},gen_ai_request_model="${model.id}"`
  for (const type of ['input', 'output']) {
    const labels = `${operation},gen_ai_token_type="${type}"`
    assert.equal(valueOf(text, `gen_ai_client_token_usage_count{${labels}}`), 1)
  }
  const duration = `gen_ai_client_operation_duration_seconds_count{${operation},error_type=""}`
  assert.equal(valueOf(text, duration), 1)
  assert.equal(valueOf(text, 'mlango_replays_total{outcome="claimed"}'), 1)
  assert.equal(valueOf(text, 'mlango_replays_total{outcome="stored"}'), 1)
  assert.ok(valueOf(text, 'mlango_commit_seconds_count')! >= 2, 'a hold and a settlement')
  assert.equal(valueOf(text, 'mlango_holds'), 0)
  assert.ok(valueOf(text, 'mlango_disk_free_bytes')! > 0)
  assert.ok(!text.includes('secret-word') && !text.includes(accountId))
  await assertAudit(app.db)
})

test('a stream shows when it began and when it ended; what failed, why', async () => {
  const { key } = await app.customer('1000')
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] }
  const streamed = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  })
  assert.match(await streamed.text(), /DONE/)
  app.models.fail({ fault: 'status-500', route: '/chat/completions', times: 1 })
  const failed = await app.call('POST /v1/chat/completions', { token: key, body })
  assert.equal(failed.status, 502)
  const text = await scrape()
  const of = (name: string) =>
    [...text.matchAll(new RegExp(`^gen_ai_client_${name}_count\\{(.*)\\} (\\d+)$`, 'gm'))].map(
      ([, labels, count]) => [/error_type="(\w*)"/.exec(labels!)?.[1], Number(count)],
    )
  assert.deepEqual(of('operation_time_to_first_chunk_seconds'), [[undefined, 1]])
  const durations = Object.fromEntries(of('operation_duration_seconds')) as unknown
  assert.deepEqual(durations, { '': 2, failed: 1 })
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
    const attempt = { upstream: 'a', model: `m${i}`, outcome: 'failed' }
    many.meter.attempted(attempt)
    const operation = { provider: 'openai', operation: 'chat', durationMs: 1, input: 1 }
    many.meter.ended({ ...attempt, ...operation })
  }
  const text = await many.text()
  assert.equal(text.match(/^mlango_upstream_attempts_total\{/gm)!.length, 201)
  assert.match(text, /model="other",outcome="failed"\} 800/)
  for (const name of ['operation_duration_seconds', 'token_usage']) {
    const series = new RegExp(`^gen_ai_client_${name}_count\\{`, 'gm')
    assert.equal(text.match(series)!.length, 201, name)
  }
})
