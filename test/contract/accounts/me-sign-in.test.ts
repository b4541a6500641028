import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { assertAudit } from '../../support/money/audit.ts'
import {
  accountsApp,
  ageCodes,
  freshEmail,
  otherThan,
  PASSWORD,
  refused,
} from '../../support/accounts.ts'
import type { Loose } from '../../support/loose.ts'

const app = accountsApp()
const NEXT = 'twiga mrefu 77'

type Person = Awaited<ReturnType<typeof app.signUp>>
const post = (path: string, { token }: { token: string }, body: object) =>
  app.call(`POST ${path}`, { token, body })
const logIn = (identifier: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  app.call('POST /v1/auth/login', { body: { identifier, password }, headers })
const forget = ({ id }: Person) =>
  app.db.query('update accounts set password_hash = null where id = $1', [id])
const age = ({ id }: Person) =>
  app.db.query(
    `update sessions set confirmed_at = now() - interval '11 minutes' where account_id = $1`,
    [id],
  )
const notices = async ({ id }: Person) => {
  const rows = await app.db.query('select type from notifications where account_id = $1', [id])
  return rows.map((row) => row.type)
}

describe('POST /v1/me/email', () => {
  const change = (person: Person, email: string, more: object = { password: PASSWORD }) =>
    post('/v1/me/email', person, { email, ...more })
  const verify = (person: Person, email: string, code: string) =>
    post('/v1/me/email/verify', person, { email, code })

  it('200: a code goes to the new address, and only it makes the change; the old one is told', async () => {
    const person = await app.signUp()
    const email = freshEmail()
    const { status, body } = await change(person, email.toUpperCase())
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.data, {
      pending_verification: true,
      email,
      expires_in: 600,
      resend_after: 60,
    })
    const me = await app.call('GET /v1/me', { token: person.token })
    assert.equal(me.body.data.email, person.email)
    const code = await app.lastCode(email)
    refused(await verify(person, email, otherThan(code)), 400, 'otp_invalid')
    const done = await verify(person, email, code)
    assert.equal(done.status, 200)
    assert.deepEqual([done.body.data.email, done.body.data.email_verified], [email, true])
    assert.equal((await logIn(email)).status, 200)
    refused(await logIn(person.email), 401, 'invalid_credentials')
    const told = await app.db.query(
      `select recipient from outbox o join notifications n on n.id = o.notification_id
       where n.account_id = $1 and n.type = 'security.email_changed'`,
      [person.id],
    )
    assert.deepEqual(told, [{ recipient: person.email }])
    refused(await verify(person, email, code), 400, 'otp_expired')
  })

  it('400: without the password, with a wrong one, with no address, with the present one', async () => {
    const person = await app.signUp()
    await age(person)
    for (const [field, email, more] of [
      ['password', freshEmail(), {}],
      ['password', freshEmail(), { password: 'wrong' }],
      ['email', 'nobody', { password: PASSWORD }],
      ['email', person.email, { password: PASSWORD }],
    ] as const) {
      const answer = await change(person, email, more)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, new RegExp(`^${field} `))
    }
  })

  it('429: guesses at the password with a stolen session have an end', async () => {
    const person = await app.signUp()
    const statuses = new Set<number>()
    for (let i = 0; i < 12; i++) {
      statuses.add((await change(person, freshEmail(), { password: `guess ${i}` })).status)
    }
    assert.deepEqual(statuses, new Set([400, 429]))
    refused(await change(person, freshEmail()), 429, 'rate_limited')
  })

  it('409: the address of another account, at the start and at the end', async () => {
    const [asha, juma] = [await app.signUp(), await app.signUp()]
    refused(await change(asha, juma.email), 409, 'conflict')
    const email = freshEmail()
    await change(asha, email)
    const code = await app.lastCode(email)
    await app.signUp(email)
    refused(await verify(asha, email, code), 409, 'conflict')
  })

  it("400: another account's code for the same address", async () => {
    const [asha, juma] = [await app.signUp(), await app.signUp()]
    const email = freshEmail()
    await change(asha, email)
    const code = await app.lastCode(email)
    refused(await verify(juma, email, code), 400, 'otp_invalid')
    // Nor does it open a session, as a code of a registration does.
    const body = { identifier: email, channel: 'email', purpose: 'verify_email', code }
    assert.equal((await app.call('POST /v1/auth/otp/verify', { body })).status, 400)
    assert.equal((await verify(asha, email, code)).status, 200)
  })

  it('400 otp_expired after ten minutes; 429 for a second code at once', async () => {
    const person = await app.signUp()
    const email = freshEmail()
    await change(person, email)
    refused(await change(person, email), 429, 'rate_limited')
    const code = await app.lastCode(email)
    await ageCodes(app.db, 601)
    refused(await verify(person, email, code), 400, 'otp_expired')
  })

  it('403: with a second factor it is asked for; no code goes out before', async () => {
    const person = await app.signUp()
    await app.call('PATCH /v1/me', { token: person.token, body: { mfa_method: 'email' } })
    await app.db.query('update sessions set second_factor_at = null where account_id = $1', [
      person.id,
    ])
    const email = freshEmail()
    const answer = await change(person, email)
    refused(answer, 403, 'forbidden')
    assert.match(answer.body.message, /mfa_code/)
    await assert.rejects(app.lastCode(email), /no code was sent/)
    const mfa_code = await app.lastCode(person.email)
    assert.equal((await change(person, email, { password: PASSWORD, mfa_code })).status, 200)
  })

  it('403: an account without a password must have signed in just now', async () => {
    const person = await app.signUp()
    await forget(person)
    await age(person)
    refused(await change(person, freshEmail(), {}), 403, 'forbidden')
    await app.db.query('update sessions set confirmed_at = now() where account_id = $1', [
      person.id,
    ])
    assert.equal((await change(person, freshEmail(), {})).status, 200)
  })

  it('a new address brings no second bonus, neither here nor to who registers with the old one', async () => {
    const person = await app.signUp()
    const email = freshEmail()
    await change(person, email)
    await verify(person, email, await app.lastCode(email))
    const again = await app.signUp(person.email)
    await app.call('DELETE /v1/me', { token: person.token })
    const third = await app.signUp(email)
    const rows = await app.db.query(
      'select account_id from ledger_entries where account_id = any($1::uuid[])',
      [[person.id, again.id, third.id]],
    )
    assert.deepEqual(rows, [{ account_id: person.id }])
    await assertAudit(app.db)
  })
})

