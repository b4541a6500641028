import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { startApp } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import type { Loose } from '../../support/loose.ts'
import {
  AT_ONCE,
  finish,
  piece,
  scriptedModel,
  usage,
} from '../../support/models/scripted-model.ts'
import { watch } from '../../support/money/paid.ts'
import { openSocket, refusedUpgrade } from '../../support/peers/response-socket.ts'

/* Responses over a WebSocket: every message a call of its own, paid before its last event. */

type App = Awaited<ReturnType<typeof startApp>>
let model: Awaited<ReturnType<typeof scriptedModel>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  model = await scriptedModel()
  app = await startApp({ upstream: model.entry('openai') })
  asha = await app.customer('100')
})
after(async () => {
  await app.close()
  await model.close()
})

const open = (key = asha.key) => openSocket(app.url, key)
const statuses = (records: { status: string }[]) => records.map(({ status }) => status)
const asked = { input: AT_ONCE, store: false }

test('two responses on one connection, each charged before its last event', async () => {
  const client = await open()
  const { records } = await watch(app, asha.accountId).during(async () => {
    for (const input of [AT_ONCE, `${AT_ONCE} Tena.`]) {
      const start = client.frames.length
      const { response } = await client.create({ input })
      const [row] = await app.db.query('select count(*)::int as open from holds')
      assert.equal(row!.open, 0)
      assert.equal(response.output[0].content[0].text, 'Nzuri')
      const own = client.frames.slice(start)
      assert.deepEqual(
        own.map(({ sequence_number }) => sequence_number),
        own.map((_, i) => i),
      )
      assert.match(own[0]!.request_id, /^req_/)
    }
  })
  assert.deepEqual(statuses(records), ['completed', 'completed'])
  client.socket.close()
  assert.equal((await client.closed).code, 1005)
})

test('what is not stored goes on by its id on the same connection, and on no other', async () => {
  const client = await open()
  const say = async (input: string, previous_response_id?: string) => {
    const more = { input, previous_response_id, store: false }
    client.send({ type: 'response.create', model: 'lab/mto', ...more })
    return model.next()
  }
  const opening = await say('Habari ya leo?')
  opening.send(piece('Nzuri'), finish(), usage(2))
  opening.done()
  const first = await client.ended()
  assert.equal(first.response.store, false)
  const stream = await say('Na kesho?', first.response.id)
  const sent = JSON.parse(stream.request.body)
  assert.deepEqual(
    sent.messages.map(({ role, content }: Loose) => [role, content]),
    [
      ['user', 'Habari ya leo?'],
      ['assistant', 'Nzuri'],
      ['user', 'Na kesho?'],
    ],
  )
  stream.send(piece('Mvua'), finish(), usage(2))
  stream.done()
  const second = await client.ended()
  assert.equal(second.type, 'response.completed', JSON.stringify(second))
  const other = await open()
  const refused = await other.create({ ...asked, previous_response_id: second.response.id })
  assert.deepEqual(
    [refused.type, refused.status, refused.error.code, refused.error.param],
    ['error', 400, 'previous_response_not_found', 'previous_response_id'],
  )
  // The connection serves the next message all the same.
  assert.equal((await other.create(asked)).type, 'response.completed')
  client.socket.close()
  other.socket.close()
})

test('only the latest response of a stream is kept, and none whose continuation failed', async () => {
  const client = await open()
  const first = await client.create({ ...asked, stream_id: 'a' })
  assert.equal(first.stream_id, 'a')
  const second = await client.create({ ...asked, stream_id: 'a' })
  const gone = await client.create({ ...asked, previous_response_id: first.response.id })
  assert.equal(gone.error.code, 'previous_response_not_found')
  const unknown = { ...asked, previous_response_id: second.response.id, model: 'lab/none' }
  assert.equal((await client.create(unknown)).status, 404)
  const evicted = await client.create({ ...unknown, model: 'lab/mto' })
  assert.equal(evicted.error.code, 'previous_response_not_found')
  client.socket.close()
})

