import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accountsApp, refused } from '../../support/accounts.ts'

const app = accountsApp()

const create = (token: string, body: unknown) => app.call('POST /v1/workspaces', { token, body })

describe('POST and GET /v1/workspaces', () => {
  it('201: slug sent or derived from the name; 200: the default one first', async () => {
    const { token } = await app.signUp()
    const made = await create(token, { name: 'My \u2066First App', description: 'A \u200bshop' })
    assert.equal(made.status, 201)
    assert.equal(made.body.data.slug, 'my-first-app')
    assert.equal(made.body.data.description, 'A shop')
    assert.equal(made.body.data.is_default, false)
    assert.equal((await create(token, { name: 'B', slug: 'a' })).body.data.slug, 'a')
    assert.equal((await create(token, { name: 'C c', slug: ' ' })).body.data.slug, 'c-c')
    assert.equal((await create(token, { name: 'D', slug: 'x'.repeat(63) })).status, 201)
    const list = await app.call('GET /v1/workspaces', { token })
    assert.equal(list.body.data[0].slug, 'default')
    assert.equal(list.body.data[0].is_default, true)
    assert.equal(list.body.data.length, 5)
    assert.deepEqual(list.body.pagination, { limit: 50, offset: 0, total: 5, has_more: false })
    const page = await app.call('GET /v1/workspaces?limit=2&offset=1', { token })
    assert.equal(page.body.data.length, 2)
    assert.equal(page.body.pagination.has_more, true)
  })

  it('400: wrong names, slugs and pages', async () => {
    const { token } = await app.signUp()
    const odd = ['default', '-a', 'a-', '-', 'A', 'é', '🙂', 'a b', 'a_b', 'a.b', 'a/b']
    for (const slug of [...odd, 'x'.repeat(64)]) {
      const body = { name: 'x', slug }
      refused(await create(token, body), 400, 'validation_error')
    }
    for (const name of [
      'Default',
      'é',
      '!!!',
      '',
      '   ',
      '-',
      'x'.repeat(64),
      'x'.repeat(10_000),
    ]) {
      refused(await create(token, { name }), 400, 'validation_error')
    }
    refused(await create(token, { slug: 'a' }), 400, 'validation_error')
    refused(
      await create(token, { name: 'a', description: 'x'.repeat(501) }),
      400,
      'validation_error',
    )
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1']) {
      const response = await app.call(`GET /v1/workspaces?${query}`, { token })
      refused(response, 400, 'validation_error')
    }
  })

  it('401: no token; 409: slug used; 403: the 21st', async () => {
    refused(await app.call('GET /v1/workspaces'), 401, 'unauthorized')
    const { token } = await app.signUp()
    for (let i = 0; i < 20; i++) assert.equal((await create(token, { name: `w${i}` })).status, 201)
    refused(await create(token, { name: 'w3' }), 409, 'conflict')
    refused(await create(token, { name: 'one more' }), 403, 'forbidden')
  })
})

describe('/v1/workspaces/{slug}', () => {
  it('200: read, change, clear the description', async () => {
    const { token } = await app.signUp()
    await create(token, { name: 'Shop', description: 'old' })
    const path = '/v1/workspaces/shop'
    const one = await app.call(`GET ${path}`, { token })
    assert.equal(one.body.data.name, 'Shop')
    const renamed = await app.call(`PATCH ${path}`, { token, body: { name: 'Duka' } })
    assert.equal(renamed.body.data.name, 'Duka')
    assert.equal(renamed.body.data.description, 'old')
    const cleared = await app.call(`PATCH ${path}`, { token, body: { description: '' } })
    assert.equal('description' in cleared.body.data, false)
    assert.equal(cleared.body.data.slug, 'shop')
    const home = { token, body: { name: 'Nyumbani' } }
    assert.equal((await app.call('PATCH /v1/workspaces/default', home)).status, 200)
    const bad = await app.call(`PATCH ${path}`, { token, body: { name: '' } })
    refused(bad, 400, 'validation_error')
  })

  it('200: deletion moves its keys to the default workspace; 400: for the default one', async () => {
    const { token } = await app.signUp()
    await create(token, { name: 'Shop' })
    const body = { name: 'k', workspace_slug: 'shop' }
    const key = (await app.call('POST /v1/api-keys', { token, body })).body.data
    const response = await app.call('DELETE /v1/workspaces/shop', { token })
    assert.deepEqual(response.body.data, { status: 'deleted' })
    const keys = await app.call('GET /v1/api-keys', { token })
    assert.equal(keys.body.data[0].id, key.id)
    assert.equal(keys.body.data[0].workspace_slug, 'default')
    assert.equal(keys.body.data[0].status, 'active')
    const home = await app.call('DELETE /v1/workspaces/default', { token })
    refused(home, 400, 'validation_error')
  })

  it('404: unknown, deleted, malformed, or of another account; 401: no token', async () => {
    const [one, two] = [await app.signUp(), await app.signUp()]
    await create(one.token, { name: 'mine' })
    for (const slug of ['mine', 'nothing', 'NOTHING', '..%2f', "a'--", 'x'.repeat(300)]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const response = await app.call(`${method} /v1/workspaces/${slug}`, {
          token: two.token,
          ...(method === 'PATCH' ? { body: { name: 'x' } } : {}),
        })
        refused(response, 404, 'not_found')
      }
    }
    refused(await app.call('GET /v1/workspaces/mine'), 401, 'unauthorized')
  })
})
