import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import OpenAI from 'openai'
import { measureJson } from '../../../src/gateway/price/prompt-size.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import type { Loose } from '../../support/loose.ts'
import { FAULTS, TYPES } from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('100')
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const hello = (more: object = {}) => ({
  model: 'sim/hekima',
  messages: [{ role: 'user', content: 'Habari ya asubuhi!' }],
  ...more,
})
const chat = (body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  app.call('POST /v1/chat/completions', { token: more.token ?? asha.key, body, ...more })
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const records = async () =>
  (await app.call('GET /v1/activity', { token: asha.token })).body.data as Loose[]

test('200: a completion in the compatible shape, charged to the microcredit', async () => {
  const before = await balance()
  const answer = await chat(hello())
  assert.equal(answer.status, 200)
  const { body, headers } = answer
  assert.match(body.id, /^chatcmpl-[0-9A-Za-z]{24}$/)
  assert.equal(body.object, 'chat.completion')
  assert.equal(body.model, 'sim/hekima')
  assert.equal(body.choices[0].message.role, 'assistant')
  assert.equal(body.choices[0].finish_reason, 'stop')
  assert.equal(body.usage.cost, undefined)
  assert.equal(body.provider, undefined)
  const { prompt_tokens: p, completion_tokens: c, prompt_tokens_details: d } = body.usage
  const cached = d?.cached_tokens ?? 0
  // USD per token × 3,000 credits, in microcredits: exact, so integers.
  const micro = Math.ceil((p - cached) * 7_500 + cached * 750 + c * 30_000)
  assert.equal(Number(headers.get('x-credits-charged')), micro / 1e6)
  const now = await balance()
  assert.equal(Number(headers.get('x-credits-remaining')), now.available_credits)
  assert.equal(Math.round((before.balance_credits - now.balance_credits) * 1e6), micro)
  assert.equal(now.reserved_credits, 0)
  assert.match(headers.get('x-request-id')!, /^req_/)
  assert.ok(headers.get('x-ratelimit-limit-requests'))
  const [record] = await records()
  assert.equal(record!.model, 'sim/hekima')
  assert.equal(record!.status, 'completed')
  assert.equal(record!.kind, 'chat')
  assert.equal(record!.cost_credits, micro / 1e6)
  assert.equal(record!.prompt_tokens, p)
})

test('200: any form of the id; the JWT too, and then without a workspace', async () => {
  for (const model of ['sim/sim/hekima-mini', 'sim:sim/hekima-mini']) {
    assert.equal((await chat(hello({ model }))).body.model, 'sim/hekima-mini')
  }
  assert.equal((await chat(hello(), { token: asha.token })).status, 200)
  assert.equal((await records())[0]!.workspace_id, undefined)
})

test('200: a free model costs nothing, even for an empty account', async () => {
  const poor = await app.customer('0')
  const answer = await chat(hello({ model: 'sim/hekima-mini:free' }), { token: poor.key })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('x-credits-charged'), '0')
})

test('200: what is not on the list of what passes is left out and named; names are hashes', async () => {
  const foreign = { route: 'x', preset: 'p', my_field: { a: 1 }, provider: { only: ['y'] } }
  const own = { user: 'me', session_id: 's', prompt_cache_key: 's' }
  const named = 'route, preset, my_field, provider.only'
  const asked = hello({ ...foreign, ...own, temperature: 0.3 })
  const sent = async (key: string) => {
    const answer = await chat(asked, { token: key })
    assert.equal(answer.headers.get('x-ignored-parameters'), named)
    return app.models.log.entries.at(-1)!.body as Loose
  }
  const first = await sent(asha.key)
  for (const name in foreign) assert.equal(first[name], undefined)
  assert.equal(first.temperature, 0.3)
  const hashes = [first.user, first.session_id]
  for (const hash of hashes) assert.match(hash, /^[0-9a-f]{32}$/)
  assert.equal(new Set(hashes).size, 2)
  assert.equal(first.prompt_cache_key, first.session_id)
  // The same conversation is found again; that of another account never.
  const streamed = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...asked, stream: true }),
  })
  assert.equal(streamed.headers.get('x-ignored-parameters'), named)
  await streamed.text()
  const { session_id: again } = app.models.log.entries.at(-1)!.body as Loose
  assert.equal(again, first.session_id)
  const juma = await app.customer('100')
  assert.notEqual((await sent(juma.key)).session_id, first.session_id)
  const plain = await chat(hello(), { token: asha.key })
  assert.equal(plain.headers.get('x-ignored-parameters'), null)
})

