import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { Failure, promptTooLong, type FailureKind } from '../../src/lib/failure.ts'
import { renderFailure } from '../../src/http/dialect.ts'
import { route, type Dialect } from '../../src/http/route.ts'
import { sendRaw } from '../support/raw-http.ts'
import { jwtHeaders, keyHeaders, startServer } from '../support/server.ts'

const thing = z.object({ name: z.string().max(10), tags: z.array(z.string()).optional() })
const plain = { summary: 'A test', tag: 'Test', credential: 'either', limit: 'none' } as const

const routes = (['envelope', 'compatible', 'both', 'messages'] as Dialect[]).flatMap((dialect) => [
  route({
    ...plain,
    method: 'POST',
    path: `/v1/${dialect}`,
    dialect,
    body: thing,
    successStatus: 201,
    handle: async (call) => ({ data: { name: call.body.name } }),
  }),
  route<{ kind: string }>({
    ...plain,
    method: 'POST',
    path: `/v1/${dialect}/fail`,
    dialect,
    body: z.object({ kind: z.string() }),
    handle: async (call) => {
      if (call.body.kind === 'bug') throw new Error('select secret from table')
      throw new Failure(call.body.kind as FailureKind, 'A public sentence.', {
        cause: new Error('private'),
        param: 'kind',
      })
    },
  }),
  route<undefined, undefined, { id: string }>({
    ...plain,
    method: 'GET',
    path: `/v1/${dialect}/things/:id`,
    dialect,
    params: z.object({ id: z.uuid() }),
    handle: async (call) => ({ data: { id: call.params.id } }),
  }),
])
routes.push(
  route({
    ...plain,
    method: 'GET',
    path: '/v1/for-jwt',
    credential: 'jwt',
    dialect: 'envelope',
    handle: async () => ({ data: {} }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/for-key',
    credential: 'key',
    dialect: 'both',
    handle: async () => ({ data: [], beside: { object: 'list' } }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/prepared',
    dialect: 'both',
    handle: async () => ({ dataJson: '[1, 2]', beside: { object: 'list' }, after: { more: true } }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/interrupted/:how',
    dialect: 'compatible',
    params: z.object({ how: z.string() }),
    handle: async (call) => {
      const body = call.renderError(
        call.params.how === 'failure'
          ? new Failure('rate_limited', 'Too fast.', { param: 'model', code: 'too_fast' })
          : new Error('private'),
      )
      return { status: 200, headers: { 'content-type': 'application/json' }, body }
    },
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/broken-header',
    credential: 'none',
    dialect: 'envelope',
    handle: async () => ({ data: {}, headers: { 'x-bad': 'a\r\nb' } }),
  }),
)

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes })
})
after(() => service.close())

type Reply = { error?: Record<string, unknown>; [field: string]: unknown }

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(service.url + path, init)
  const requestId = response.headers.get('x-request-id') ?? ''
  assert.match(requestId, /^req_[0-9A-Za-z]{24}$/)
  assert.equal(response.headers.get('request-id'), requestId)
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  const reply = (await response.json()) as Reply
  if (reply.request_id !== undefined) assert.equal(reply.request_id, requestId)
  return { status: response.status, headers: response.headers, reply }
}

const post = (path: string, body: unknown, headers: Record<string, string> = keyHeaders) =>
  ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** kind → status, envelope code, compatible type, compatible code: decided, so written out again. */
