import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { runChild } from '../../support/child.ts'
import { freshDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import type { Loose } from '../../support/loose.ts'
import { finish, piece, scriptedModel, usage } from '../../support/models/scripted-model.ts'
import { watch } from '../../support/money/paid.ts'

/* Responses that outlive their requests, and the process that works on them. */

type App = Awaited<ReturnType<typeof startApp>>
type Customer = Awaited<ReturnType<App['customer']>>

let model: Awaited<ReturnType<typeof scriptedModel>>
let databaseUrl: string
/** Begins its background jobs in the first test, when the other replica has died. */
let app: App
let asha: Customer

before(async () => {
  model = await scriptedModel()
  databaseUrl = await freshDatabase()
  const upstream = model.entry('openai')
  const first = await startApp({ databaseUrl, upstream })
  asha = await first.customer('1000000')
  await first.close()
  app = await startApp({ databaseUrl, upstream, jobs: false })
})
after(async () => {
  await app.close()
  await model.close()
})

const hello = (more: object = {}) => ({
  model: 'lab/mto',
  input: 'Habari?',
  background: true,
  ...more,
})
const respond = (body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  app.call('POST /v1/responses', { token: more.token ?? asha.key, body, ...more })
const call = (line: string, token = asha.key) => app.call(line, { token })

async function accepted(more: object = {}): Promise<string> {
  const { status, body } = await respond(hello(more))
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [body.status, body.background, body.store, body.output],
    ['queued', true, true, []],
  )
  return body.id as string
}

/** The response once it has this status. */
const ended = (id: string, status: string) =>
  eventually(`${id} is ${status}`, async () => {
    const { body } = await call(`GET /v1/responses/${id}`)
    return body.status === status && body
  })

function streamOf(path: string, body?: object, { url = app.url, token = asha.key } = {}) {
  return fetch(url + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
}

/** The events of a whole stream, which ends with [DONE]. */
function eventsIn(text: string): Loose[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'))
  assert.equal(frames.pop(), 'data: [DONE]')
  return frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)))
}
const types = (events: Loose[]) => events.map(({ type }) => type.replace('response.', ''))

async function said(answer: Promise<Response>): Promise<Loose[]> {
  const response = await answer
  assert.equal(response.status, 200)
  return eventsIn(await response.text())
}

/** Answers the next stream that the model is asked for. */
async function answerNext(text = 'Nzuri') {
  const stream = await model.next()
  stream.send(piece(text), finish(), usage(2))
  stream.done()
}

const unpaid = async () => {
  const [row] = (await app.db.query(
    'select coalesce(sum(worth_micro), 0)::int8 as micro from unpaid_work where account_id = $1',
    [asha.accountId],
  )) as [{ micro: bigint }]
  return row.micro
}

test('kill -9: it is asked again and charged once; of what was seen begun, its readers are told', async () => {
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const id = await accepted()
    const { body: balance } = await call('GET /v1/billing/balance')
    assert.ok(balance.data.reserved_credits > 0, 'its hold waits with it')
    const entry = JSON.stringify(model.entry('openai'))
    const file = 'test/gateway/responses/children/response-process.ts'
    const child = runChild(file, [databaseUrl, entry])
    const first = await model.next()
    first.send(piece('Nusu'))
    const seen = said(streamOf('/v1/responses', hello({ stream: true })))
    const second = await model.next()
    second.send(piece('Nusu'))
    await eventually('a reader has seen of it', async () => {
      const rows = await app.db.query(`select from response_events where first + count > 3`)
      return rows.length > 0
    })
    child.kill('SIGKILL')
    await child.ended
    assert.equal((await call(`GET /v1/responses/${id}`)).body.status, 'in_progress')
    // As if the time of its lease had passed.
    await app.db.query('update background_responses set lease_until = now()')
    app.rooms.begin()
    await answerNext()
    const { output } = await ended(id, 'completed')
    assert.equal(output[0].content[0].text, 'Nzuri')
    const events = await seen
    assert.deepEqual(types(events).slice(0, 4), [
      'created',
      'queued',
      'in_progress',
      'output_item.added',
    ])
    assert.equal(events.at(-1)!.type, 'response.failed')
    assert.equal(events.at(-1)!.response.error.code, 'server_error')
    const shown = await call(`GET /v1/responses/${events[0]!.response.id}`)
    assert.equal(shown.body.status, 'failed')
  })
  assert.deepEqual(records.map(({ status }) => status).toSorted(), ['completed', 'failed'])
  assert.ok(spent > 0)
  assert.ok((await unpaid()) > 0n, 'what was lost is counted')
})

