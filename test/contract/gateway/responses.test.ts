import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { FAULTS, TYPES } from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'

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
  input: 'Habari ya asubuhi!',
  ...more,
})
const respond = (body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  app.call('POST /v1/responses', { token: more.token ?? asha.key, body, ...more })
const call = (line: string, token = asha.key) => app.call(line, { token })
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
/** `fetch` refuses to send these headers. */
function rawStatus(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((done, fail) => {
    const bearer = { authorization: `Bearer ${asha.key}`, ...headers }
    get(app.url + path, { headers: bearer }, (answer) => {
      answer.resume()
      done(answer.statusCode!)
    }).on('error', fail)
  })
}
const records = async () =>
  (await app.call('GET /v1/activity', { token: asha.token })).body.data as Loose[]
const sent = () => app.models.log.entries.at(-1)!.body as Loose

test('200: a response, charged as the chat that it is, to the microcredit', async () => {
  const start = await balance()
  const { status, body, headers } = await respond(hello({ metadata: { a: 'b' } }))
  assert.equal(status, 200)
  assert.match(body.id, /^resp_[0-9A-Za-z]{24}$/)
  assert.deepEqual(
    [body.object, body.status, body.model, body.error, body.incomplete_details, body.store],
    ['response', 'completed', 'sim/hekima', null, null, true],
  )
  assert.deepEqual(body.metadata, { a: 'b' })
  // Nothing that was sent was left out, and nothing else is named.
  assert.equal(headers.get('x-ignored-parameters'), null)
  const message = body.output.at(-1)
  assert.equal(message.id, `msg_${body.id.slice(5)}${body.output.length - 1}`)
  assert.match(message.content[0].text, /\w/)
  const { input_tokens: p, input_tokens_details: d, output_tokens: c } = body.usage
  const micro = (p - d.cached_tokens) * 7_500 + d.cached_tokens * 750 + c * 30_000
  assert.equal(body.usage.total_tokens, p + c)
  assert.equal(Number(headers.get('x-credits-charged')), micro / 1e6)
  const now = await balance()
  assert.equal(Math.round((start.balance_credits - now.balance_credits) * 1e6), micro)
  assert.equal(now.reserved_credits, 0)
  const [record] = await records()
  assert.deepEqual([record!.kind, record!.status], ['chat', 'completed'])
  assert.doesNotMatch(JSON.stringify(sent()), /store|metadata/)
})

test('200: a turn with two tools and their results', async () => {
  const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } })
  const tools = [tool('get_weather'), { type: 'web_search' }, tool('get_time')]
  const asked = await respond(hello({ tools, tool_choice: 'required', store: false }))
  const calls = asked.body.output.filter((item: Loose) => item.type === 'function_call')
  assert.ok(calls.length > 0)
  assert.match(calls[0].call_id, /^call_[0-9A-Za-z]{24}$/)
  const results = calls.map(({ call_id }: Loose) => ({
    type: 'function_call_output',
    call_id,
    output: '27',
  }))
  const input = [{ role: 'user', content: 'Hali ya hewa?' }, ...asked.body.output, ...results]
  const answered = await respond(hello({ tools, input, store: false }))
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  assert.equal(answered.body.output.at(-1).type, 'message')
  const { messages, tools: functions } = sent()
  assert.equal(messages.at(-1).tool_call_id, calls.at(-1).call_id)
  assert.equal(functions.length, 2)
})

test('a conversation goes on by the id of its last response', async () => {
  const first = await respond(hello({ instructions: 'Be short.' }))
  const second = await respond(hello({ input: 'Na kesho?', previous_response_id: first.body.id }))
  assert.equal(second.status, 200, JSON.stringify(second.body))
  assert.equal(second.body.previous_response_id, first.body.id)
  assert.deepEqual(
    sent().messages.map(({ role }: Loose) => role),
    ['user', 'assistant', 'user'],
  )
  const third = await respond(hello({ previous_response_id: second.body.id }))
  assert.equal(third.status, 200)
  assert.equal(sent().messages.length, 5)
})

