import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import OpenAI from 'openai'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import type { Loose } from '../../support/loose.ts'
import { startApp } from '../../support/app.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

/** Draws in conversation, and stands in no list of picture prices. */
const painter = {
  ...SIMULATED_MODELS.find(({ id }) => id === 'sim/picha-mazungumzo')!,
  id: 'sim/mchoraji',
  imageUsd: undefined as never,
}

before(async () => {
  app = await startApp({
    upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } },
    simulator: { faults: true, models: [painter] },
  })
  asha = await app.customer('100000')
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const wish = (more: object = {}) => ({ model: 'sim/picha', prompt: 'Mlima Kilimanjaro', ...more })
const draw = (body: unknown, headers: Record<string, string> = {}, token = asha.key) =>
  app.call('POST /v1/images/generations', { token, body, headers })
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const newest = async () =>
  ((await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data as Loose[])[0]!

test('200: images in the envelope, charged as the upstream charged', async () => {
  const before = await balance()
  const answer = await draw(wish({ n: 2, size: '64x32', seed: 7, user: 'me', plugins: [1] }))
  assert.equal(answer.status, 200)
  const { status, code, created, model, data, usage, request_id: requestId } = answer.body
  assert.deepEqual([status, code, model], ['success', 200, 'sim/picha'])
  assert.ok(Math.abs(created - Date.now() / 1_000) < 10)
  assert.equal(data.length, 2)
  for (const one of data) {
    assert.deepEqual(Object.keys(one), ['b64_json', 'media_type'])
    assert.equal(Buffer.from(one.b64_json, 'base64').toString('latin1', 1, 4), 'PNG')
    assert.equal(one.media_type, 'image/png')
  }
  // Two at $0.04 and 3,000 credits a dollar.
  assert.equal(usage.cost_credits, 240)
  assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens)
  assert.equal(usage.cost, undefined)
  assert.equal(answer.headers.get('x-credits-charged'), '240')
  assert.equal(answer.headers.get('x-request-id'), requestId)
  const now = await balance()
  assert.equal(before.balance_credits - now.balance_credits, 240)
  const record = await newest()
  assert.deepEqual([record.kind, record.status, record.cost_credits], ['image', 'completed', 240])
  const sent = app.models.log.find({ route: '/images' }).at(-1)!.body as Loose
  assert.deepEqual([sent.n, sent.size, sent.seed], [2, '64x32', 7])
  assert.equal(sent.plugins, undefined)
  assert.match(sent.user, /^[0-9a-f]{32}$/)
})

test('200: the openai SDK reads it unmodified', async () => {
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: asha.key })
  const answer = await client.images.generate({ model: 'sim/picha', prompt: 'Twiga', n: 1 })
  assert.equal(Buffer.from(answer.data![0]!.b64_json!, 'base64').toString('latin1', 1, 4), 'PNG')
  assert.ok(answer.created > 0)
  await assert.rejects(
    client.images.generate({ model: 'sim/hekima', prompt: 'Twiga' }),
    (error: unknown) =>
      error instanceof OpenAI.BadRequestError &&
      error.code === 'model_capability' &&
      /does not produce image/.test(error.message),
  )
})

test('200: a model that makes images only through chat', async () => {
  app.models.log.clear()
  const answer = await draw(wish({ model: 'sim/mchoraji', n: 3, aspect_ratio: '16:9' }))
  assert.equal(answer.status, 200)
  assert.equal(answer.body.data.length, 3)
  assert.equal(answer.body.data[0].media_type, 'image/png')
  assert.equal(app.models.log.count({ route: '/images' }), 0)
  const [sent, ...others] = app.models.log.find({ route: '/chat/completions' })
  assert.equal(others.length, 2)
  const body = sent!.body as Loose
  assert.deepEqual(body.modalities, ['image', 'text'])
  assert.deepEqual(body.image_config, { aspect_ratio: '16:9' })
  const costs = [sent!, ...others].map(({ cost }) => Number(cost) * 3_000)
  const cost = costs.reduce((sum, one) => sum + one, 0)
  assert.ok(Math.abs(answer.body.usage.cost_credits - cost) < 1e-5)
})