const TABLE: Record<FailureKind, [number, string, string, string | null]> = {
  invalid: [400, 'validation_error', 'invalid_request_error', null],
  unsuitable: [400, 'invalid_request_error', 'invalid_request_error', null],
  otp_invalid: [400, 'otp_invalid', 'invalid_request_error', 'otp_invalid'],
  otp_expired: [400, 'otp_expired', 'invalid_request_error', 'otp_expired'],
  unauthorized: [401, 'unauthorized', 'unauthorized', 'invalid_api_key'],
  invalid_credentials: [401, 'invalid_credentials', 'unauthorized', 'invalid_credentials'],
  insufficient: [402, 'insufficient_credits', 'insufficient_quota', 'insufficient_quota'],
  forbidden: [403, 'forbidden', 'forbidden', 'forbidden'],
  second_factor_missing: [403, 'second_factor_required', 'forbidden', 'second_factor_required'],
  not_found: [404, 'not_found', 'not_found', 'not_found'],
  method_not_allowed: [405, 'method_not_allowed', 'invalid_request_error', 'method_not_allowed'],
  too_slow: [408, 'invalid_request_error', 'invalid_request_error', 'request_timeout'],
  conflict: [409, 'conflict', 'conflict', 'conflict'],
  idempotency_conflict: [
    409,
    'idempotency_conflict',
    'idempotency_conflict',
    'idempotency_conflict',
  ],
  gone: [410, 'gone', 'gone', 'gone'],
  too_large: [413, 'invalid_request_error', 'invalid_request_error', 'payload_too_large'],
  rate_limited: [429, 'rate_limited', 'rate_limit_exceeded', 'rate_limit_exceeded'],
  internal: [500, 'internal_error', 'internal_error', 'internal_error'],
  upstream_failed: [502, 'server_error', 'server_error', 'upstream_error'],
  upstream_rejected: [502, 'server_error', 'server_error', 'upstream_rejected'],
  unavailable: [503, 'server_error', 'server_error', 'upstream_unavailable'],
}

/** The same request may be answered in a moment; of all others clients are told to stop. */
const PASSING = [
  'too_slow',
  'idempotency_conflict',
  'rate_limited',
  'internal',
  'upstream_failed',
  'unavailable',
]

test('every kind of failure has its status and its body in each dialect', async () => {
  for (const [kind, [status, errorCode, type, code]] of Object.entries(TABLE)) {
    // LiteLLM tries again what has another status, unless these words are in the error.
    const silent = !PASSING.includes(kind) && ![400, 401, 404].includes(status)
    const metadata = { error_type: 'invalid_request_error' }
    const plain = { message: 'A public sentence.', type, param: 'kind', code }
    const compatible = silent ? { ...plain, metadata } : plain
    const inEnvelope = await post('/v1/envelope/fail', { kind })
    const envelope = {
      status: 'error',
      code: status,
      error_code: errorCode,
      message: 'A public sentence.',
      request_id: inEnvelope.reply.request_id,
    }
    assert.equal(inEnvelope.status, status, kind)
    assert.deepEqual(inEnvelope.reply, envelope)
    const inCompatible = await post('/v1/compatible/fail', { kind })
    assert.equal(inCompatible.status, status, kind)
    assert.deepEqual(inCompatible.reply, { error: compatible })
    const inBoth = await post('/v1/both/fail', { kind })
    assert.deepEqual(inBoth.reply, {
      ...envelope,
      request_id: inBoth.reply.request_id,
      error: compatible,
    })
    const { headers } = inEnvelope
    assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null, kind)
    assert.equal(headers.get('x-should-retry'), PASSING.includes(kind) ? null : 'false', kind)
    assert.equal(headers.has('retry-after'), status === 429 || status === 503, kind)
  }
})

/** kind → status and type, as Anthropic's clients know them: decided, so written out again. */
const IN_MESSAGES: Record<FailureKind, [number, string]> = {
  invalid: [400, 'invalid_request_error'],
  unsuitable: [400, 'invalid_request_error'],
  otp_invalid: [400, 'invalid_request_error'],
  otp_expired: [400, 'invalid_request_error'],
  unauthorized: [401, 'authentication_error'],
  invalid_credentials: [401, 'authentication_error'],
  insufficient: [402, 'billing_error'],
  forbidden: [403, 'permission_error'],
  second_factor_missing: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  too_slow: [408, 'invalid_request_error'],
  conflict: [409, 'conflict_error'],
  idempotency_conflict: [409, 'conflict_error'],
  gone: [410, 'not_found_error'],
  too_large: [413, 'request_too_large'],
  rate_limited: [429, 'rate_limit_error'],
  internal: [500, 'api_error'],
  upstream_failed: [502, 'api_error'],
  upstream_rejected: [502, 'invalid_request_error'],
  unavailable: [529, 'overloaded_error'],
}

