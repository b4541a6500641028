import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import {
  ageCodes,
  freshEmail,
  freshPhone,
  otherThan,
  PASSWORD,
  accountsApp,
  refused,
} from '../../support/accounts.ts'

const app = accountsApp()

describe('POST /v1/auth/register', () => {
  const registration = (over: object) => ({ full_name: 'Asha Juma', password: PASSWORD, ...over })

  it('201: pending, by email', async () => {
    const email = freshEmail()
    const response = await app.call('POST /v1/auth/register', {
      body: registration({ email: email.toUpperCase() }),
    })
    assert.equal(response.status, 201)
    assert.deepEqual(response.body.data, {
      pending_verification: true,
      identifier: email,
      channel: 'email',
      purpose: 'verify_email',
      expires_in: 600,
      resend_after: 60,
    })
    assert.match(await app.lastCode(email), /^\d{6}$/)
  })

  it('201: pending, by phone; the code goes out as an SMS', async () => {
    const phone = freshPhone()
    const response = await app.call('POST /v1/auth/register', {
      body: registration({ phone_number: phone }),
    })
    assert.equal(response.status, 201)
    assert.equal(response.body.data.channel, 'phone')
    assert.equal(response.body.data.purpose, 'verify_phone')
    const code = await app.lastCode(phone)
    const body = { identifier: phone, channel: 'phone', purpose: 'verify_phone', code }
    const session = await app.call('POST /v1/auth/otp/verify', { body })
    assert.equal(session.body.data.user.phone_verified, true)
    const local = `0${phone.slice(4)}`
    const login = await app.call('POST /v1/auth/login', {
      body: { identifier: local, password: PASSWORD },
    })
    assert.equal(login.status, 200)
  })

  it('201: messages are in the language of `locale`, else of Accept-Language, else Kiswahili', async () => {
    for (const [sent, header, locale] of [
      [{}, 'en-GB,en;q=0.9,sw;q=0.5', 'en'],
      [{}, 'fr,en;q=0.4,sw;q=0.8', 'sw'],
      [{}, '*', 'sw'],
      [{}, 'english, en;q=0, en;q=x', 'sw'],
      [{ locale: 'sw' }, 'en', 'sw'],
      [{ locale: 'en' }, 'sw', 'en'],
    ] as const) {
      const email = freshEmail()
      const response = await app.call('POST /v1/auth/register', {
        body: registration({ email, ...sent }),
        headers: { 'accept-language': header },
      })
      assert.equal(response.status, 201, JSON.stringify(response.body))
      const sql = 'select subject from outbox where recipient = $1'
      const [mail] = await app.db.query<{ subject: string }>(sql, [email])
      assert.match(mail!.subject, locale === 'en' ? /verification code/ : /Msimbo/, header)
    }
  })

  it('400: bodies of the wrong shape', async () => {
    const email = freshEmail()
    for (const body of [
      registration({}),
      registration({ email: 'nobody' }),
      registration({ email: 'a@b' }),
      registration({ email: 'a b@example.com' }),
      registration({ phone_number: '0712345678' }),
      registration({ phone_number: '+255 712 345 678' }),
      registration({ phone_number: '+255591234567' }),
      registration({ phone_number: '+２５５７１２３４５６７８' }),
      registration({ email, locale: 'fr' }),
      registration({ email, full_name: '  ' }),
      registration({ email, full_name: 'x'.repeat(10_000) }),
      registration({ email, full_name: 'a\nb' }),
      registration({ email, password: 'short' }),
      registration({ email, password: 'x'.repeat(129) }),
      registration({ email, password: 'trustno1' }),
      registration({ email, password: email }),
      { email, full_name: 'Asha' },
      [],
      'null',
    ]) {
      refused(await app.call('POST /v1/auth/register', { body }), 400, 'validation_error')
    }
  })

  it('409: a verified account has the address; 429, then 201: a pending one is replaced', async () => {
    const { email } = await app.signUp()
    refused(await app.registerAs(email), 409, 'conflict')
    const other = freshEmail()
    await app.registerAs(other)
    const first = await app.lastCode(other)
    const soon = await app.registerAs(other)
    refused(soon, 429, 'rate_limited')
    assert.ok(Number(soon.headers.get('retry-after')) > 0)
    await ageCodes(app.db, 61)
    assert.equal((await app.registerAs(other)).status, 201)
    const rows = await app.db.query('select id from accounts where email = $1', [other])
    assert.equal(rows.length, 1)
    const answer = { identifier: other, channel: 'email', purpose: 'verify_email', code: first }
    const old = await app.call('POST /v1/auth/otp/verify', { body: answer })
    assert.equal(old.status, 400)
  })
})