test('its events are followed and read again, from any number, on any replica', async () => {
  const { spent } = await watch(app, asha.accountId).during(async () => {
    const following = said(streamOf('/v1/responses', hello({ stream: true })))
    const stream = await model.next()
    stream.send(piece('Ha'))
    await eventually('its first word is kept', async () => {
      const rows = await app.db.query(
        `select from response_events where convert_from(events, 'utf8') like '%"delta":"Ha"%'`,
      )
      return rows.length > 0
    })
    stream.send(piece('bari'), finish(), usage(2))
    stream.done()
    const events = await following
    assert.deepEqual(types(events), [
      'created',
      'queued',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    assert.deepEqual(
      events.map(({ sequence_number: n }) => n),
      events.map((_, i) => i),
    )
    assert.deepEqual(
      [events[0]!.response.status, events[2]!.response.status],
      ['queued', 'in_progress'],
    )
    const { response } = events.at(-1)!
    const path = `/v1/responses/${response.id}`
    assert.deepEqual((await call(`GET ${path}`)).body, response)
    const other = await startApp({ databaseUrl, upstream: model.entry('openai'), jobs: false })
    try {
      const { url } = other
      assert.deepEqual(await said(streamOf(`${path}?stream=true`, undefined, { url })), events)
      for (const after of [0, 4, 9]) {
        const rest = await said(streamOf(`${path}?stream=true&starting_after=${after}`))
        assert.deepEqual(rest, events.slice(after + 1))
      }
    } finally {
      await other.close()
    }
    // Its process may die before the last events are kept.
    await app.db.query('delete from response_events where response_id = $1 and first > 2', [
      response.id,
    ])
    const rest = await said(streamOf(`${path}?stream=true&starting_after=2`))
    assert.deepEqual(rest.at(-1)!.response, response)
    const next = await respond(hello({ background: false, previous_response_id: response.id }))
    assert.equal(next.status, 200)
  })
  assert.ok(spent > 0)
})

test('one that is cancelled is not charged, and counted as a call that was left', async () => {
  const before = await unpaid()
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const id = await accepted()
    const stream = await model.next()
    stream.send(piece('Habari za asubuhi'))
    const cancelled = await call(`POST /v1/responses/${id}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    await stream.closed
    const stranger = await app.customer('1')
    for (const line of [`GET /v1/responses/${id}`, `DELETE /v1/responses/${id}`]) {
      assert.equal((await call(line, stranger.key)).status, 404, line)
    }
    const again = await call(`POST /v1/responses/${id}/cancel`)
    assert.deepEqual(again.body, cancelled.body)
    assert.deepEqual((await call(`GET /v1/responses/${id}`)).body, cancelled.body)
    const next = await respond(hello({ previous_response_id: id }))
    assert.equal(next.body.error.code, 'previous_response_not_found')
  })
  assert.deepEqual([records.map(({ status }) => status), spent], [['cancelled'], 0])
  assert.ok((await unpaid()) > before)
})

test('one that is deleted is cancelled, and leaves nothing', async () => {
  const { spent } = await watch(app, asha.accountId).during(async () => {
    const id = await accepted()
    const stream = await model.next()
    const gone = await call(`DELETE /v1/responses/${id}`)
    assert.deepEqual(gone.body, { id, object: 'response', deleted: true })
    await stream.closed
    for (const line of [
      `GET /v1/responses/${id}`,
      `POST /v1/responses/${id}/cancel`,
      `DELETE /v1/responses/${id}`,
    ]) {
      assert.equal((await call(line)).status, 404, line)
    }
  })
  assert.equal(spent, 0)
})

test('an account that is suspended has nothing running', async () => {
  const juma = await app.customer('1000')
  const { status } = await respond(hello(), { token: juma.key })
  assert.equal(status, 200)
  const stream = await model.next()
  const { spent } = await watch(app, juma.accountId).during(async () => {
    await app.db.query(`update accounts set status = 'suspended' where id = $1`, [juma.accountId])
    await stream.closed
  })
  assert.equal(spent, 0)
})

test('what is handed over to another replica keeps its hold, and is charged once', async () => {
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const id = await accepted()
    const stream = await model.next()
    stream.send(piece('Nusu'))
    // As if another replica had claimed it.
    await app.db.query('update background_responses set lease = gen_random_uuid() where id = $1', [
      id,
    ])
    await stream.closed
    assert.equal((await call(`GET /v1/responses/${id}`)).body.status, 'in_progress')
    await app.db.query('update background_responses set lease_until = now() where id = $1', [id])
    await answerNext('Yote')
    const { output } = await ended(id, 'completed')
    assert.equal(output[0].content[0].text, 'Yote')
  })
  assert.deepEqual(
    records.map(({ status }) => status),
    ['completed'],
  )
  assert.ok(spent > 0)
})

test('one that fails says why, and is not charged', async () => {
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const id = await accepted()
    const stream = await model.next()
    stream.send(piece('Nusu'))
    stream.reset()
    const failed = await ended(id, 'failed')
    assert.deepEqual([failed.error.code, failed.output], ['server_error', []])
  })
  assert.deepEqual([records.map(({ status }) => status), spent], [['failed'], 0])
})

test('a retry with its Idempotency-Key finds the same response', async () => {
  const headers = { 'idempotency-key': 'background-1' }
  const first = await respond(hello(), { headers })
  const again = await respond(hello(), { headers })
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.body, first.body)
  await answerNext()
  await ended(first.body.id, 'completed')
})

test('what cannot run in the background is refused before anything is held', async () => {
  const poor = await app.customer('0')
  assert.equal((await respond(hello(), { token: poor.key })).status, 402)
  for (const [body, param] of [
    [hello({ store: false }), 'background'],
    [hello({ background: 'yes' }), 'background'],
    [hello({ input: 'x'.repeat(1_000_001) }), 'background'],
    [hello({ instructions: 'x'.repeat(2_000_000) }), 'background'],
    [hello({ model: undefined }), 'model'],
    [hello({ input: [null] }), 'input[0]'],
  ]) {
    const { status, body: answer } = await respond(body)
    assert.deepEqual([status, answer.error.param], [400, param])
  }
  const { id } = (await respond(hello({ background: false }))).body
  for (const line of [`POST /v1/responses/${id}/cancel`, `GET /v1/responses/${id}?stream=true`]) {
    assert.equal((await call(line)).status, 400, line)
  }
  const stranger = await app.customer('1')
  const none = `resp_${'x'.repeat(24)}`
  for (const [line, token] of [
    [`POST /v1/responses/${none}/cancel`, asha.key],
    [`GET /v1/responses/${none}?stream=true`, asha.key],
    [`POST /v1/responses/${id}/cancel`, stranger.key],
    [`GET /v1/responses/${id}?stream=true`, stranger.key],
  ] as const) {
    assert.equal((await call(line, token)).status, 404, line)
  }
})