test('every kind of failure in the words of the Messages dialect', async () => {
  for (const [kind, [status, type]] of Object.entries(IN_MESSAGES)) {
    const { status: sent, reply, headers } = await post('/v1/messages/fail', { kind })
    assert.equal(sent, status, kind)
    const code = TABLE[kind as FailureKind][3]
    const error = { type, message: 'A public sentence.', ...(code !== null && { code }) }
    assert.deepEqual(reply, { type: 'error', error, request_id: reply.request_id })
    assert.equal(headers.get('x-should-retry'), PASSING.includes(kind) ? null : 'false', kind)
    assert.equal(headers.has('retry-after'), status === 429 || status === 529, kind)
  }
})

test('in the Messages dialect a wait is short', () => {
  const slow = new Failure('rate_limited', 'Slow down.', { retryAfterS: 3_600 })
  assert.equal(renderFailure(slow, 'messages', 'req_1').headers['retry-after'], '60')
  assert.equal(renderFailure(slow, 'compatible', 'req_1').headers['retry-after'], '3600')
})

test('too long a prompt has the words that each client searches for, in every dialect', () => {
  const words = [
    'prompt is too long',
    "is longer than the model's context length",
    'context length',
    'context_length_exceeded',
  ]
  for (const dialect of ['envelope', 'compatible', 'both', 'messages'] as const) {
    const { body } = renderFailure(promptTooLong('unsuitable'), dialect, 'req_1')
    const reply = JSON.parse(body) as Reply
    const message = String(reply.error?.message ?? reply.message)
    for (const phrase of words) assert.ok(message.includes(phrase), `${dialect}: ${phrase}`)
  }
})

test('a success is enveloped, or goes as it is on a compatible route', async () => {
  const enveloped = await post('/v1/envelope', { name: 'a' })
  assert.deepEqual(enveloped.reply, {
    status: 'success',
    code: 201,
    data: { name: 'a' },
    request_id: enveloped.reply.request_id,
  })
  assert.equal(enveloped.status, 201)
  assert.deepEqual((await post('/v1/compatible', { name: 'a' })).reply, { name: 'a' })
  const message = await post('/v1/messages', { name: 'a' })
  assert.deepEqual(message.reply, { name: 'a' })
  const list = await ask('/v1/for-key', { headers: keyHeaders })
  assert.deepEqual(Object.keys(list.reply), ['status', 'code', 'object', 'data', 'request_id'])
})

test('data that is kept as text is enveloped as it is', async () => {
  const response = await fetch(`${service.url}/v1/prepared`, { headers: keyHeaders })
  assert.match(
    await response.text(),
    /^\{"status":"success","code":200,"object":"list","data":\[1, 2\],"more":true,"request_id":"req_\w{24}"\}$/,
  )
})

test('an error inside an answer that has begun has the same words', async () => {
  const failure = await ask('/v1/interrupted/failure', { headers: keyHeaders })
  assert.deepEqual(failure.reply, {
    error: { message: 'Too fast.', type: 'rate_limit_exceeded', param: 'model', code: 'too_fast' },
  })
  const bug = await ask('/v1/interrupted/bug', { headers: keyHeaders })
  assert.deepEqual(bug.reply, {
    error: {
      message: 'The answer was interrupted and is not charged.',
      type: 'server_error',
      param: null,
      code: 'upstream_error',
    },
  })
})

test('a bug is answered as internal, without a word of what broke', async () => {
  for (const dialect of ['envelope', 'compatible', 'both', 'messages']) {
    const { status, reply } = await post(`/v1/${dialect}/fail`, { kind: 'bug' })
    assert.equal(status, 500)
    assert.doesNotMatch(JSON.stringify(reply), /select|secret|private|stack/)
  }
  const broken = await ask('/v1/broken-header')
  assert.equal(broken.status, 500)
  assert.equal(broken.reply.error_code, 'internal_error')
})