describe('POST /v1/auth/otp/verify', () => {
  const answer = (identifier: string, code: unknown, over: object = {}) =>
    app.call('POST /v1/auth/otp/verify', {
      body: { identifier, channel: 'email', purpose: 'verify_email', code, ...over },
    })

  it('200 once: session, active account, default workspace, grant; then otp_expired', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    const code = await app.lastCode(email)
    const response = await answer(email, code)
    assert.equal(response.status, 200)
    const { user, ...session } = response.body.data
    assert.equal(session.token_type, 'Bearer')
    assert.equal(session.expires_in, 900)
    assert.equal(session.refresh_expires_in, 2_592_000)
    assert.match(session.refresh_token, /^mlr_/)
    assert.equal(user.status, 'active')
    assert.equal(user.email_verified, true)
    assert.equal('mfa_method' in user, false)
    refused(await answer(email, code), 400, 'otp_expired')
    const [book] = await app.db.query(
      'select balance_micro from ledger_accounts where account_id = $1',
      [user.id],
    )
    assert.equal(book!.balance_micro, 100_000_000n)
    const spaces = await app.call('GET /v1/workspaces', { token: session.access_token })
    assert.deepEqual(
      spaces.body.data.map((w: { slug: string }) => w.slug),
      ['default'],
    )
  })

  it('400 otp_invalid: wrong, unknown, other channel; otp_expired: after five tries', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    const code = await app.lastCode(email)
    refused(await answer('nobody@example.com', '123456'), 400, 'otp_invalid')
    refused(await answer('no identifier at all', '123456'), 400, 'otp_invalid')
    for (let i = 0; i < 5; i++) refused(await answer(email, otherThan(code)), 400, 'otp_invalid')
    refused(await answer(email, code), 400, 'otp_expired')
  })

  it('400 otp_expired: too late', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    const code = await app.lastCode(email)
    await ageCodes(app.db, 601)
    refused(await answer(email, code), 400, 'otp_expired')
  })

  it('400 validation_error: wrong shapes, and channels that do not fit the purpose', async () => {
    const email = freshEmail()
    for (const response of [
      await answer(email, 123),
      await answer(email, '12345'),
      await answer(email, '０００１２３'),
      await answer(email, ['123456']),
      await answer(email, { $ne: 1 }),
      await answer(email, '123456', { channel: 'pigeon' }),
      await answer(email, '123456', { channel: 'phone' }),
      await answer(email, '123456', { purpose: 'reset_password' }),
      await answer(email, '123456', { purpose: 'login_mfa' }),
      await answer(email, '123456', { purpose: 'login_mfa', challenge_id: 'x' }),
    ]) {
      refused(response, 400, 'validation_error')
    }
  })

  it('429: fifteen wrong codes in an hour, over several codes', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    for (let round = 0; round < 3; round++) {
      const code = await app.lastCode(email)
      for (let i = 0; i < 5; i++) refused(await answer(email, otherThan(code)), 400, 'otp_invalid')
      await ageCodes(app.db, 61)
      const body = { identifier: email, channel: 'email', purpose: 'verify_email' }
      assert.equal((await app.call('POST /v1/auth/otp/resend', { body })).status, 200)
    }
    refused(await answer(email, await app.lastCode(email)), 429, 'rate_limited')
  })
})

describe('POST /v1/auth/otp/resend', () => {
  const resend = (identifier: string, over: object = {}) =>
    app.call('POST /v1/auth/otp/resend', {
      body: { identifier, channel: 'email', purpose: 'verify_email', ...over },
    })

  it('200 for known and unknown alike, 429 during the cool-down for both', async () => {
    const known = freshEmail()
    await app.registerAs(known)
    const first = await app.lastCode(known)
    refused(await resend(known), 429, 'rate_limited')
    await ageCodes(app.db, 61)
    const unknown = freshEmail()
    const [a, b] = [await resend(known), await resend(unknown)]
    assert.deepEqual(a.body.data, { sent: true, expires_in: 600, resend_after: 60 })
    assert.deepEqual(b.body.data, a.body.data)
    refused(await resend(unknown), 429, 'rate_limited')
    refused(await resend(known), 429, 'rate_limited')
    const sent = await app.db.query('select 1 from outbox where recipient = $1', [unknown])
    assert.equal(sent.length, 0)
    const body = { identifier: known, channel: 'email', purpose: 'verify_email' }
    const code = await app.lastCode(known)
    if (first !== code) {
      const old = await app.call('POST /v1/auth/otp/verify', { body: { ...body, code: first } })
      refused(old, 400, 'otp_invalid')
    }
    const now = await app.call('POST /v1/auth/otp/verify', { body: { ...body, code } })
    assert.equal(now.status, 200)
  })

  it('400: wrong shapes, and channels that do not fit the purpose', async () => {
    for (const response of [
      await resend('not an identifier'),
      await resend('a@example.com', { channel: 'phone', purpose: 'verify_phone' }),
      await resend('a@example.com', { channel: 'totp', purpose: 'reset_password' }),
      await resend('a@example.com', { purpose: 'login_mfa' }),
      await resend('a@example.com', { purpose: 'other' }),
    ]) {
      refused(response, 400, 'validation_error')
    }
  })
})