test('200: fewer images than requested are charged as the upstream charged', async () => {
  app.models.log.clear()
  app.models.fail({ fault: 'status-500', route: '/chat/completions', times: 1 })
  const answer = await draw(wish({ model: 'sim/mchoraji', n: 3 }))
  assert.equal(answer.status, 200)
  assert.equal(answer.body.data.length, 2)
  const entries = app.models.log.find({ route: '/chat/completions' })
  const cost = entries.reduce((sum, one) => sum + (one.cost ?? 0) * 3_000, 0)
  assert.ok(Math.abs(answer.body.usage.cost_credits - cost) < 1e-5)
})

test('200: usage that is missing or implausible is replaced by the catalog price', async () => {
  for (const fault of ['usage-missing', 'cost-huge', 'cost-negative']) {
    const answer = await draw(wish({ model: `sim/image-fault-${fault}`, n: 2 }))
    assert.equal(answer.status, 200, fault)
    assert.equal(answer.body.usage.cost_credits, 240, fault)
    const [row] = await app.db.query(
      'select estimated from activity_records order by created_at desc, id desc limit 1',
    )
    assert.equal(row!.estimated, true)
  }
  const nothing = await draw(wish({ model: 'sim/image-fault-usage-zero' }))
  assert.equal(nothing.body.usage.cost_credits, 0)
})

test('200 again: the same key gives the same bytes and no second charge', async () => {
  const headers = { 'idempotency-key': 'picha' }
  const first = await draw(wish(), headers)
  const before = await balance()
  const again = await draw(wish({ prompt: 'other' }), headers)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(await balance(), before)
})

test('400: the message names the wrong field, in both dialects', async () => {
  const bad: [object, string, string][] = [
    [{ prompt: 'x' }, 'model', 'validation_error'],
    [wish({ prompt: '' }), 'prompt', 'validation_error'],
    [wish({ n: 0 }), 'n', 'validation_error'],
    [wish({ n: 11 }), 'n', 'validation_error'],
    [wish({ n: '2' }), 'n', 'validation_error'],
    [wish({ response_format: 'url' }), 'response_format', 'validation_error'],
    [wish({ stream: true }), 'stream', 'validation_error'],
    [wish({ model: 'sim/hekima' }), 'model', 'invalid_request_error'],
    [
      wish({ input_references: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/x' } }] }),
      'input_references[0].image_url.url',
      'validation_error',
    ],
  ]
  for (const [body, param, code] of bad) {
    const answer = await draw(body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body.error_code, code)
    assert.equal(answer.body.error.param, param)
    assert.equal(answer.body.error.type, 'invalid_request_error')
  }
})

test('401, 402 before any upstream is called, 404, 413', async () => {
  assert.equal((await draw(wish(), {}, 'mlg_no')).status, 401)
  const poor = await app.customer('119.999999')
  app.models.log.clear()
  const broke = await draw(wish(), {}, poor.key)
  assert.equal(broke.status, 402)
  assert.equal(broke.body.error_code, 'insufficient_credits')
  assert.equal(app.models.log.count(), 0)
  assert.equal((await draw(wish({ model: 'sim/none' }))).body.error_code, 'not_found')
  assert.equal((await draw(wish({ filler: 'x'.repeat(5_000_000) }))).status, 413)
})

const faults: [string, number][] = [
  ['drop', 502],
  ['hang', 502],
  ['html', 502],
  ['bad-json', 502],
  ['other-shape', 502],
  ['429-7', 429],
  ['status-400', 502],
  ['status-402', 502],
  ['status-503', 503],
  ['content-policy', 400],
]
for (const [fault, status] of faults) {
  test(`fault ${fault}: ${status}, nothing charged`, async () => {
    const before = await balance()
    const answer = await draw(wish({ model: `sim/image-fault-${fault}` }))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.status, 'error')
    assert.equal(typeof answer.body.error.message, 'string')
    assert.doesNotMatch(JSON.stringify(answer.body), /simulator|127\.0\.0\.1|sim-key/i)
    assert.deepEqual(await balance(), before)
    assert.equal((await newest()).status, 'failed')
  })
}