test('validation names the field, in the message and as param', async () => {
  const { status, reply } = await post('/v1/both', { name: 'a', tags: ['x', 5] })
  assert.equal(status, 400)
  assert.equal(reply.error_code, 'validation_error')
  assert.equal(reply.message, 'tags[1] must be a string.')
  assert.equal(reply.error?.param, 'tags[1]')
  assert.equal(reply.error?.code, null)
  const missing = await post('/v1/compatible', {})
  assert.equal(missing.reply.error?.param, 'name')
  const notObject = await post('/v1/envelope', '[]')
  assert.equal(notObject.status, 400)
  const empty = await ask('/v1/envelope', { method: 'POST', headers: keyHeaders })
  assert.match(String(empty.reply.message), /missing/)
})

test('no more than 200 characters of input come back', async () => {
  const strict = await post('/v1/envelope', { name: 'S'.repeat(5000) })
  assert.equal(strict.status, 400)
  assert.doesNotMatch(JSON.stringify(strict.reply), /S{201}/)
  const path = await ask(`/v1/${'P'.repeat(3000)}`)
  assert.doesNotMatch(JSON.stringify(path.reply), /P{201}/)
})

const SECRET = `${'s3Cr3T'.repeat(6)}abcdefghij`
const KEY = `mlg_${SECRET}`

/** What was sent, and what its sender is told of its form. */
const BAD_CREDENTIALS: [Record<string, string>, RegExp, string?][] = [
  [{}, /No credential was sent: send `Authorization: Bearer mlg_…`/],
  [{ authorization: `Basic ${SECRET}` }, /Authorization is not in this form/],
  [{ authorization: KEY }, /Authorization is not in this form/],
  [{ authorization: 'é' }, /Authorization is not in this form/],
  [{ authorization: 'Bearer' }, /The key is empty/],
  [{ authorization: `Bearer "${KEY}"` }, /spaces, quotation marks/],
  [{ authorization: `Bearer  ${KEY}` }, /spaces, quotation marks/],
  [{ authorization: `Bearer ${KEY}\\n` }, /spaces, quotation marks/],
  [{ authorization: 'Bearer ${MLANGO_API_KEY}' }, /name of a variable/],
  [{ authorization: 'Bearer mlg_3Fq8...' }, /shortened/],
  [{ authorization: `Bearer Bearer${SECRET}` }, /sent twice/],
  [{ authorization: `Bearer ${KEY}` }, /unknown, revoked or expired/],
  [{ authorization: `Bearer ${KEY}x` }, /not whole: ours have 50/],
  [{ authorization: `Bearer sk-${SECRET}` }, /another service/],
  [{ 'x-api-key': `sk-ant-${SECRET}` }, /another service/],
  [{ 'x-api-key': KEY }, /unknown, revoked or expired/],
  [{ 'x-api-key': KEY, authorization: `Basic ${SECRET}` }, /unknown, revoked or expired/],
  [{ 'x-api-key': KEY, authorization: `Bearer ${KEY.slice(0, -1)}1` }, /two different keys/],
  [{ 'api-key': KEY }, /The header api-key is not read/],
  [{ 'x-goog-api-key': KEY }, /The header x-goog-api-key is not read/],
  [{}, /in the address is not read.*revoke it/, `?key=${KEY}`],
  [{ authorization: `Bearer ${'x'.repeat(8_000)}` }, /another service/],
]

test('401 says what is wrong with the form of a credential, and repeats nothing of it', async () => {
  for (const dialect of ['compatible', 'both', 'messages']) {
    for (const [sent, told, query = ''] of BAD_CREDENTIALS) {
      const { status, reply, headers } = await post(`/v1/${dialect}${query}`, {}, sent)
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Bearer')
      assert.equal(headers.get('x-should-retry'), 'false')
      assert.match(String(reply.error?.message), told)
      assert.doesNotMatch(JSON.stringify(reply), /s3Cr3T|x{9}/)
    }
  }
  const forTokens = await ask('/v1/for-jwt')
  assert.equal(forTokens.reply.message, 'The credential is missing or unknown.')
})

test('credentials: 403 for the wrong kind', async () => {
  assert.equal((await ask('/v1/for-jwt', { headers: keyHeaders })).reply.error_code, 'forbidden')
  assert.equal((await ask('/v1/for-key', { headers: jwtHeaders })).status, 403)
  assert.equal((await ask('/v1/for-jwt', { headers: jwtHeaders })).status, 200)
})