describe('POST /v1/auth/login', () => {
  const login = (identifier: string, password = PASSWORD) =>
    app.call('POST /v1/auth/login', { body: { identifier, password } })

  it('200: a session', async () => {
    const { email } = await app.signUp()
    const response = await login(email)
    assert.equal(response.status, 200)
    const me = await app.call('GET /v1/me', { token: response.body.data.access_token })
    assert.equal(me.body.data.email, email)
  })

  it('401 invalid_credentials: wrong, unknown, deleted, nonsense: always the same answer', async () => {
    const { email } = await app.signUp()
    const gone = await app.signUp()
    await app.call('DELETE /v1/me', { token: gone.token })
    const answers = [
      await login(email, 'not the password'),
      await login(freshEmail()),
      await login(gone.email),
      await login('???'),
      await login(email, 'x'.repeat(100_000)),
    ]
    for (const response of answers) {
      refused(response, 401, 'invalid_credentials')
      assert.equal(response.body.message, answers[0]!.body.message)
    }
  })

  it('403: right password, but the account is pending (a code is sent) or suspended', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    refused(await login(email), 403, 'forbidden')
    await ageCodes(app.db, 61)
    const before = await app.lastCode(email)
    refused(await login(email), 403, 'forbidden')
    const sent = await app.db.query('select 1 from outbox where recipient = $1', [email])
    assert.equal(sent.length, 2, before)
    const person = await app.signUp()
    await app.db.query(`update accounts set status = 'suspended' where id = $1`, [person.id])
    refused(await login(person.email), 403, 'forbidden')
    refused(await login(person.email, 'wrong password'), 401, 'invalid_credentials')
  })

  it('429: after ten wrong passwords, for known and unknown accounts; a reset clears it', async () => {
    const { email } = await app.signUp()
    const stranger = freshEmail()
    for (const who of [email, stranger]) {
      for (let i = 0; i < 10; i++)
        refused(await login(who, 'wrong one'), 401, 'invalid_credentials')
      const response = await login(who)
      refused(response, 429, 'rate_limited')
      assert.ok(Number(response.headers.get('retry-after')) >= 1)
    }
    await app.call('POST /v1/auth/password/forgot', { body: { identifier: email } })
    const code = await app.lastCode(email)
    const body = { identifier: email, code, new_password: 'twiga mrefu 77' }
    assert.equal((await app.call('POST /v1/auth/password/reset', { body })).status, 200)
    assert.equal((await login(email, 'twiga mrefu 77')).status, 200)
  })

  it('400: bodies of the wrong shape', async () => {
    for (const body of [{}, { identifier: 'a@example.com' }, { identifier: 7, password: 'x' }]) {
      refused(await app.call('POST /v1/auth/login', { body }), 400, 'validation_error')
    }
  })
})

describe('POST /v1/auth/refresh', () => {
  const refresh = (refresh_token?: string, token?: string) =>
    app.call('POST /v1/auth/refresh', {
      ...(refresh_token === undefined ? {} : { body: { refresh_token } }),
      token,
    })

  it('200: in the body or as the bearer, a new pair each time', async () => {
    const person = await app.signUp()
    const one = await refresh(person.refresh)
    assert.equal(one.status, 200)
    assert.notEqual(one.body.data.refresh_token, person.refresh)
    const two = await refresh(undefined, one.body.data.refresh_token)
    assert.equal(two.status, 200)
    assert.equal(two.body.data.user.id, person.id)
  })

  it('401: missing, forged, an access token, a key-like text', async () => {
    const person = await app.signUp()
    const bent = person.refresh.slice(0, -2) + (person.refresh.endsWith('AA') ? 'BB' : 'AA')
    for (const text of [undefined, '', 'x', 'mlr_', bent, person.token, `mlr_${'A'.repeat(59)}`]) {
      refused(await refresh(text), 401, 'unauthorized')
    }
  })

  it('400: a body of the wrong shape', async () => {
    const response = await app.call('POST /v1/auth/refresh', { body: { refresh_token: 5 } })
    refused(response, 400, 'validation_error')
  })
})