test('a custom tool: a function for the model, free text for the client, whole and streamed', async () => {
  const tool = { type: 'custom', custom: { name: 'andika', description: 'Writes.' } }
  const fn = { type: 'function', function: { name: 'soma', parameters: { type: 'object' } } }
  const choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool] } }
  const asked = hello({ tools: [fn, tool], tool_choice: choice })
  const start = await balance()
  const { body, headers } = await chat(asked)
  const [call] = body.choices[0].message.tool_calls
  assert.deepEqual([call.type, call.custom.name], ['custom', 'andika'])
  assert.match(call.custom.input, /^Habari/)
  const sent = app.models.log.entries.at(-1)!.body as Loose
  assert.deepEqual([sent.tools.length, sent.tools[0].function.name], [1, 'andika'])
  assert.equal(sent.tool_choice, 'required')
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: asha.key, maxRetries: 0 })
  const stream = client.chat.completions.stream({ ...asked, stream: true } as never)
  const streamed: Loose = await stream.finalChatCompletion()
  assert.equal(streamed.choices[0].message.tool_calls[0].custom.input, call.custom.input)
  const messages = [
    ...asked.messages,
    body.choices[0].message,
    { role: 'tool', tool_call_id: call.id, content: 'Imeandikwa' },
  ]
  const done = await chat({ ...asked, messages })
  assert.match(done.body.choices[0].message.content, /Imeandikwa/)
  const [first] = (app.models.log.entries.at(-1)!.body as Loose).messages[1].tool_calls
  assert.deepEqual(JSON.parse(first.function.arguments), { input: call.custom.input })
  const spent = (start.balance_credits - (await balance()).balance_credits) * 1e6
  const usd = app.models.log.entries.slice(-3).reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  assert.equal(Math.round(spent), Math.round(usd * 3e9))
  assert.ok(Number(headers.get('x-credits-charged')) > 0)
})

const ALLOWED = 'tool_choice.allowed_tools'
const invalid: [string, unknown, string | null][] = [
  ['no model', { messages: [{ role: 'user', content: 'x' }] }, 'model'],
  ['no messages', { model: 'sim/hekima' }, 'messages'],
  ['messages empty', hello({ messages: [] }), 'messages'],
  ['messages an object', hello({ messages: {} }), 'messages'],
  ['message null', hello({ messages: [null] }), 'messages[0]'],
  ['stream as text', hello({ stream: 'true' }), 'stream'],
  ['max_tokens 0', hello({ max_tokens: 0 }), 'max_tokens'],
  ['max_tokens as text', hello({ max_tokens: '5' }), 'max_tokens'],
  ['max_tokens 2^53', hello({ max_tokens: 2 ** 53 }), 'max_tokens'],
  ['n a billion', hello({ n: 1e9 }), 'n'],
  ['server tool', hello({ tools: [{ type: 'web_search' }] }), 'tools[0].type'],
  ['a custom tool without a name', hello({ tools: [{ type: 'custom' }] }), 'tools[0].custom.name'],
  ['a choice of none', hello({ tool_choice: { type: 'allowed_tools' } }), `${ALLOWED}.mode`],
  ['not an object', '[]', null],
  ['broken JSON', '{"model":', null],
]
for (const [name, body, param] of invalid) {
  test(`400: ${name}`, async () => {
    const answer = await chat(body)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.type, 'invalid_request_error')
    if (param !== null) assert.equal(answer.body.error.param, param)
  })
}

