import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountsApp, PASSWORD, refused } from '../../support/accounts.ts'
import type { Loose } from '../../support/loose.ts'

const app = accountsApp()

const history = async (token: string, query = '') =>
  (await app.call(`GET /v1/me/security-events${query}`, { token })).body

it('200: sign-ins with device and network, changes and keys, newest first, and nobody else’s', async () => {
  const asha = await app.signUp()
  const juma = await app.signUp()
  const agent = 'Mozilla/5.0 (Linux; Android 14) Chrome/130.0'
  const login = await app.call('POST /v1/auth/login', {
    body: { identifier: asha.email, password: PASSWORD },
    headers: { 'user-agent': agent },
  })
  const token = login.body.data.access_token as string
  const made = await app.call('POST /v1/api-keys', { token, body: { name: 'shop' } })
  const { id: keyId, last4 } = made.body.data
  await app.call(`DELETE /v1/api-keys/${keyId}`, { token })
  const next = { current_password: PASSWORD, new_password: 'twiga mrefu 77' }
  assert.equal((await app.call('POST /v1/me/password', { token, body: next })).status, 200)

  // What the other does is not Asha's.
  const another = { current_password: PASSWORD, new_password: 'kiboko mkubwa 9' }
  await app.call('POST /v1/auth/login', { body: { identifier: juma.email, password: PASSWORD } })
  await app.call('POST /v1/me/password', { token: juma.token, body: another })

  const { data, pagination } = await history(token)
  const types = data.map(({ type }: Loose) => type)
  assert.deepEqual(types.toSorted(), [
    'api_key.created',
    'api_key.revoked',
    'security.password_changed',
    'session.ended',
    'session.opened',
    'session.opened',
  ])
  const times = data.map(({ created_at }: Loose) => created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  assert.equal(pagination.total, 6)
  const of = (type: string): Loose[] => data.filter((one: Loose) => one.type === type)
  const [second, first] = of('session.opened')
  assert.deepEqual(second!.device, { browser: 'Chrome', system: 'Android' })
  assert.deepEqual([second!.network, second!.new_network], ['127.0.0.x', false])
  assert.equal(first!.new_network, true)
  assert.deepEqual(
    [of('session.ended')[0]!.id, of('session.ended')[0]!.reason],
    [first!.id, 'password'],
  )
  for (const type of ['api_key.created', 'api_key.revoked']) {
    const [key] = of(type)
    assert.deepEqual([key!.id, key!.name, key!.last4], [keyId, 'shop', last4])
  }
  assert.equal(typeof of('security.password_changed')[0]!.title, 'string')

  const others = await history(juma.token)
  assert.deepEqual(others.data.map(({ type }: Loose) => type).toSorted(), [
    'security.password_changed',
    'session.ended',
    'session.opened',
    'session.opened',
  ])
  const page = await history(token, '?limit=1&offset=5')
  assert.deepEqual(page.data, [first])
  assert.equal(page.pagination.has_more, false)
  assert.deepEqual((await history(token, '?offset=50')).pagination.total, 6)
})

it('401 without a session, 403 with a key', async () => {
  const { token } = await app.signUp()
  const made = await app.call('POST /v1/api-keys', { token, body: { name: 'shop' } })
  const ask = (credential?: string) => app.call('GET /v1/me/security-events', { token: credential })
  refused(await ask(), 401, 'unauthorized')
  refused(await ask(made.body.data.key), 403, 'forbidden')
})
