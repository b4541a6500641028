import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshEmail, freshPhone, PASSWORD } from '../support/accounts.ts'
import { startApp } from '../support/app.ts'
import type { Loose } from '../support/loose.ts'
import { softPasskey } from '../support/peers/passkey.ts'

/* `null` for an optional field counts as absent, on every route of the document. */

let app: Awaited<ReturnType<typeof startApp>>
let document: Loose
before(async () => {
  app = await startApp()
  document = (await app.call('GET /v1/openapi.json')).body
})
after(() => app.close())

/** A value of the right shape for every field that some route requires. */
const REQUIRED: Record<string, () => unknown> = {
  access_token: () => 'x',
  amount_tzs: () => 1000,
  audio_data: () => 'AAAA',
  audio_format: () => 'wav',
  body: () => ({ model: 'sim/none', messages: [{ role: 'user', content: 'Habari' }] }),
  challenge_id: () => '01890000-0000-7000-8000-000000000000',
  channel: () => 'email',
  code: () => '000000',
  credential: () => softPasskey().sign({ challenge: 'AAAA', rpId: 'localhost' }),
  current_password: () => PASSWORD,
  document: () => ({ data: 'AAAA' }),
  email: freshEmail,
  full_name: () => 'Asha',
  id_token: () => 'x',
  identifier: freshEmail,
  image: () => ({ data: 'AAAA' }),
  input: () => 'Habari',
  input_audio: () => ({ data: 'AAAA', format: 'wav' }),
  max_tokens: () => 5,
  messages: () => [{ role: 'user', content: 'Habari' }],
  model: () => 'sim/none',
  name: () => 'shamba',
  new_password: () => 'tembo mwekundu 43',
  password: () => PASSWORD,
  path: () => '/v1/chat/completions',
  phone_number: freshPhone,
  prompt: () => 'Habari',
  purpose: () => 'verify_email',
  token: () => 'A'.repeat(22),
  video: () => ({ data: 'AAAA' }),
}

/** What is needed all the same, which a schema cannot say. */
const NEEDED: Record<string, string> = {
  'POST /v1/auth/register': 'email',
  'POST /v1/me/email': 'password',
  'POST /v1/me/password': 'current_password',
  'POST /v1/responses': 'input',
  'POST /v1/documents/analyze': 'prompt',
  'POST /v1/vision/analyze': 'prompt',
  'POST /v1/video/analyze': 'prompt',
}

function bodyOf(schema: Loose, name: string): Loose {
  const required = new Set<string>([...(schema.required ?? []), NEEDED[name] ?? ''])
  const body: Loose = {}
  for (const [field, inner] of Object.entries<Loose>(schema.properties ?? {})) {
    if (required.has(field)) body[field] = REQUIRED[field]!()
    else body[field] = inner.type === 'object' ? bodyOf(inner, name) : null
  }
  return body
}

function* bodies(): Generator<[name: string, body: Loose]> {
  for (const [path, operations] of Object.entries<Loose>(document.paths)) {
    // Nobody signs in twice for this: what an operator sends passes the same code.
    if (path.startsWith('/v1/operator/')) continue
    for (const [method, operation] of Object.entries<Loose>(operations)) {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema?.properties === undefined) continue
      const name = `${method.toUpperCase()} ${path}`
      yield [name, bodyOf(schema, name)]
      if (schema.required !== undefined) continue
      const optional = Object.keys(schema.properties)
      yield [name, Object.fromEntries(optional.map((field) => [field, null]))]
    }
  }
}

test('null for every optional field is no reason to refuse a body', async () => {
  const { token } = await app.customer()
  await app.call('POST /v1/workspaces', { token, body: { name: 'x' } })
  let count = 0
  for (const [name, body] of bodies()) {
    const [method, path] = name.replace(/\{\w+\}/, 'x').split(' ') as [string, string]
    // The last one ends the session.
    const session = name.includes('logout') ? (await app.signUp()).token : token
    const answer = await fetch(app.url + path, {
      method,
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // Speech is answered with sound.
    const text = await answer.text()
    const told = `${name} ${JSON.stringify(body)}: ${text}`
    assert.ok(answer.status < 500, told)
    count += 1
    if (answer.ok) continue
    const { message, error }: Loose = JSON.parse(text)
    const field = error?.param ?? String(message).split(/[ .]/)[0]!
    assert.ok(answer.status !== 400 || body[field] !== null, told)
  }
  assert.ok(count > 25, String(count))
})

test('nothing changes by it', async () => {
  const { token } = await app.customer()
  const set = { avatar_url: 'https://example.com/a.png', locale: 'en', full_name: 'Asha Mwinyi' }
  const before = await app.call('PATCH /v1/me', { token, body: set })
  const nulls = { avatar_url: null, locale: null, full_name: null, mfa_method: null }
  const same = await app.call('PATCH /v1/me', { token, body: nulls })
  assert.deepEqual(same.body.data, before.body.data)
  const preferences = 'PATCH /v1/me/notification-preferences'
  const chosen = await app.call(preferences, { token, body: { sms: { usage: true } } })
  const kept = await app.call(preferences, { token, body: { email: null, sms: { usage: null } } })
  assert.deepEqual(kept.body.data, chosen.body.data)
  const unknown = await app.call(preferences, { token, body: { pigeon: null } })
  assert.equal(unknown.status, 400)
  const described = { name: 'a', slug: 'a', description: 'one' }
  await app.call('POST /v1/workspaces', { token, body: described })
  const patch = { name: null, description: null }
  const { body } = await app.call('PATCH /v1/workspaces/a', { token, body: patch })
  assert.deepEqual([body.data.name, body.data.description], ['a', 'one'])
})

test('null for a required field: 400 that names it', async () => {
  const body = { full_name: null, email: freshEmail(), password: PASSWORD }
  const answer = await app.call('POST /v1/auth/register', { body })
  assert.deepEqual([answer.status, answer.body.message], [400, 'full_name is required.'])
})