describe('POST /v1/auth/logout', () => {
  it('200: this session, by refresh token, all; the tokens stop working at once', async () => {
    const person = await app.signUp()
    const login = async () => {
      const body = { identifier: person.email, password: PASSWORD }
      return (await app.call('POST /v1/auth/login', { body })).body.data
    }
    const me = async (token: string) => (await app.call('GET /v1/me', { token })).status
    const [a, b, c] = [await login(), await login(), await login()]
    const out = (token: string, body?: object) =>
      app.call('POST /v1/auth/logout', { token, ...(body ? { body } : {}) })
    assert.deepEqual((await out(a.access_token)).body.data, {})
    assert.equal(await me(a.access_token), 401)
    const other = { refresh_token: b.refresh_token }
    assert.equal((await out(c.access_token, other)).status, 200)
    assert.equal(await me(b.access_token), 401)
    assert.equal(await me(c.access_token), 200)
    assert.equal((await out(c.access_token, { refresh_token: 'mlr_unknown' })).status, 200)
    assert.equal((await out(c.access_token, { all: true })).status, 200)
    for (const token of [c.access_token, person.token]) assert.equal(await me(token), 401)
    const body = { refresh_token: c.refresh_token }
    refused(await app.call('POST /v1/auth/refresh', { body }), 401, 'unauthorized')
  })

  it('401 without a token, 400 for a wrong shape, and others are left alone', async () => {
    refused(await app.call('POST /v1/auth/logout'), 401, 'unauthorized')
    const [one, two] = [await app.signUp(), await app.signUp()]
    const response = await app.call('POST /v1/auth/logout', {
      token: one.token,
      body: { all: 1 },
    })
    refused(response, 400, 'validation_error')
    const body = { refresh_token: two.refresh }
    assert.equal((await app.call('POST /v1/auth/logout', { token: one.token, body })).status, 200)
    assert.equal((await app.call('GET /v1/me', { token: two.token })).status, 200)
  })
})

describe('POST /v1/auth/password', () => {
  const forgot = (identifier: string) =>
    app.call('POST /v1/auth/password/forgot', { body: { identifier } })
  const reset = (identifier: string, code: string, new_password = 'kiboko mkubwa 9') =>
    app.call('POST /v1/auth/password/reset', { body: { identifier, code, new_password } })

  it('200: the same for known, unknown and during the cool-down', async () => {
    const { email } = await app.signUp()
    const [a, b, again] = [await forgot(email), await forgot(freshEmail()), await forgot(email)]
    assert.deepEqual(a.body.data, { sent: true, expires_in: 600, resend_after: 60 })
    assert.deepEqual(b.body.data, a.body.data)
    assert.equal(again.status, 200)
    assert.ok(again.body.data.resend_after <= 60)
    const sent = await app.db.query(
      `select 1 from outbox where recipient = $1 and subject like '%nenosiri%'`,
      [email],
    )
    assert.equal(sent.length, 1)
    refused(await forgot('nonsense'), 400, 'validation_error')
  })

  it('200: a new password; every session ends; the old password no longer works', async () => {
    const person = await app.signUp()
    await forgot(person.email)
    const code = await app.lastCode(person.email)
    refused(await reset(person.email, otherThan(code)), 400, 'otp_invalid')
    refused(await reset(person.email, code, 'short'), 400, 'validation_error')
    refused(await reset(person.email, code, 'trustno1'), 400, 'validation_error')
    const response = await reset(person.email, code)
    assert.equal(response.status, 200)
    assert.deepEqual(response.body.data, {})
    refused(await reset(person.email, code), 400, 'otp_expired')
    refused(await app.call('GET /v1/me', { token: person.token }), 401, 'unauthorized')
    const old = { identifier: person.email, password: PASSWORD }
    refused(await app.call('POST /v1/auth/login', { body: old }), 401, 'invalid_credentials')
    const now = { identifier: person.email, password: 'kiboko mkubwa 9' }
    assert.equal((await app.call('POST /v1/auth/login', { body: now })).status, 200)
    refused(await reset('nobody@example.com', '123456'), 400, 'otp_invalid')
  })
})

describe('GET /v1/auth/jwks.json', () => {
  it('200: keys with which anyone can verify an access token', async () => {
    const person = await app.signUp()
    const response = await app.call('GET /v1/auth/jwks.json')
    assert.equal(response.status, 200)
    assert.equal(JSON.stringify(response.body).includes('"d"'), false)
    const { payload, protectedHeader } = await jwtVerify(
      person.token,
      createLocalJWKSet(response.body),
    )
    assert.equal(protectedHeader.alg, 'ES256')
    const claims = Object.keys(payload).sort().join(' ')
    assert.equal(claims, 'aud exp iat iss jti role sid sub typ')
    assert.equal(payload.sub, person.id)
    assert.equal(payload.exp! - payload.iat!, 900)
  })
})
