import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai'
import { assertAgreement } from '../support/money/agreement.ts'
import { startApp } from '../support/app.ts'

let app: Awaited<ReturnType<typeof startApp>>
let client: OpenAI
const messages = [{ role: 'user' as const, content: 'Habari ya asubuhi, Asha!' }]
const model = 'sim/hekima'

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 2_000 } } })
  const { key } = await app.customer('500')
  client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: key })
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

test('chat', async () => {
  const answer = await client.chat.completions.create({ model, messages })
  assert.match(answer.choices[0]!.message.content!, /\w/)
  assert.ok(answer.usage!.total_tokens > 0)
  assert.match(answer._request_id!, /^req_/)
})

test('chat, streamed, with usage at the end', async () => {
  const stream = await client.chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let usage
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  assert.match(text, /\w/)
  assert.ok((usage?.completion_tokens ?? 0) > 0)
})

test('the older completions, whole and streamed', async () => {
  const asked = { model, prompt: 'Habari ya asubuhi, Asha!' }
  const whole = await client.completions.create(asked)
  assert.match(whole.choices[0]!.text, /\w/)
  assert.ok(whole.usage!.total_tokens > 0)
  const options = { stream: true, stream_options: { include_usage: true } } as const
  let [text, tokens] = ['', 0]
  for await (const { choices, usage } of await client.completions.create({
    ...asked,
    ...options,
  })) {
    text += choices[0]?.text ?? ''
    tokens = usage?.total_tokens ?? tokens
  }
  assert.equal(text, whole.choices[0]!.text)
  assert.equal(tokens, whole.usage!.total_tokens)
})

test('tools, called and answered', async () => {
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'get_weather',
        description: 'Weather of a town',
        parameters: { type: 'object', properties: { town: { type: 'string' } } },
      },
    },
  ]
  const ask = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hali ya hewa Mwanza?' }],
    tools,
    tool_choice: 'required',
  })
  const call = ask.choices[0]!.message.tool_calls![0]!
  assert.equal(call.type === 'function' && call.function.name, 'get_weather')
  assert.equal(ask.choices[0]!.finish_reason, 'tool_calls')
  const answered = await client.chat.completions.create({
    model,
    messages: [
      ...messages,
      ask.choices[0]!.message,
      { role: 'tool', tool_call_id: call.id, content: '{"celsius":27}' },
    ],
    tools,
  })
  assert.equal(answered.choices[0]!.finish_reason, 'stop')
})

test('embeddings in both encodings give the same vectors, in order', async () => {
  const input = ['nyumba', 'mlango', 'bahari']
  const plain = await client.embeddings.create({
    model: 'sim/vekta',
    input,
    encoding_format: 'float',
  })
  // Without a format the SDK asks for base64 and decodes it itself.
  const packed = await client.embeddings.create({ model: 'sim/vekta', input })
  assert.equal(plain.data.length, 3)
  for (const [i, one] of plain.data.entries()) {
    assert.equal(one.index, i)
    assert.deepEqual(
      packed.data[i]!.embedding.map((x) => Math.fround(x)),
      one.embedding.map((x) => Math.fround(x)),
    )
  }
})

const refusals: [string, () => Promise<unknown>, new (...args: never[]) => APIError, string][] = [
  [
    'a wrong key',
    () => new OpenAI({ baseURL: `${app.url}/v1`, apiKey: 'mlg_x' }).models.list(),
    AuthenticationError,
    'invalid_api_key',
  ],
  [
    'no such model',
    () => client.chat.completions.create({ model: 'sim/none', messages }),
    NotFoundError,
    'model_not_found',
  ],
  [
    'a model without eyes',
    () =>
      client.chat.completions.create({
        model,
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
          },
        ],
      }),
    BadRequestError,
    'model_capability',
  ],
  [
    'a broken upstream',
    () => client.chat.completions.create({ model: 'sim/fault-status-500', messages }, once),
    InternalServerError,
    'upstream_error',
  ],
  [
    'a busy upstream',
    () => client.chat.completions.create({ model: 'sim/fault-429-7', messages }, once),
    RateLimitError,
    'rate_limit_exceeded',
  ],
]
const once = { maxRetries: 0 }
for (const [name, act, kind, code] of refusals) {
  test(`error class: ${name}`, async () => {
    await assert.rejects(act, (error: APIError) => {
      assert.ok(error instanceof kind, error.constructor.name)
      assert.equal(error.code, code)
      assert.doesNotMatch(error.message, /no body/)
      return true
    })
  })
}

test('no credits: 402, and the SDK does not try again', async () => {
  const { key } = await app.customer('0')
  const poor = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: key })
  await assert.rejects(
    poor.chat.completions.create({ model, messages }),
    (error: APIError) => error.status === 402 && error.code === 'insufficient_quota',
  )
})

test("the SDK's own retries get through an upstream that flaps", async () => {
  app.models.fail({ fault: 'status-500', times: 1, model })
  const answer = await client.chat.completions.create({ model, messages })
  assert.equal(answer.object, 'chat.completion')
})

test('an Idempotency-Key: the same answer again, charged once', async () => {
  app.models.log.clear()
  const headers = { 'Idempotency-Key': 'order-17' }
  const first = await client.chat.completions.create({ model, messages }, { headers })
  const again = await client.chat.completions
    .create({ model, messages }, { headers })
    .withResponse()
  assert.equal(again.data.id, first.id)
  assert.equal(again.response.headers.get('idempotency-replayed'), 'true')
  assert.equal(app.models.log.count({ route: '/chat/completions' }), 1)
  await assert.rejects(
    client.embeddings.create({ model: 'sim/vekta', input: 'x' }, { headers }),
    ConflictError,
  )
})

test('a failure in mid-stream is thrown, not taken for the end', async () => {
  const stream = await client.chat.completions.create({
    model: 'sim/fault-stream-error',
    messages,
    stream: true,
  })
  await assert.rejects(async () => {
    for await (const _chunk of stream);
  }, APIError)
})