test('a response that is prepared costs nothing, and is continued', async () => {
  const client = await open()
  const { records } = await watch(app, asha.accountId).during(async () => {
    const { response } = await client.create({ ...asked, input: 'Habari', generate: false })
    assert.deepEqual([response.status, response.output], ['completed', []])
    const streaming = model.next()
    const previous_response_id = response.id
    client.send({ type: 'response.create', model: 'lab/mto', input: [], previous_response_id })
    const stream = await streaming
    assert.equal(JSON.parse(stream.request.body).messages[0].content, 'Habari')
    stream.send(piece('Nzuri'), finish(), usage(2))
    stream.done()
    const next = await client.ended()
    // It is stored with all that was said.
    const path = `GET /v1/responses/${next.response.id}/input_items`
    const { body } = await app.call(path, { token: asha.key })
    assert.equal(body.data[0].content[0].text, 'Habari')
  })
  assert.deepEqual(statuses(records), ['completed'])
  client.socket.close()
})

test('streams are worked at beside one another, each in its order', async () => {
  const client = await open()
  const streams = [model.next(), model.next()]
  const create = (stream_id: string, input: string) =>
    client.send({ type: 'response.create', model: 'lab/mto', input, store: false, stream_id })
  create('a', 'Moja')
  create('a', AT_ONCE)
  create('b', 'Mbili')
  const [a, b] = await Promise.all(streams)
  b!.send(piece('B'), finish(), usage(1))
  b!.done()
  assert.equal((await client.ended()).stream_id, 'b')
  assert.ok(client.frames.every(({ stream_id }) => stream_id !== undefined))
  a!.send(piece('A'), finish(), usage(1))
  a!.done()
  assert.equal((await client.ended()).response.output[0].content[0].text, 'A')
  assert.equal((await client.ended()).response.output[0].content[0].text, 'Nzuri')
  client.socket.close()
})

test('a cancelled response is let go like one that was left; what waits behind it is served', async () => {
  const client = await open()
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const streaming = model.next()
    client.send({ type: 'response.create', model: 'lab/mto', input: 'Habari', store: false })
    const stream = await streaming
    client.send({ type: 'response.create', model: 'lab/mto', input: 'Baadaye', store: false })
    stream.send(piece('Jibu'))
    const { response } = await client.until('response.created')
    await client.until('response.output_text.delta')
    const following = model.next()
    client.send({ type: 'response.cancel', response_id: response.id })
    const cancelled = await client.ended()
    assert.deepEqual(
      [cancelled.type, cancelled.status, cancelled.error.code],
      ['error', 409, 'response_cancelled'],
    )
    await stream.closed
    const next = await following
    client.send({ type: 'response.cancel' })
    assert.equal((await client.ended()).error.code, 'response_cancelled')
    await next.closed
  })
  assert.deepEqual(statuses(records), ['cancelled', 'cancelled'])
  assert.equal(spent, 0)
  client.send({ type: 'response.cancel', response_id: 'resp_1' })
  assert.equal((await client.ended()).status, 404)
  assert.equal((await client.create(asked)).type, 'response.completed')
  client.socket.close()
})

test('a client that vanishes is not charged, and its upstream is let go', async () => {
  const client = await open()
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const streaming = model.next()
    client.send({ type: 'response.create', model: 'lab/mto', input: 'Habari', store: false })
    const stream = await streaming
    stream.send(piece('Jibu'))
    await client.until('response.output_text.delta')
    client.socket.terminate()
    await stream.closed
  })
  assert.deepEqual(statuses(records), ['cancelled'])
  assert.equal(spent, 0)
  await eventually('nothing runs', () => app.rooms.server.context.running.count === 0)
})

test('an upstream that breaks off ends the response, not the connection', async () => {
  const client = await open()
  const { records } = await watch(app, asha.accountId).during(async () => {
    const streaming = model.next()
    client.send({ type: 'response.create', model: 'lab/mto', input: 'Habari', store: false })
    const stream = await streaming
    stream.send(piece('Jibu'))
    await client.until('response.output_text.delta')
    stream.reset()
    assert.equal((await client.ended()).type, 'response.failed')
  })
  assert.deepEqual(statuses(records), ['failed'])
  assert.equal((await client.create(asked)).type, 'response.completed')
  client.socket.close()
})

