import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { replyOf, type OpenApi, type Operation } from '../../src/http/docs/openapi-document.ts'
import { startApp } from '../support/app.ts'
import { useGeneratedClient } from '../support/openapi/generated-client.ts'

let app: Awaited<ReturnType<typeof startApp>>
let text: string
let document: OpenApi
before(async () => {
  app = await startApp()
  text = await (await fetch(`${app.url}/v1/openapi.json`)).text()
  document = JSON.parse(text) as OpenApi
})
after(() => app.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  )
const operation = (name: string): Operation => {
  const found = operations().find(([known]) => known === name)
  assert.ok(found, name)
  return found[1]
}
const reply = (name: string, status: number) =>
  replyOf(document, operation(name).responses[status]!)
const typesOf = (name: string, status: number) => Object.keys(reply(name, status).content ?? {})

test('a linter has nothing to say: structure, references, and each example against its schema', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // Ids of payments are UUIDs: `callbacks` is none.
      'no-ambiguous-paths': 'off',
      // A redirect is a good answer too; a test below wants one of the two.
      'operation-2xx-response': 'off',
    },
  })
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config })
  assert.deepEqual(
    problems.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    [],
  )
})

test('routes and parameters have descriptions; bodies and good answers that are not binary, examples', () => {
  for (const [name, operation] of operations()) {
    const { summary, description, parameters, requestBody, responses } = operation
    assert.ok(description !== summary && description.length >= 20, `${name}: description`)
    const good = Object.entries(responses).filter(([status]) => Number(status) < 400)
    assert.ok(good.length > 0, `${name}: good answer`)
    const contents = [requestBody, ...good.map(([, one]) => replyOf(document, one))].flatMap(
      (one) => Object.entries(one?.content ?? {}),
    )
    for (const [type, { schema, example }] of contents) {
      assert.equal(example === undefined, schema.format === 'binary', `${name}: ${type}`)
    }
    for (const one of parameters ?? []) {
      assert.ok(one.in === 'path' || one.description, `${name}: ${one.name}`)
    }
  }
})

test('every field of a model has a description and an example', () => {
  const fields = Object.entries(document.components.schemas.Model!.properties!)
  assert.ok(fields.length > 15)
  for (const [name, field] of fields) {
    assert.ok(field.description, `${name}: description`)
    assert.notEqual(field.example, undefined, `${name}: example`)
  }
})

test('media types and statuses are those that are sent', () => {
  const film = 'GET /v1/videos/{job_id}/content'
  assert.deepEqual(typesOf(film, 200), ['video/mp4'])
  assert.deepEqual(typesOf(film, 206), ['video/mp4'])
  assert.ok(reply(film, 206).headers['Content-Range'])
  for (const path of ['chat/completions', 'messages', 'responses']) {
    assert.deepEqual(typesOf(`POST /v1/${path}`, 200), ['application/json', 'text/event-stream'])
  }
  assert.deepEqual(typesOf('POST /v1/audio/speech', 200), ['audio/mpeg', 'audio/pcm'])
  for (const step of ['google/start', 'google/callback', 'github/start', 'github/callback']) {
    const { responses } = operation(`GET /v1/auth/${step}`)
    assert.equal('200' in responses, false)
    assert.ok(reply(`GET /v1/auth/${step}`, 302).headers.Location)
  }
  const keys = reply('GET /v1/auth/jwks.json', 200).content!['application/json']!.schema
  assert.deepEqual(Object.keys(keys.properties!), ['keys'])
  assert.equal(reply('GET /v1/models', 304).content, undefined)
})

test('headers stand where they occur', () => {
  const has = (name: string, status: number) => Object.keys(reply(name, status).headers)
  const chat = 'POST /v1/chat/completions'
  for (const header of [
    'X-Request-Id',
    'X-Credits-Charged',
    'X-Credits-Remaining',
    'X-Generation-Id',
    'Idempotency-Replayed',
    'X-RateLimit-Remaining-Requests',
  ]) {
    assert.ok(has(chat, 200).includes(header), header)
  }
  assert.ok(has(chat, 429).includes('Retry-After'))
  assert.ok(has('GET /v1/me', 401).includes('WWW-Authenticate'))
  assert.equal(has('GET /v1/me', 200).includes('X-Credits-Charged'), false)
  assert.equal(has('POST /v1/videos', 202).includes('X-Credits-Charged'), false)
})

test('what is enforced is said', () => {
  const parameter = (name: string, of: string) =>
    operation(name).parameters!.find((one) => one.name === of)!.schema
  const field = (name: string, of: string) =>
    operation(name).requestBody!.content['application/json']!.schema.properties![of]!
  const limit = parameter('GET /v1/activity', 'limit')
  assert.deepEqual(
    [limit.type, limit.minimum, limit.maximum, limit.default],
    ['integer', 1, 200, 50],
  )
  const amount = field('POST /v1/payments/topup', 'amount_tzs')
  assert.deepEqual([amount.minimum, amount.maximum], [500, 3_000_000])
  const password = field('POST /v1/auth/register', 'password')
  assert.deepEqual([password.minLength, password.maxLength], [8, 128])
  const slug = new RegExp(field('POST /v1/workspaces', 'slug').pattern!)
  assert.ok(slug.test('duka-la-asha') && !slug.test('-duka') && !slug.test('a'.repeat(64)))
  for (const route of ['POST /v1/me/phone', 'POST /v1/auth/register']) {
    const phone = new RegExp(field(route, 'phone_number').pattern!)
    assert.ok(phone.test('+255712345678') && !phone.test('0712345678'), route)
  }
})

test('answers may get more members; a body that must not have more says so', () => {
  assert.equal(
    JSON.stringify(document.components.schemas).includes('"additionalProperties":false'),
    false,
  )
  for (const [name, { responses }] of operations()) {
    assert.equal(JSON.stringify(responses).includes('"additionalProperties":false'), false, name)
  }
})

test('without PUBLIC_URL the server is where the document was read', () => {
  assert.deepEqual(document.servers, [{ url: '/' }])
})

test('a client that is generated from the document compiles strictly, and works', async () => {
  const { key, token } = await app.customer('100')
  assert.deepEqual(await useGeneratedClient(document, { url: app.url, key, token }), {
    firstModel: 'string',
    answer: 'chat.completion',
    refused: 'model_not_found',
    workspaces: ['default'],
    balance: 'number',
  })
})
