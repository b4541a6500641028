import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { BEFORE_THE_STREAM, BROKEN_STREAMS } from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { noHolds } from '../../support/money/no-holds.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('100')
})
after(() => app.close())
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

function open(more: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/hekima',
      messages: [{ role: 'user', content: 'Habari, nieleze kuhusu Kilimanjaro.' }],
      stream: true,
      ...more,
    }),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function events(answer: Response): Promise<{ data: Loose[]; done: boolean; text: string }> {
  const text = await answer.text()
  const lines = text.split('\n\n').filter((line) => line.startsWith('data: '))
  const done = lines.at(-1) === 'data: [DONE]'
  const data = lines.filter((line) => line !== 'data: [DONE]').map((l) => JSON.parse(l.slice(6)))
  return { data, done, text }
}

const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const lastRecord = async () =>
  (await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data[0]

test('a stream: our names on every chunk, one end, settled before it is sent', async () => {
  const start = await balance()
  const answer = await open()
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
  assert.match(answer.headers.get('x-request-id')!, /^req_/)
  const { data, done } = await events(answer)
  assert.ok(done)
  assert.ok(data.length > 3)
  assert.equal(new Set(data.map((one) => one.id)).size, 1)
  for (const chunk of data) {
    assert.equal(chunk.object, 'chat.completion.chunk')
    assert.equal(chunk.model, 'sim/hekima')
    assert.equal(chunk.usage ?? null, null)
    assert.equal(chunk.provider, undefined)
  }
  const record = await lastRecord()
  assert.equal(record.status, 'completed')
  const now = await balance()
  assert.equal(now.reserved_credits, 0)
  const spent = Math.round((start.balance_credits - now.balance_credits) * 1e6)
  assert.equal(spent, Math.round(record.cost_credits * 1e6))
  assert.ok(spent > 0)
})

test('the usage chunk comes last, and only when it is requested', async () => {
  const { data, done } = await events(await open({ stream_options: { include_usage: true } }))
  assert.ok(done)
  const last = data.at(-1)!
  assert.deepEqual(last.choices, [])
  assert.equal(last.usage.total_tokens, last.usage.prompt_tokens + last.usage.completion_tokens)
  const record = await lastRecord()
  assert.equal(record.total_tokens, last.usage.total_tokens)
})

for (const fault of BROKEN_STREAMS) {
  test(`${fault} after the first byte: reported in the stream, no [DONE], nothing charged`, async () => {
    const start = await balance()
    const answer = await open({ model: `sim/fault-${fault}` })
    if (answer.status === 200) {
      const { data, done } = await events(answer)
      assert.equal(done, false)
      assert.equal(data.at(-1)!.error.type, 'server_error')
      assert.ok(data.at(-1)!.error.code)
    } else {
      assert.equal(answer.status, 502)
    }
    await noHolds(app)
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

for (const [code, type] of [
  [429, 'rate_limit_exceeded'],
  [502, 'server_error'],
] as const) {
  test(`an error ${code} inside a stream has the type it would have outside`, async () => {
    app.models.fail({ fault: `stream-error-${code}`, times: 1, model: 'sim/hekima' })
    const { data, done } = await events(await open())
    const { error } = data.at(-1)!
    assert.equal(done, false)
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
    assert.equal(error.type, type)
    await noHolds(app)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

for (const [fault, status] of BEFORE_THE_STREAM) {
  test(`${fault} before the first byte: an ordinary ${status}`, async () => {
    const answer = await open({ model: `sim/fault-${fault}` })
    assert.equal(answer.status, status)
    assert.match(answer.headers.get('content-type')!, /^application\/json/)
    assert.ok(((await answer.json()) as Loose).error.message)
  })
}

test('a reader who leaves: upstream aborted, hold released, record cancelled, no charge', async () => {
  const start = await balance()
  const leave = new AbortController()
  app.models.log.clear()
  const answer = await open({ model: 'sim/fault-endless' }, leave.signal)
  const reader = answer.body!.getReader()
  await reader.read()
  leave.abort()
  await app.models.log.until({ route: '/chat/completions', outcome: 'left' })
  await noHolds(app)
  assert.deepEqual(await balance(), start)
  const record = await lastRecord()
  assert.equal(record.status, 'cancelled')
  assert.equal(record.cost_credits, 0)
})

test('a reader who leaves at any moment pays for all or for nothing', async () => {
  for (let i = 0; i < 20; i++) {
    const leave = new AbortController()
    const opened = open({}, leave.signal).then((answer) => answer.text())
    setTimeout(() => leave.abort(), Math.random() * 60)
    await opened.catch(() => {})
  }
  // One more, to its end: by then all that were left have been read.
  await (await open()).text()
  await noHolds(app)
})
