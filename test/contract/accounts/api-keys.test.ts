import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accountsApp, refused } from '../../support/accounts.ts'

const app = accountsApp()

const create = (token: string, body: unknown = { name: 'k' }) =>
  app.call('POST /v1/api-keys', { token, body })

describe('POST /v1/api-keys', () => {
  it('201: the key is shown once, and nowhere else', async () => {
    const { token } = await app.signUp()
    const response = await create(token, {
      name: ' My\u202e key\u200b ',
      expires_at: '2999-01-01T00:00:00+03:00',
    })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const { key, ...object } = response.body.data
    assert.match(key, /^mlg_[0-9A-Za-z]{46}$/)
    assert.equal(object.name, 'My key')
    assert.equal(object.prefix, key.slice(0, 12))
    assert.equal(object.last4, key.slice(-4))
    assert.equal(object.workspace_slug, 'default')
    assert.deepEqual(object.scopes, ['gateway:use'])
    assert.equal(object.status, 'active')
    assert.equal(object.expires_at, '2998-12-31T21:00:00.000Z')
    const list = await app.call('GET /v1/api-keys', { token })
    assert.deepEqual(list.body.data, [object])
    for (const table of ['api_keys', 'outbox', 'notifications']) {
      const rows = await app.db.query(`select * from ${table}`)
      const text = JSON.stringify(rows, (_key, value) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      assert.equal(text.includes(key), false)
    }
  })

  it('201: into a workspace by slug or id', async () => {
    const { token } = await app.signUp()
    const made = await app.call('POST /v1/workspaces', { token, body: { name: 'shop' } })
    const { id, slug } = made.body.data
    const a = await create(token, { name: 'a', workspace_slug: slug })
    const b = await create(token, { name: 'b', workspace_id: id })
    assert.equal(a.body.data.workspace_id, id)
    assert.equal(b.body.data.workspace_slug, slug)
    const list = await app.call(`GET /v1/api-keys?workspace_id=${id}&limit=1`, { token })
    assert.equal(list.body.data.length, 1)
    assert.deepEqual(list.body.pagination, { limit: 1, offset: 0, total: 2, has_more: true })
  })

  it('400, 401, 404', async () => {
    const { token } = await app.signUp()
    const other = await app.signUp()
    const foreign = (await app.call('GET /v1/workspaces', { token: other.token })).body.data[0]
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(65) },
      { name: 5 },
      { name: 'a', workspace_id: 'x' },
      { name: 'a', workspace_id: foreign.id, workspace_slug: 'default' },
      { name: 'a', expires_at: 'tomorrow' },
      { name: 'a', expires_at: '2020-01-01T00:00:00Z' },
      { name: 'a', expires_at: '2999-01-01T00:00:00+99:99' },
    ]) {
      refused(await create(token, body), 400, 'validation_error')
    }
    refused(await app.call('POST /v1/api-keys', { body: { name: 'a' } }), 401, 'unauthorized')
    refused(await create(token, { name: 'a', workspace_id: foreign.id }), 404, 'not_found')
    refused(await create(token, { name: 'a', workspace_slug: 'nothing' }), 404, 'not_found')
  })

  it('403: the 51st active one, or with an API key', async () => {
    const { token } = await app.signUp()
    const first = await create(token)
    for (let i = 1; i < 50; i++) assert.equal((await create(token)).status, 201)
    refused(await create(token), 403, 'forbidden')
    await app.call(`DELETE /v1/api-keys/${first.body.data.id}`, { token })
    const last = await create(token)
    assert.equal(last.status, 201)
    refused(await create(last.body.data.key), 403, 'forbidden')
  })
})

describe('GET, PATCH, DELETE /v1/api-keys', () => {
  it('200: rename, revoke at once, list with and without the revoked', async () => {
    const { token } = await app.signUp()
    const { id, key } = (await create(token)).body.data
    const path = `/v1/api-keys/${id}`
    const renamed = await app.call(`PATCH ${path}`, { token, body: { name: 'new' } })
    assert.equal(renamed.body.data.name, 'new')
    refused(await app.call('GET /v1/me', { token: key }), 403, 'forbidden')
    const response = await app.call(`DELETE ${path}`, { token })
    assert.deepEqual(response.body.data, { status: 'revoked' })
    refused(await app.call('GET /v1/me', { token: key }), 401, 'unauthorized')
    refused(await app.call(`DELETE ${path}`, { token }), 404, 'not_found')
    const rename = { token, body: { name: 'newer' } }
    refused(await app.call(`PATCH ${path}`, rename), 404, 'not_found')
    assert.deepEqual((await app.call('GET /v1/api-keys', { token })).body.data, [])
    const all = await app.call('GET /v1/api-keys?include_revoked=true', { token })
    assert.equal(all.body.data[0].status, 'revoked')
  })

  it('400: bodies of the wrong shape; 401: no token', async () => {
    const { token } = await app.signUp()
    const { id } = (await create(token)).body.data
    for (const query of ['include_revoked=maybe', 'workspace_id=x', 'limit=999', 'offset=a']) {
      refused(await app.call(`GET /v1/api-keys?${query}`, { token }), 400, 'validation_error')
    }
    const empty = { token, body: { name: '' } }
    refused(await app.call(`PATCH /v1/api-keys/${id}`, empty), 400, 'validation_error')
    refused(await app.call('GET /v1/api-keys'), 401, 'unauthorized')
    refused(await app.call(`DELETE /v1/api-keys/${id}`), 401, 'unauthorized')
  })

  it('404: the key of another account, unknown and malformed ids', async () => {
    const [one, two] = [await app.signUp(), await app.signUp()]
    const { id } = (await create(one.token)).body.data
    for (const odd of [id, 'x', '..%2f', "1'%20or%201=1", 'x'.repeat(300)]) {
      const patch = { token: two.token, body: { name: 'x' } }
      refused(await app.call(`PATCH /v1/api-keys/${odd}`, patch), 404, 'not_found')
      const drop = { token: two.token }
      refused(await app.call(`DELETE /v1/api-keys/${odd}`, drop), 404, 'not_found')
    }
    assert.equal((await app.call('GET /v1/me', { token: one.token })).status, 200)
  })
})