test('items are referred to by their ids, as the AI SDK does', async () => {
  const first = await respond(hello())
  const reference = { type: 'item_reference', id: first.body.output.at(-1).id }
  const input = [{ role: 'user', content: 'x' }, reference, { role: 'user', content: 'y' }]
  assert.equal((await respond(hello({ input }))).status, 200)
  assert.equal(sent().messages[1].content, first.body.output.at(-1).content[0].text)
  const juma = await app.customer('10')
  const foreign = await respond(hello({ input }), { token: juma.key })
  assert.deepEqual([foreign.status, foreign.body.error.param], [404, 'input[1].id'])
})

test('what is referred to is bounded, and looked at before it is read', async () => {
  const said = { role: 'user', content: 'Habari '.repeat(1_000) }
  const { body } = await respond(hello({ input: [said], max_output_tokens: 3 }))
  const id = `msg_${body.id.slice(5)}i0`
  const asked = app.models.log.entries.length
  const many = await respond(hello({ input: Array.from({ length: 3_000 }, () => ({ id })) }))
  assert.deepEqual([many.status, many.body.error.param], [400, 'input'])
  assert.equal(many.body.error.code, 'context_length_exceeded')
  const poor = await app.customer('0')
  await app.db.query('update stored_responses set account_id = $1 where id = $2', [
    poor.accountId,
    body.id,
  ])
  // Whoever read the answer would find that it is no JSON.
  await app.db.query(`update stored_responses set response = 'x' where id = $1`, [body.id])
  const unpaid = await respond(hello({ previous_response_id: body.id }), { token: poor.key })
  assert.deepEqual([unpaid.status, unpaid.body.error.code], [402, 'insufficient_quota'])
  assert.equal(app.models.log.entries.length, asked)
})

test('what is not kept cannot be continued', async () => {
  const { body } = await respond(hello({ store: false }))
  assert.equal(body.store, false)
  const next = await respond(hello({ previous_response_id: body.id }))
  assert.deepEqual(
    [next.status, next.body.error.code, next.body.error.param],
    [400, 'previous_response_not_found', 'previous_response_id'],
  )
  assert.equal((await call(`GET /v1/responses/${body.id}`)).status, 404)
})

test('kept responses are read, listed and deleted by their owner', async () => {
  const made = await respond(hello({ input: [{ role: 'user', content: 'Habari' }] }))
  const { id } = made.body
  const read = await call(`GET /v1/responses/${id}`)
  assert.deepEqual(read.body, made.body)
  const list = await call(`GET /v1/responses/${id}/input_items?limit=5`)
  assert.equal(list.body.object, 'list')
  assert.deepEqual(list.body.data[0].content, [{ type: 'input_text', text: 'Habari' }])
  const juma = await app.customer('1')
  for (const line of [`GET /v1/responses/${id}`, `DELETE /v1/responses/${id}`]) {
    assert.equal((await call(line, juma.key)).status, 404)
  }
  assert.equal((await call(`GET /v1/responses/${id}?stream=true`)).status, 400)
  const gone = await call(`DELETE /v1/responses/${id}`)
  assert.deepEqual(gone.body, { id, object: 'response', deleted: true })
  for (const line of [
    `GET /v1/responses/${id}`,
    `GET /v1/responses/${id}/input_items`,
    `DELETE /v1/responses/${id}`,
    'GET /v1/responses/resp_1',
  ]) {
    assert.equal((await call(line)).status, 404, line)
  }
})

test('a retry with its Idempotency-Key gets the same response, and is not charged', async () => {
  const headers = { 'idempotency-key': 'responses-1' }
  const first = await respond(hello(), { headers })
  const start = await balance()
  const again = await respond(hello(), { headers })
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(await balance(), start)
  const next = await respond(hello({ previous_response_id: again.body.id }))
  assert.equal(next.status, 200)
})

test('the answer that was cut off is incomplete', async () => {
  const { body } = await respond(hello({ max_output_tokens: 3 }))
  assert.equal(body.status, 'incomplete')
  assert.deepEqual(body.incomplete_details, { reason: 'max_output_tokens' })
  assert.equal(body.output.at(-1).status, 'incomplete')
})

