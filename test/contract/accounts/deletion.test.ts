import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accountsApp, ageCodes, freshPhone, PASSWORD, refused } from '../../support/accounts.ts'

const app = accountsApp()

const remove = (token: string, body?: object) =>
  app.call('DELETE /v1/me', { token, ...(body && { body }) })
const login = (identifier: string) =>
  app.call('POST /v1/auth/login', { body: { identifier, password: PASSWORD } })

describe('DELETE /v1/me', () => {
  it('200: without a body; sessions, keys and sign-in stop working, the credits stay', async () => {
    const person = await app.signUp()
    const key = await app.call('POST /v1/api-keys', { token: person.token, body: { name: 'k' } })
    const response = await remove(person.token)
    assert.equal(response.status, 200)
    assert.deepEqual(response.body.data, {})
    for (const token of [person.token, key.body.data.key]) {
      refused(await app.call('GET /v1/me', { token }), 401, 'unauthorized')
    }
    const body = { refresh_token: person.refresh }
    refused(await app.call('POST /v1/auth/refresh', { body }), 401, 'unauthorized')
    refused(await login(person.email), 401, 'invalid_credentials')
    const [row] = await app.db.query(
      'select balance_micro from ledger_accounts where account_id = $1',
      [person.id],
    )
    assert.equal(row?.balance_micro, 100_000_000n)
  })

  it('the address can register again, and gets no second bonus', async () => {
    const person = await app.signUp()
    await remove(person.token)
    await ageCodes(app.db, 61)
    const again = await app.signUp(person.email)
    assert.notEqual(again.id, person.id)
    const entries = await app.db.query(
      'select account_id from ledger_entries where account_id = any($1::uuid[])',
      [[person.id, again.id]],
    )
    assert.deepEqual(entries, [{ account_id: person.id }])
  })

  for (const [locale, subject, text] of [
    ['sw', 'Mlango: Akaunti imefutwa', /ndani ya siku 30/],
    ['en', 'Mlango: Account deleted', /within 30 days/],
  ] as const) {
    it(`is told by mail and SMS, whatever was chosen, in the language ${locale}`, async () => {
      const person = await app.signUp()
      const phone = freshPhone()
      await app.db.query(
        'update accounts set phone_number = $2, login_phone = $2, phone_verified_at = now() where id = $1',
        [person.id, phone],
      )
      await app.db.query(
        `insert into notification_preferences (account_id, email_payments, email_usage,
           email_security, sms_payments, sms_usage, sms_security)
         values ($1, true, true, false, true, true, true)`,
        [person.id],
      )
      await app.call('PATCH /v1/me', { token: person.token, body: { locale } })
      assert.equal((await remove(person.token)).status, 200)
      const sent = await app.db.query<{ recipient: string; subject: string; body: string }>(
        `select recipient, subject, body from outbox where account_id = $1
         and notice = 'security' and subject ~ 'deleted|imefutwa' order by channel`,
        [person.id],
      )
      assert.deepEqual(
        sent.map(({ recipient }) => recipient),
        [person.email, phone],
      )
      assert.equal(sent[0]?.subject, subject)
      for (const { body } of sent) assert.match(body, text)
    })
  }

  it('400: a wrong password deletes nothing; the right one does', async () => {
    const person = await app.signUp()
    for (const password of ['wrong password', '']) {
      const wrong = await remove(person.token, { password })
      refused(wrong, 400, 'validation_error')
      assert.match(JSON.stringify(wrong.body), /password is incorrect/)
    }
    assert.equal((await login(person.email)).status, 200)
    assert.deepEqual((await remove(person.token, { password: PASSWORD })).body.data, {})
    refused(await login(person.email), 401, 'invalid_credentials')
  })

  it('403: without a password, a sign-in of long ago is not enough for our pages', async () => {
    const person = await app.signUp()
    await app.db.query('update accounts set password_hash = null where id = $1', [person.id])
    await app.db.query(
      `update sessions set confirmed_at = now() - interval '11 minutes' where account_id = $1`,
      [person.id],
    )
    refused(await remove(person.token, { password: '' }), 403, 'forbidden')
    await app.db.query('update sessions set confirmed_at = now() where account_id = $1', [
      person.id,
    ])
    assert.equal((await remove(person.token, { password: '' })).status, 200)
  })

  it('400: a password that is no text; 401 without a token', async () => {
    const person = await app.signUp()
    refused(await remove(person.token, { password: 7 }), 400, 'validation_error')
    refused(await app.call('DELETE /v1/me'), 401, 'unauthorized')
  })
})