const wrong: [string, string, string | null][] = [
  ['no JSON', '{"type":', null],
  ['not an object', '[]', null],
  ['null', 'null', null],
  ['no type', '{}', 'type'],
  ['another type', '{"type":"response.steer"}', 'type'],
  ['no model', '{"type":"response.create","input":"x"}', 'model'],
  ['model null', '{"type":"response.create","model":null}', 'model'],
  ['no input', '{"type":"response.create","model":"lab/mto"}', 'input'],
  ['stream_id a number', '{"type":"response.cancel","stream_id":3}', 'stream_id'],
  ['stream_id too long', `{"type":"response.cancel","stream_id":"${'x'.repeat(65)}"}`, 'stream_id'],
  [
    'in the background',
    '{"type":"response.create","model":"lab/mto","input":"x","background":true}',
    'background',
  ],
  ['nested', `{"type":"response.create","a":${'['.repeat(100)}${']'.repeat(100)}}`, null],
]
test('a bad message is refused by its field, and the next one is served', async () => {
  const client = await open()
  for (const [name, text, param] of wrong) {
    client.socket.send(text)
    const { type, status, error } = await client.ended()
    assert.deepEqual([type, status, error.param], ['error', 400, param], name)
    assert.equal(error.type, 'invalid_request_error')
  }
  client.socket.send(Buffer.from('{}'))
  assert.match((await client.ended()).error.message, /text/)
  assert.equal((await client.create(asked)).type, 'response.completed')
  client.socket.close()
})

test('402 fails the response, 404 is an error; a key that is revoked ends the connection', async () => {
  const poor = await open((await app.customer('0')).key)
  const unpaid = await poor.create(asked)
  assert.equal(unpaid.type, 'response.failed')
  assert.match(unpaid.response.error.message, /credits/)
  assert.equal((await poor.create({ ...asked, model: 'lab/none' })).error.code, 'model_not_found')
  poor.socket.close()
  const juma = await app.customer('10')
  const client = await open(juma.key)
  assert.equal((await client.create(asked)).type, 'response.completed')
  const { body } = await app.call('GET /v1/api-keys', { token: juma.token })
  await app.call(`DELETE /v1/api-keys/${body.data[0].id}`, { token: juma.token })
  const refused = await eventually('the key is refused', async () => {
    const end = await client.create(asked)
    return end.type === 'error' && end
  })
  assert.equal(refused.status, 401)
  assert.equal((await client.closed).code, 1008)
})

test('a connection is opened with a bearer alone, at its address alone', async () => {
  const bearer = { authorization: `Bearer ${asha.key}` }
  const refusals: [string, Record<string, string>, number, RegExp][] = [
    ['/v1/responses', {}, 401, /Authorization/],
    ['/v1/responses', { 'x-api-key': asha.key }, 401, /Authorization/],
    ['/v1/responses', { cookie: `session=${asha.token}` }, 401, /Authorization/],
    ['/v1/responses', { authorization: 'Bearer mlg_no' }, 401, /./],
    ['/v1/responses', { ...bearer, origin: 'https://evil.example' }, 403, /origin/],
    ['/v1/chat/completions', bearer, 405, /does not allow GET/],
    ['/v1/realtime', bearer, 404, /nothing at this address/],
  ]
  for (const [path, headers, status, words] of refusals) {
    const refused = await refusedUpgrade(app.url, path, headers)
    assert.equal(refused.status, status, path)
    assert.match(JSON.stringify(refused.body), words)
  }
  const version = await fetch(`${app.url}/v1/responses`, { headers: bearer })
  assert.equal(version.status, 405)
})

test('a message over the limit closes the connection with words', async () => {
  const client = await open()
  client.send({ type: 'response.create', model: 'lab/mto', input: 'x'.repeat(14_500_001) })
  const { status, error } = await client.until('error')
  assert.deepEqual([status, error.code], [413, 'payload_too_large'])
  assert.equal((await client.closed).code, 1009)
  await eventually('its memory is given back', () => {
    const { capacity } = app.rooms.server.context
    return capacity.heldBytes === 0
  })
})

test("OpenAI's own client", async () => {
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: asha.key })
  const socket = new ResponsesWS(client)
  const texts: string[] = []
  socket.on('response.output_text.delta', ({ delta }) => texts.push(delta))
  const ended = new Promise<Loose>((done) => socket.on('response.completed', done))
  socket.send({ type: 'response.create', model: 'lab/mto', input: AT_ONCE })
  assert.equal((await ended).response.status, 'completed')
  assert.equal(texts.join(''), 'Nzuri')
  socket.close()
})