const compact = (body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  app.call('POST /v1/responses/compact', { token: more.token ?? asha.key, body, ...more })

test('a compaction is a chat with its own model, charged as one, and read back as a summary', async () => {
  const meter = watch(app, asha.accountId)
  const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' }
  const input = [
    { role: 'user', content: 'Kwanza' },
    call,
    { type: 'function_call_output', call_id: 'c1', output: '27' },
    { role: 'assistant', content: 'Ndiyo' },
    { role: 'user', content: 'Pili' },
  ]
  const headers = { 'idempotency-key': 'compact-1' }
  const { spent } = await meter.during(async () => {
    const { status, body } = await compact(hello({ input, instructions: 'Be short.' }), { headers })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.object, 'response.compaction')
    const { messages, tools, tool_choice: choice } = sent()
    assert.deepEqual(
      messages.map(({ role }: Loose) => role),
      ['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'user'],
    )
    assert.deepEqual([tools[0].function.name, choice], ['look', 'none'])
    assert.deepEqual(
      body.output.map(({ type, content }: Loose) => content?.[0].text ?? type),
      ['Kwanza', 'Pili', 'compaction'],
    )
    assert.equal(body.usage.total_tokens, body.usage.input_tokens + body.usage.output_tokens)
    const again = await compact(hello({ input }), { headers })
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual(again.body, body)

    const asked = [...body.output, { role: 'user', content: 'Tatu' }]
    const next = await respond(hello({ input: asked }))
    assert.equal(next.status, 200, JSON.stringify(next.body))
    const said = sent().messages.map(({ content }: Loose) => content)
    assert.deepEqual([said[0], said[1], said[3]], ['Kwanza', 'Pili', 'Tatu'])
    assert.match(said[2], /^A summary of the conversation so far.*\n\n\w/)
    const third = await respond(hello({ previous_response_id: next.body.id }))
    assert.equal(third.status, 200)
    assert.equal(sent().messages[2].content, said[2])

    const juma = await app.customer('10')
    const items = body.output.slice(-1)
    const [item] = items as Loose[]
    const forged = `${item!.encrypted_content.slice(0, -2)}AA`
    for (const [token, encrypted_content] of [
      [juma.key, item!.encrypted_content],
      [asha.key, forged],
      [asha.key, 'gAAAAABo'],
      [asha.key, 'mlgc1.'],
      [asha.key, 7],
    ]) {
      const refused = await respond(hello({ input: [{ ...item, encrypted_content }] }), { token })
      assert.deepEqual(
        [refused.status, refused.body.error.param, refused.body.error.code],
        [400, 'input[0].encrypted_content', 'invalid_encrypted_content'],
      )
    }
  })
  assert.ok(spent > 0)
  const made = (await records()).slice(0, 3)
  assert.deepEqual(
    made.map(({ kind, status }) => [kind, status]),
    Array.from({ length: 3 }, () => ['chat', 'completed']),
  )
})

test('a summary that was not written is not charged', async () => {
  const start = await balance()
  app.models.fail({ fault: 'no-choices', times: 1, model: 'sim/hekima' })
  assert.equal((await compact(hello())).status, 502)
  assert.deepEqual(await balance(), start)
})

test('what is compacted is checked as what is answered', async () => {
  const poor = await app.customer('0')
  assert.equal((await compact(hello(), { token: poor.key })).status, 402)
  for (const [body, param] of [
    [{ input: 'x' }, 'model'],
    [hello({ input: null }), 'input'],
    [hello({ input: [{ role: 'no', content: 'x' }] }), 'input[0].role'],
    [hello({ previous_response_id: 'x' }), 'previous_response_id'],
  ]) {
    const { status, body: answer } = await compact(body)
    assert.deepEqual([status, answer.error.param], [400, param])
  }
})

test('input tokens are counted for nothing', async () => {
  const count = (body: unknown, token = asha.key) =>
    app.call('POST /v1/responses/input_tokens', { token, body })
  const poor = await app.customer('0')
  const asked = app.models.log.entries.length
  const short = await count(hello(), poor.key)
  assert.deepEqual([short.status, short.body.object], [200, 'response.input_tokens'])
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
  const long = await count(hello({ instructions: 'Be short. '.repeat(50), tools }))
  assert.ok(short.body.input_tokens > 0)
  assert.ok(long.body.input_tokens > short.body.input_tokens + 50)
  assert.equal(app.models.log.entries.length, asked)
  assert.equal((await count({ input: 'x' })).body.error.param, 'model')
  assert.equal((await count(hello({ model: 'sim/none' }))).status, 404)
})

test('a file by its address passes as a link, if everybody can reach it', async () => {
  const file = (file_url: unknown) => [
    { role: 'user', content: [{ type: 'input_file', file_url }] },
  ]
  for (const url of ['http://127.0.0.1/x.pdf', 'https://localhost/x.pdf', 7, null]) {
    const refused = await respond(hello({ model: 'sim/macho', input: file(url) }))
    assert.equal(refused.status, 400, JSON.stringify(refused.body))
    assert.match(refused.body.error.param, /^input\[0\]/)
  }
})

const invalid: [string, unknown, string | null][] = [
  ['no model', { input: 'x' }, 'model'],
  ['no input', { model: 'sim/hekima' }, 'input'],
  ['input a number', hello({ input: 3 }), 'input'],
  ['an item null', hello({ input: [null] }), 'input[0]'],
  ['stream as text', hello({ stream: 'true' }), 'stream'],
  ['conversation', hello({ conversation: 'c' }), 'conversation'],
  ['max_output_tokens 0', hello({ max_output_tokens: 0 }), 'max_output_tokens'],
  ['a search alone', hello({ tools: [{ type: 'web_search' }] }), 'tools[0].type'],
  [
    'a picture that is none',
    hello({
      model: 'sim/macho',
      input: [
        { role: 'user', content: 'x' },
        { role: 'user', content: [{ type: 'input_image', image_url: 'ftp://x' }] },
      ],
    }),
    'input[1]',
  ],
  ['not an object', '[]', null],
]
for (const [name, body, param] of invalid) {
  test(`400: ${name}`, async () => {
    const answer = await respond(body)
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'invalid_request_error')
    assert.equal(answer.body.error.param, param)
  })
}

