import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Db } from '../../../src/db/db.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { notify } from '../../../src/notices/notices.ts'
import { notificationRoutes } from '../../../src/routes/notifications.ts'
import { freshDb } from '../../support/databases.ts'
import { KEY_ACCOUNT, jwtHeaders, keyHeaders, startServer } from '../../support/server.ts'
import type { Loose } from '../../support/loose.ts'

let db: Db
let app: Awaited<ReturnType<typeof startServer>>
before(async () => {
  db = await freshDb()
  const stranger = uuidv7()
  for (const id of [KEY_ACCOUNT, stranger]) {
    await db.query(
      `insert into accounts (id, full_name, status, locale) values ($1, 'Asha', 'active', 'en')`,
      [id],
    )
  }
  const data = { credits: 100, reason: 'signup_bonus' as const }
  await notify(db, { accountId: KEY_ACCOUNT, type: 'credits.granted', data })
  await new Promise((wake) => setTimeout(wake, 2))
  await notify(db, { accountId: KEY_ACCOUNT, type: 'security.password_changed', data: {} })
  await notify(db, { accountId: stranger, type: 'security.password_changed', data: {} })
  app = await startServer({ routes: notificationRoutes({ db }) })
})
after(async () => {
  await app.close()
  await db.close()
})

async function call(method: string, path: string, body?: unknown, headers = jwtHeaders) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(app.url + path, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Loose }
}

describe('GET /v1/notifications', () => {
  it('200: newest first, with the unread count', async () => {
    const { status, body } = await call('GET', '/v1/notifications')
    assert.equal(status, 200)
    assert.deepEqual(body.pagination, { limit: 50, offset: 0, total: 2, has_more: false })
    assert.equal(body.unread_count, 2)
    const [newest, oldest] = body.data
    assert.equal(newest.type, 'security.password_changed')
    assert.equal('data' in newest, false)
    assert.deepEqual(Object.keys(oldest), [
      'id',
      'type',
      'title',
      'body',
      'data',
      'read',
      'sent_by',
      'created_at',
    ])
    assert.deepEqual(oldest.data, { credits: 100, reason: 'signup_bonus' })
    assert.match(oldest.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('200: one page', async () => {
    const { body } = await call('GET', '/v1/notifications?limit=1&offset=0')
    assert.deepEqual(body.pagination, { limit: 1, offset: 0, total: 2, has_more: true })
    assert.equal(body.data.length, 1)
  })

  it('400: a bad limit, offset or filter', async () => {
    const refused = {
      'limit=0': 'limit must be at least 1.',
      'limit=201': 'limit must be at most 200.',
      'limit=x': 'limit must be a whole number.',
      'limit=1&limit=2': 'limit must be given once.',
      'offset=-1': 'offset must be at least 0.',
      'offset=1.5': 'offset must be a whole number.',
      'unread=maybe': 'unread must be one of true, false.',
      'unread=true&unread=true': 'unread must be given once.',
    }
    for (const [query, message] of Object.entries(refused)) {
      const { status, body } = await call('GET', `/v1/notifications?${query}`)
      assert.deepEqual([status, body.error_code, body.message], [400, 'validation_error', message])
    }
  })

  it('401 without a credential, 403 with an API key', async () => {
    for (const path of ['/v1/notifications', '/v1/me/notification-preferences']) {
      assert.equal((await call('GET', path, undefined, {} as typeof jwtHeaders)).status, 401)
      assert.equal((await call('GET', path, undefined, keyHeaders)).status, 403)
    }
  })
})

describe('PATCH /v1/notifications/{id}/read', () => {
  it('200: marked as read once, and the first time is kept', async () => {
    const { body: list } = await call('GET', '/v1/notifications')
    const path = `/v1/notifications/${list.data[0].id}/read`
    const { status, body } = await call('PATCH', path)
    assert.equal(status, 200)
    assert.equal(body.data.read, true)
    assert.equal((await call('PATCH', path)).body.data.read_at, body.data.read_at)
    const { body: unread } = await call('GET', '/v1/notifications?unread=true')
    assert.deepEqual([unread.data.length, unread.unread_count, unread.pagination.total], [1, 1, 1])
    assert.equal((await call('GET', '/v1/notifications?unread=false')).body.data.length, 1)
  })

  it("404: unknown, malformed, and another account's", async () => {
    const [row] = await db.query('select id from notifications where account_id <> $1', [
      KEY_ACCOUNT,
    ])
    for (const id of [uuidv7(), 'nonsense', '%F0%9F%98%80', row!.id as string]) {
      const { status, body } = await call('PATCH', `/v1/notifications/${id}/read`)
      assert.deepEqual([status, body.error_code], [404, 'not_found'])
    }
  })
})

describe('POST /v1/notifications/read-all', () => {
  const path = '/v1/notifications/read-all'
  it("200: all are read, those read before keep their time, and another account's stay", async () => {
    await notify(db, { accountId: KEY_ACCOUNT, type: 'security.password_changed', data: {} })
    const { body: before } = await call('GET', '/v1/notifications')
    assert.ok(before.unread_count > 0)
    const { status, body } = await call('POST', path)
    assert.deepEqual([status, body.data], [200, { read: before.unread_count }])
    const { body: after } = await call('GET', '/v1/notifications')
    assert.equal(after.unread_count, 0)
    const known = before.data.find((note: Loose) => note.read)
    assert.equal(after.data.find((note: Loose) => note.id === known.id).read_at, known.read_at)
    assert.deepEqual((await call('POST', path)).body.data, { read: 0 })
    const [other] = await db.query(
      'select count(*)::int as n from notifications where account_id <> $1 and read_at is null',
      [KEY_ACCOUNT],
    )
    assert.equal(other!.n, 1)
  })

  it('401 without a credential, 403 with an API key', async () => {
    assert.equal((await call('POST', path, undefined, {} as typeof jwtHeaders)).status, 401)
    assert.equal((await call('POST', path, undefined, keyHeaders)).status, 403)
  })
})

describe('/v1/me/notification-preferences', () => {
  const path = '/v1/me/notification-preferences'
  it('200: the defaults, and a deep merge', async () => {
    const before = await call('GET', path)
    assert.deepEqual(before.body.data, {
      email: { payments: true, usage: true, security: true },
      sms: { payments: true, usage: false, security: true },
    })
    const patched = await call('PATCH', path, { sms: { usage: true } })
    assert.equal(patched.status, 200)
    const wanted = { ...before.body.data, sms: { payments: true, usage: true, security: true } }
    assert.deepEqual(patched.body.data, wanted)
    assert.deepEqual((await call('PATCH', path, {})).body.data, wanted)
    assert.deepEqual((await call('GET', path)).body.data, wanted)
  })

  it('400: unknown fields, wrong types, and no channel left for security', async () => {
    for (const bad of [
      { push: { security: true } },
      { email: { marketing: true } },
      { email: { payments: 1 } },
      { email: true },
      { email: { security: false }, sms: { security: false } },
    ]) {
      const { status, body } = await call('PATCH', path, bad)
      assert.deepEqual([status, body.error_code], [400, 'validation_error'], JSON.stringify(bad))
    }
    assert.equal((await call('GET', path)).body.data.email.security, true)
  })
})