describe('POST /v1/me/password', () => {
  const change = (person: { token: string }, current: string | undefined, next: string) =>
    post('/v1/me/password', person, { current_password: current, new_password: next })

  it('200: the new one works, the old one does not, and every other session has ended', async () => {
    const person = await app.signUp()
    const other = (await logIn(person.email)).body.data
    const { status, body } = await change(person, PASSWORD, NEXT)
    assert.deepEqual([status, body.data], [200, {}])
    assert.equal((await app.call('GET /v1/me', { token: person.token })).status, 200)
    refused(await app.call('GET /v1/me', { token: other.access_token }), 401, 'unauthorized')
    const old = { refresh_token: other.refresh_token }
    refused(await app.call('POST /v1/auth/refresh', { body: old }), 401, 'unauthorized')
    const own = { refresh_token: person.refresh }
    assert.equal((await app.call('POST /v1/auth/refresh', { body: own })).status, 200)
    refused(await logIn(person.email), 401, 'invalid_credentials')
    assert.equal((await logIn(person.email, NEXT)).status, 200)
    assert.ok((await notices(person)).includes('security.password_changed'))
  })

  it('400: a wrong or missing present one, a new one that is too weak; nothing changes', async () => {
    const person = await app.signUp()
    await age(person)
    for (const [current, next, field] of [
      ['wrong', NEXT, 'current_password'],
      [undefined, NEXT, 'current_password'],
      [PASSWORD, 'short', 'new_password'],
      [PASSWORD, 'trustno1', 'new_password'],
      [PASSWORD, person.email, 'new_password'],
    ] as const) {
      const answer = await change(person, current, next)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, new RegExp(`^${field} `))
    }
    assert.equal((await logIn(person.email)).status, 200)
  })

  it('403 and 200: a first password, soon after signing in', async () => {
    const person = await app.signUp()
    await forget(person)
    await age(person)
    refused(await change(person, undefined, NEXT), 403, 'forbidden')
    await app.db.query('update sessions set confirmed_at = now() where account_id = $1', [
      person.id,
    ])
    assert.equal((await change(person, undefined, NEXT)).status, 200)
    assert.equal((await logIn(person.email, NEXT)).status, 200)
  })
})

describe('/v1/me/sessions', () => {
  const list = async (token: string): Promise<Loose[]> =>
    (await app.call('GET /v1/me/sessions', { token })).body.data

  it('200: where one is signed in, the one used last first, in words', async () => {
    const person = await app.signUp()
    const agent = 'Mozilla/5.0 (Linux; Android 10; K) Chrome/119.0.0.0 Mobile Safari/537.36'
    const headers = { 'x-mlango-session': 'cookie', origin: app.url, 'user-agent': agent }
    const { access_token: token } = (await logIn(person.email, PASSWORD, headers)).body.data
    const [newest, oldest, ...rest] = await list(token)
    assert.deepEqual(rest, [])
    const { id, created_at, last_used_at, ...shown } = newest!
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.ok(Date.parse(last_used_at) >= Date.parse(created_at))
    assert.deepEqual(shown, {
      kind: 'browser',
      device: { browser: 'Chrome', system: 'Android' },
      current: true,
    })
    assert.deepEqual([oldest!.kind, oldest!.current], ['app', false])
  })

  it('200: one is ended at once, and is no longer listed', async () => {
    const person = await app.signUp()
    const other = (await logIn(person.email)).body.data.access_token
    const { id } = (await list(other)).find((session) => session.current)!
    const answer = await app.call(`DELETE /v1/me/sessions/${id}`, { token: person.token })
    assert.deepEqual([answer.status, answer.body.data], [200, {}])
    refused(await app.call('GET /v1/me', { token: other }), 401, 'unauthorized')
    assert.equal((await list(person.token)).length, 1)
    const again = await app.call(`DELETE /v1/me/sessions/${id}`, { token: person.token })
    refused(again, 404, 'not_found')
  })

  it("404: unknown, malformed, and another account's, which goes on", async () => {
    const [asha, juma] = [await app.signUp(), await app.signUp()]
    const [theirs] = await list(juma.token)
    for (const id of [uuidv7(), 'nonsense', theirs!.id]) {
      const answer = await app.call(`DELETE /v1/me/sessions/${id}`, { token: asha.token })
      refused(answer, 404, 'not_found')
    }
    assert.equal((await app.call('GET /v1/me', { token: juma.token })).status, 200)
  })
})

describe('GET /v1/me/mfa', () => {
  it('200: the method, and how many recovery codes are left', async () => {
    const person = await app.signUp()
    const read = async () => (await app.call('GET /v1/me/mfa', { token: person.token })).body.data
    assert.deepEqual(await read(), { method: 'none', passkeys: 0, recovery_codes_left: 0 })
    await app.call('PATCH /v1/me', { token: person.token, body: { mfa_method: 'email' } })
    assert.deepEqual(await read(), { method: 'email', passkeys: 0, recovery_codes_left: 0 })
  })
})