test('401, 402, 404, 405', async () => {
  assert.equal((await respond(hello(), { token: 'mlg_no' })).status, 401)
  const poor = await app.customer('0')
  const refused = await respond(hello(), { token: poor.key })
  assert.deepEqual([refused.status, refused.body.error.code], [402, 'insufficient_quota'])
  const unknown = await respond(hello({ model: 'sim/none' }))
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'model_not_found'])
  assert.equal((await call('DELETE /v1/responses')).status, 405)
  assert.equal((await call('GET /v1/responses')).status, 405)
  assert.equal((await call(`POST /v1/responses/resp_${'x'.repeat(24)}/cancel`)).status, 404)
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
  assert.equal(await rawStatus('/v1/responses', upgrade), 400)
  assert.equal(await rawStatus('/v1/responses', { ...upgrade, upgrade: 'h2c' }), 405)
})

/** The table of chat: same status, same type, nothing charged, the hold released. */
for (const [fault, status] of FAULTS) {
  test(`fault ${fault}: ${status}, nothing charged, nothing kept`, async () => {
    const start = await balance()
    const [{ kept }] = (await app.db.query(
      'select count(*)::int as kept from stored_responses',
    )) as [Loose]
    const answer = await respond(hello({ model: `sim/fault-${fault}` }))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, TYPES.get(status))
    assert.doesNotMatch(JSON.stringify(answer.body), /simulator|127\.0\.0\.1|sim-key|openrouter/i)
    assert.deepEqual(await balance(), start)
    const [record] = await records()
    assert.deepEqual([record!.status, record!.cost_credits], ['failed', 0])
    const [now] = await app.db.query('select count(*)::int as kept from stored_responses')
    assert.equal(now!.kept, kept)
  })
}

test('a short wait is waited out: one refusal for now is not told', async () => {
  app.models.fail({ fault: '429-1', times: 1, model: 'sim/hekima' })
  assert.equal((await respond(hello())).status, 200)
})
