import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startModelSimulator, type ModelSimulator } from '../../simulator/models/server.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { attributesOf, startOtlp, type ReceivedSpan } from '../support/peers/otlp.ts'
import { startShared } from '../support/replica.ts'
import { startService } from '../support/service.ts'

const MODEL = 'sim/hekima'
const PROMPT = 'Neno la siri: chungwa-bichi'
const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const TRACEPARENT = `00-${CALLER.trace}-${CALLER.span}-01`

let shared: Awaited<ReturnType<typeof startShared>>
let second: ModelSimulator
let db: Db
let env: Record<string, string>
before(async () => {
  shared = await startShared()
  second = await startModelSimulator()
  const [first, other] = [shared.models, second].map((one, i) => ({
    name: `sim-${i + 1}`,
    type: 'openrouter',
    // By its name: the numbers are those of the caller too, who must not be told of.
    base_url: one.url.replace('127.0.0.1', 'localhost'),
    api_key_env: 'SIM_KEY',
    sync: true,
    priority: i + 1,
  }))
  const file = join(shared.folder, 'two.json')
  await writeFile(file, JSON.stringify({ upstreams: [first, other] }))
  const url = await freshDatabase()
  db = openDatabase({ url, poolSize: 2, log: silentLog })
  env = { ...shared.env, DATABASE_URL: url, UPSTREAMS_FILE: file }
})
const receivers: { close(): Promise<unknown> }[] = []
after(async () => {
  for (const receiver of receivers) await receiver.close()
  await assertAudit(db)
  await db.close()
  await second.close()
  await shared.close()
})

async function chat(url: string, key: string, more: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify({
      model: MODEL,
      stream: true,
      messages: [{ role: 'user', content: PROMPT }],
      max_tokens: 200,
      temperature: 0.5,
    }),
  })
  assert.equal(response.status, 200)
  return response.text()
}

/** The words that the reader was given, as one text. */
function saidIn(stream: string): string {
  const contents = stream.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)
  return [...contents].map(([, text]) => text).join('')
}

test('a streamed call with a failover is one trace, and nothing in it is anybody’s text', async () => {
  const receiver = await startOtlp()
  receivers.push(receiver)
  const service = await startService({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` })
  const { key, accountId } = await newCustomer(service.url, { db, dataDir: shared.folder }, '1000')
  shared.models.fail({ fault: 'status-500', route: '/chat/completions' })
  const answer = await chat(service.url, key, { traceparent: TRACEPARENT })
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)

  const spans = receiver.spans().filter(({ traceId }) => traceId === CALLER.trace)
  const named = (name: string) => spans.filter((span) => span.name === name)
  assert.deepEqual(spans.map(({ name }) => name).sort(), [
    'POST /v1/chat/completions',
    `chat ${MODEL}`,
    `chat ${MODEL}`,
    'hold',
    'settle',
  ])
  const [request] = named('POST /v1/chat/completions')
  assert.equal(request!.parentSpanId, CALLER.span)
  assert.equal(attributesOf(request!)['http.response.status_code'], '200')
  for (const span of spans) if (span !== request) assert.equal(span.parentSpanId, request!.spanId)

  const [failed, worked] = named(`chat ${MODEL}`).sort(byStart)
  assert.equal(failed!.status.code, 2)
  assert.equal(attributesOf(failed!)['mlango.upstream'], 'sim-1')
  assert.ok(attributesOf(failed!)['error.type'])
  assert.equal(attributesOf(worked!)['mlango.upstream'], 'sim-2')
  assert.equal(attributesOf(worked!)['gen_ai.operation.name'], 'chat')
  assert.ok(Number(attributesOf(worked!)['gen_ai.usage.input_tokens']) > 0)
  assert.ok(Number(attributesOf(worked!)['gen_ai.usage.output_tokens']) > 0)
  const told = attributesOf(worked!)
  assert.deepEqual(
    ['request.stream', 'request.max_tokens', 'request.temperature', 'response.model'].map(
      (name) => told[`gen_ai.${name}`],
    ),
    ['true', '200', '0.5', MODEL],
  )
  assert.match(told['gen_ai.response.id']!, /^gen-/)
  assert.deepEqual(told['gen_ai.response.finish_reasons'], 'stop')
  assert.ok(Number(told['gen_ai.response.time_to_first_chunk']) > 0)
  for (const name of ['cache_read.input', 'reasoning.output']) {
    assert.ok(Number(told[`gen_ai.usage.${name}_tokens`]) >= 0, name)
  }
  assert.equal(told['server.address'], 'localhost')
  assert.equal(told['server.port'], new URL(second.url).port)
  const order = [...named('hold'), failed!, worked!, ...named('settle')]
  assert.deepEqual(order.toSorted(byStart), order)

  const asked = [shared.models, second].map(({ log }) => log.find({ route: '/chat/completions' }))
  assert.deepEqual(
    asked.map(([entry]) => entry!.headers.traceparent),
    [failed!, worked!].map(({ spanId }) => `00-${CALLER.trace}-${spanId}-01`),
  )

  const bytes = receiver.bodies.join('\n')
  const said = saidIn(answer)
  assert.ok(said.length > 20, answer)
  const secrets = [PROMPT, 'chungwa', said, said.slice(0, 20), key, accountId, shared.models.apiKey]
  for (const secret of [...secrets, '127.0.0.1', '@']) {
    assert.ok(!bytes.includes(secret), secret)
  }
})

function byStart(a: ReceivedSpan, b: ReceivedSpan): number {
  return Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano))
}

test('without traces a caller’s traceparent still reaches the upstream, and nonsense does not', async () => {
  const service = await startService(env)
  const { key } = await newCustomer(service.url, { db, dataDir: shared.folder }, '1000')
  for (const [sent, passed] of [
    [TRACEPARENT, TRACEPARENT],
    ['00-1234', undefined],
    [`00-${'0'.repeat(32)}-${CALLER.span}-01`, undefined],
    ['', undefined],
  ] as const) {
    shared.models.log.clear()
    await chat(service.url, key, { traceparent: sent })
    const [entry] = shared.models.log.find({ route: '/chat/completions' })
    assert.equal(entry!.headers.traceparent, passed)
  }
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test('a receiver that is away, or takes everything and never answers, holds up nothing', async () => {
  const silent = await startOtlp(() => {})
  receivers.push(silent)
  const away = `http://127.0.0.1:${await freePort()}`
  for (const endpoint of [silent.url, away]) {
    const service = await startService({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const { key } = await newCustomer(service.url, { db, dataDir: shared.folder }, '1000')
    for (let i = 0; i < 20; i++) assert.match(await chat(service.url, key), /\[DONE\]/)
    service.kill('SIGTERM')
    // The exporter by itself would wait for an answer, and try again.
    assert.equal(await service.ended, 0)
  }
  assert.ok(silent.bodies.length > 0, 'it was sent something')
})
