import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { BEFORE_THE_STREAM, BROKEN_STREAMS, TYPES } from '../../support/models/fault-table.ts'
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
  return fetch(`${app.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/hekima', input: 'Habari?', stream: true, ...more }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Each event under its own name, numbered from 0. */
async function events(answer: Response): Promise<Loose[]> {
  assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
  const frames = (await answer.text()).split('\n\n').slice(0, -1)
  return frames.map((frame, i) => {
    const [name, data] = frame.split('\n')
    const event: Loose = JSON.parse(data!.slice('data: '.length))
    assert.equal(name, `event: ${event.type}`)
    assert.equal(event.sequence_number, i)
    return event
  })
}

const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const lastRecord = async () =>
  (await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data[0]

test('a stream: one end, settled and kept before it is sent', async () => {
  const start = await balance()
  const all = await events(await open())
  assert.deepEqual(
    all.slice(0, 2).map(({ type }) => type),
    ['response.created', 'response.in_progress'],
  )
  const { type, response } = all.at(-1)!
  assert.equal(type, 'response.completed')
  assert.equal(all.filter((one) => one.response?.id === response.id).length, 3)
  const record = await lastRecord()
  const now = await balance()
  assert.equal(record.status, 'completed')
  assert.equal(response.usage.total_tokens, record.total_tokens)
  const spent = Math.round((start.balance_credits - now.balance_credits) * 1e6)
  assert.equal(spent, Math.round(record.cost_credits * 1e6))
  assert.ok(spent > 0)
  const kept = await app.call(`GET /v1/responses/${response.id}`, { token: asha.key })
  assert.deepEqual(kept.body, response)
  const text = all.filter((one) => one.type === 'response.output_text.delta')
  assert.equal(text.map(({ delta }) => delta).join(''), response.output.at(-1).content[0].text)
})

for (const fault of BROKEN_STREAMS) {
  test(`${fault} after the first byte: response.failed, nothing charged, nothing kept`, async () => {
    const start = await balance()
    const answer = await open({ model: `sim/fault-${fault}` })
    if (answer.status === 200) {
      const all = await events(answer)
      const { type, response } = all.at(-1)!
      assert.deepEqual([type, response.status], ['response.failed', 'failed'])
      assert.equal(response.error.code, 'server_error')
      assert.equal(
        (await app.call(`GET /v1/responses/${response.id}`, { token: asha.key })).status,
        404,
      )
    } else assert.equal(answer.status, 502)
    await noHolds(app)
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

for (const [fault, estimated] of [
  ['usage-missing', true],
  ['usage-with-choices', false],
] as const) {
  test(`${fault}: what is told is what was charged for`, async () => {
    const { response } = (await events(await open({ model: `sim/fault-${fault}` }))).at(-1)!
    const [row] = await app.db.query(
      `select estimated, prompt_tokens, completion_tokens from activity_records
       order by created_at desc, id desc limit 1`,
    )
    assert.equal(row!.estimated, estimated)
    const { input_tokens: p, output_tokens: c } = response.usage
    assert.deepEqual([Number(row!.prompt_tokens), Number(row!.completion_tokens)], [p, c])
  })
}

test('a limit inside a stream tells how long to wait', async () => {
  app.models.fail({ fault: 'stream-error-429', times: 1, model: 'sim/hekima' })
  const { response } = (await events(await open())).at(-1)!
  assert.equal(response.error.code, 'rate_limit_exceeded')
  assert.match(response.error.message, /try again in \d+s/)
})

for (const [fault, status] of BEFORE_THE_STREAM) {
  // It is told inside a stream: see below.
  if (fault === 'context-length') continue
  test(`${fault} before the first byte: an ordinary ${status}, nothing charged`, async () => {
    const start = await balance()
    const answer = await open({ model: `sim/fault-${fault}` })
    assert.equal(answer.status, status)
    assert.equal(((await answer.json()) as Loose).error.type, TYPES.get(status))
    await noHolds(app)
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

test('a conversation that is too long is told inside the stream: clients shorten it then', async () => {
  const start = await balance()
  const answer = await open({ model: 'sim/fault-context-length' })
  assert.equal(answer.status, 200)
  const all = await events(answer)
  assert.deepEqual(
    all.map(({ type }) => type),
    ['response.created', 'response.in_progress', 'response.failed'],
  )
  assert.equal(all.at(-1)!.response.error.code, 'context_length_exceeded')
  assert.deepEqual(await balance(), start)
  assert.equal((await lastRecord()).status, 'failed')
})

test('a reader who leaves: upstream aborted, nothing charged, nothing kept', async () => {
  const start = await balance()
  const leave = new AbortController()
  app.models.log.clear()
  const answer = await open({ model: 'sim/fault-endless' }, leave.signal)
  await answer.body!.getReader().read()
  leave.abort()
  await app.models.log.until({ route: '/chat/completions', outcome: 'left' })
  await noHolds(app)
  assert.deepEqual(await balance(), start)
  assert.equal((await lastRecord()).status, 'cancelled')
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
  // What is kept was paid for, and the reverse.
  const [row] = await app.db.query(
    `select (select count(*)::int from stored_responses) as kept,
       (select count(*)::int from activity_records where status = 'completed') as paid`,
  )
  assert.equal(row!.kept, row!.paid)
})