test('the credential is judged before the body', async () => {
  const { status } = await post('/v1/envelope', '{broken', { authorization: 'Bearer nobody' })
  assert.equal(status, 401)
})

test('a malformed path parameter is 404 and names no field', async () => {
  const { status, reply } = await ask('/v1/envelope/things/not-a-uuid', { headers: keyHeaders })
  assert.equal(status, 404)
  assert.equal(reply.error_code, 'not_found')
})

test('unknown addresses are 404 in the envelope; upper and lower case differ', async () => {
  const paths = ['/v1/nothing', '/V1/envelope', '/v1/envelope/', '/v1//envelope', '/v1/for-jwt;x']
  for (const path of paths) {
    const { status, reply } = await ask(path, { headers: keyHeaders })
    assert.equal(status, 404, path)
    assert.equal(reply.error_code, 'not_found')
    assert.equal(reply.error, undefined)
  }
})

test('an address that ends like one of ours says which base address to set', async () => {
  const { host } = new URL(service.url)
  const wrong = [
    ['/compatible', '/v1/compatible'],
    ['/v1/v1/compatible', '/v1/compatible'],
    ['/v1/compatible/', '/v1/compatible'],
    ['/v1/compatible/compatible?beta=true', '/v1/compatible'],
    ['/openai/v1/both/fail', '/v1/both/fail'],
    ['/v1/v1/messages?beta=true', '/v1/messages'],
    ['/messages', '/v1/messages'],
  ] as const
  for (const [path, right] of wrong) {
    const { status, reply } = await post(path, {})
    assert.equal(status, 404, path)
    const message = String(reply.error?.message)
    assert.match(message, new RegExp(`You may mean POST http://${host}${right}\\. Set`), path)
    assert.match(message, new RegExp(`base address to http://${host}/v1; in Claude Code`))
    assert.equal(reply.type, right === '/v1/messages' ? 'error' : undefined)
  }
  for (const path of ['/', '/v1', '/v1/']) {
    const { status, reply } = await post(path, {})
    assert.deepEqual([status, reply.error?.code], [404, 'not_found'])
    assert.match(String(reply.message), /The API begins at http/)
  }
  const below = await post('/v1/messages/nothing', {})
  assert.deepEqual([below.status, below.reply.type], [404, 'error'])
  const asked = 'GET /compatible HTTP/1.1\r\nHost: <b>\r\nConnection: close\r\n\r\n'
  const foreign = await sendRaw(service.port, [asked])
  assert.match(foreign, /You may mean POST https:\/\/HOST\/v1/)
})

test('a wrong method is 405 with Allow, in the dialect of the path', async () => {
  for (const dialect of ['envelope', 'compatible', 'both']) {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const { status, reply, headers } = await ask(`/v1/${dialect}`, { method })
      assert.equal(status, 405)
      assert.equal(headers.get('allow'), 'POST, OPTIONS')
      assert.equal('error' in reply, dialect !== 'envelope')
      assert.equal('error_code' in reply, dialect !== 'compatible')
    }
  }
})

test('a bad percent escape is 400 in the dialect of the path', async () => {
  const compatible = await ask('/v1/compatible/things/%zz', { headers: keyHeaders })
  assert.equal(compatible.status, 400)
  assert.deepEqual(Object.keys(compatible.reply), ['error'])
  const envelope = await ask('/v1/envelope/things/%ff', { headers: keyHeaders })
  assert.equal(envelope.reply.error_code, 'validation_error')
  const nul = await ask('/v1/both/things/a%00b', { headers: keyHeaders })
  assert.equal(nul.status, 400)
})

test('HEAD goes where GET goes, without a body', async () => {
  const head = await fetch(`${service.url}/v1/for-jwt`, { method: 'HEAD', headers: jwtHeaders })
  assert.equal(head.status, 200)
  assert.equal(await head.text(), '')
  const wrong = await fetch(`${service.url}/v1/envelope`, { method: 'HEAD' })
  assert.equal(wrong.status, 405)
})

test('healthz needs no credential', async () => {
  const { status, reply } = await ask('/healthz')
  assert.equal(status, 200)
  assert.deepEqual(reply.data, { alive: true })
})