test('400: an image for a model that does not accept images, before any upstream is called', async () => {
  app.models.log.clear()
  const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const answer = await chat(hello({ messages: [{ role: 'user', content: [part] }] }))
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error.code, 'model_capability')
  assert.equal(app.models.log.count(), 0)
})

test('401, 402, 404, 405, 413', async () => {
  assert.equal((await chat(hello(), { token: 'mlg_nonsense' })).body.error.code, 'invalid_api_key')
  const poor = await app.customer('0')
  app.models.log.clear()
  const broke = await chat(hello(), { token: poor.key })
  assert.equal(broke.status, 402)
  assert.equal(broke.body.error.code, 'insufficient_quota')
  assert.equal(app.models.log.count(), 0)
  for (const model of ['sim/none', 'sim/otomatiki', '../../x', 'a'.repeat(200)]) {
    const missing = await chat(hello({ model }))
    assert.equal(missing.status, 404)
    assert.equal(missing.body.error.code, 'model_not_found')
  }
  const wrong = await app.call('GET /v1/chat/completions', { token: asha.key })
  assert.equal(wrong.status, 405)
  const large = await chat(hello({ filler: 'x'.repeat(14_500_000) }))
  assert.equal(large.status, 413)
  assert.equal(large.body.error.code, 'payload_too_large')
})

for (const [fault, status] of FAULTS) {
  test(`fault ${fault}: ${status}, nothing charged, the record says failed`, async () => {
    const before = await balance()
    const answer = await chat(hello({ model: `sim/fault-${fault}` }))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, TYPES.get(status))
    assert.doesNotMatch(JSON.stringify(answer.body), /simulator|127\.0\.0\.1|sim-key|openrouter/i)
    assert.deepEqual(await balance(), before)
    const [record] = await records()
    assert.equal(record!.status, 'failed')
    assert.equal(record!.cost_credits, 0)
    if (status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  })
}

test('what the model refuses is told in its reason, without a name of who refused it', async () => {
  const answer = await chat(hello({ model: 'sim/fault-bad-field' }))
  assert.equal(answer.status, 502)
  assert.equal(answer.headers.get('x-should-retry'), 'false')
  assert.deepEqual(answer.body.error, {
    message:
      "The model did not accept this request: Invalid value for 'messages[0].content' at … " +
      '(request …, key …): expected a string. See …',
    type: 'server_error',
    param: 'messages[0].content',
    code: 'upstream_rejected',
    metadata: { error_type: 'invalid_request_error' },
  })
  const long = await chat(hello({ model: 'sim/fault-context-length' }))
  assert.equal(long.body.error.code, 'context_length_exceeded')
  assert.match(
    long.body.error.message,
    /prompt is too long.*is longer than the model's context length/,
  )
})

const usages: [string, boolean][] = [
  ['usage-missing', true],
  ['usage-zero', false],
  ['usage-negative', true],
  ['usage-string', true],
  ['usage-huge', true],
]
for (const [fault, estimated] of usages) {
  test(`usage: ${fault}`, async () => {
    const body = hello({ model: `sim/fault-${fault}` })
    const answer = await chat(body)
    assert.equal(answer.status, 200)
    // Three bytes a token and 8 of framing, at 0.0075 credits; the answer at 0.03.
    const answerBytes = Buffer.byteLength(answer.body.choices[0].message.content)
    const promptTokens = Math.ceil(measureJson(body).bytes / 3) + 8
    const micro = estimated ? promptTokens * 7_500 + Math.ceil(answerBytes / 3) * 30_000 : 0
    assert.equal(Number(answer.headers.get('x-credits-charged')), micro / 1e6)
    const [row] = await app.db.query(
      'select estimated from activity_records order by created_at desc, id desc limit 1',
    )
    assert.equal(row!.estimated, estimated)
  })
}
