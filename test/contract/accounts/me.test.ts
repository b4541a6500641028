import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import {
  ageCodes,
  freshPhone,
  fromBase32,
  otherThan,
  PASSWORD,
  accountsApp,
  refused,
  testClock,
} from '../../support/accounts.ts'

const clock = testClock()
const app = accountsApp(clock)

const patch = (token: string, body: unknown) => app.call('PATCH /v1/me', { token, body })

describe('GET and PATCH /v1/me', () => {
  it('200: the profile, unset fields left out', async () => {
    const { token, id, email } = await app.signUp()
    const response = await app.call('GET /v1/me', { token })
    const { created_at, ...rest } = response.body.data
    assert.match(created_at, /^\d{4}-.*Z$/)
    assert.deepEqual(rest, {
      id,
      full_name: 'Asha',
      email,
      email_verified: true,
      phone_verified: false,
      status: 'active',
      role: 'user',
      locale: 'sw',
    })
  })

  it('200: fields change independently; fields that only the service may change are ignored', async () => {
    const { token, id } = await app.signUp()
    const changed = await patch(token, {
      full_name: ' \u200b Asha\u202e Mwi\u2066nyi ',
      role: 'admin',
      status: 'suspended',
      email_verified: false,
      id: 'x',
      balance: 1e9,
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.data.full_name, 'Asha Mwinyi')
    assert.equal(changed.body.data.role, 'user')
    assert.equal(changed.body.data.id, id)
    const avatar_url = 'https://example.com/a.png'
    assert.equal((await patch(token, { avatar_url })).body.data.avatar_url, avatar_url)
    assert.equal((await patch(token, { locale: 'en' })).body.data.locale, 'en')
    const same = await patch(token, { full_name: null, avatar_url: null, locale: null })
    const { full_name, locale } = same.body.data
    assert.deepEqual(
      [full_name, same.body.data.avatar_url, locale],
      ['Asha Mwinyi', avatar_url, 'en'],
    )
    assert.equal((await patch(token, {})).status, 200)
  })

  it('400: bodies of the wrong shape', async () => {
    const { token } = await app.signUp()
    for (const body of [
      { avatar_url: 'javascript:alert(1)' },
      { avatar_url: 'data:text/html,x' },
      { avatar_url: 'file:///etc/passwd' },
      { avatar_url: 'not a url' },
      { avatar_url: '' },
      { avatar_url: `https://example.com/${'x'.repeat(10_000)}` },
      { full_name: '' },
      { full_name: '\u3164\u200b' },
      { full_name: 'a\u2028b' },
      { full_name: 'x'.repeat(10_000) },
      { full_name: 5 },
      { locale: 'fr' },
      { mfa_method: 'pigeon' },
      { mfa_method: 'phone' },
      { totp_code: '123456' },
      { totp_code: 'abc' },
      { mfa_method: 'none', totp_code: '123456' },
    ]) {
      refused(await patch(token, body), 400, 'validation_error')
    }
  })

  it('401 without a token; 403 with an API key', async () => {
    refused(await app.call('GET /v1/me'), 401, 'unauthorized')
    const { token } = await app.signUp()
    const made = await app.call('POST /v1/api-keys', { token, body: { name: 'k' } })
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const response = await app.call(`${method} /v1/me`, {
        token: made.body.data.key,
        ...(method === 'PATCH' ? { body: {} } : {}),
      })
      refused(response, 403, 'forbidden')
    }
  })
})

describe('the second factor', () => {
  const login = (identifier: string) =>
    app.call('POST /v1/auth/login', { body: { identifier, password: PASSWORD } })
  const answer = (body: object) =>
    app.call('POST /v1/auth/otp/verify', { body: { purpose: 'login_mfa', ...body } })

  it('an authenticator: enrolment, login, a code works once', async () => {
    const person = await app.signUp()
    const begun = await patch(person.token, { mfa_method: 'totp' })
    const { secret, uri } = begun.body.data.totp
    assert.match(uri, /^otpauth:\/\/totp\/Mlango:/)
    assert.equal('mfa_method' in begun.body.data, false)
    const key = fromBase32(secret)
    const now = () => totpAt(key, Math.floor(clock.now().getTime() / 30_000))
    refused(await patch(person.token, { totp_code: otherThan(now()) }), 400, 'otp_invalid')
    const enrolled = now()
    const done = await patch(person.token, { mfa_method: 'totp', totp_code: enrolled })
    assert.equal(done.body.data.mfa_method, 'totp')
    assert.equal('totp' in done.body.data, false)

    const challenge = (await login(person.email)).body.data
    assert.equal(challenge.mfa_required, true)
    assert.equal(challenge.channel, 'totp')
    const body = {
      identifier: person.email,
      channel: 'totp',
      challenge_id: challenge.challenge_id,
    }
    refused(await answer({ ...body, code: enrolled }), 400, 'otp_invalid')
    clock.push(30_000)
    const code = now()
    refused(await answer({ ...body, code: otherThan(code) }), 400, 'otp_invalid')
    const session = await answer({ ...body, code })
    assert.equal(session.status, 200)
    refused(await answer({ ...body, code }), 400, 'otp_expired')
    const next = (await login(person.email)).body.data.challenge_id
    refused(await answer({ ...body, challenge_id: next, code }), 400, 'otp_invalid')
    const off = await patch(session.body.data.access_token, { mfa_method: 'none' })
    assert.equal('mfa_method' in off.body.data, false)
    assert.ok((await login(person.email)).body.data.access_token)
  })

  it('by email: the challenge stays open during the cool-down, and its code can be sent again', async () => {
    const person = await app.signUp()
    assert.equal((await patch(person.token, { mfa_method: 'email' })).status, 200)
    const one = (await login(person.email)).body.data
    assert.equal(one.channel, 'email')
    assert.equal(one.masked, `u***@example.com`)
    const two = (await login(person.email)).body.data
    assert.equal(two.challenge_id, one.challenge_id)
    const body = { identifier: person.email, channel: 'email', challenge_id: one.challenge_id }
    const resend = (over: object = {}) =>
      app.call('POST /v1/auth/otp/resend', {
        body: { ...body, purpose: 'login_mfa', ...over },
      })
    refused(await resend(), 429, 'rate_limited')
    await ageCodes(app.db, 61)
    const first = await app.lastCode(person.email)
    const stranger = { challenge_id: '01900000-0000-7000-8000-000000000001' }
    assert.equal((await resend(stranger)).status, 200)
    assert.equal(await app.lastCode(person.email), first, 'a stranger replaces nothing')
    assert.equal((await resend()).status, 200)
    const code = await app.lastCode(person.email)
    refused(await answer({ ...body, ...stranger, code }), 400, 'otp_expired')
    refused(await answer({ ...body, channel: 'phone', code }), 400, 'otp_invalid')
    assert.equal((await answer({ ...body, code })).status, 200)
    assert.ok((await login(person.email)).body.data.challenge_id, 'a used code ends the cool-down')
  })

  it('by phone', async () => {
    const person = await app.signUp()
    const phone = freshPhone()
    await app.call('POST /v1/me/phone', { token: person.token, body: { phone_number: phone } })
    const proof = { identifier: phone, channel: 'phone', purpose: 'verify_phone' }
    const code = await app.lastCode(phone)
    const proven = await app.call('POST /v1/auth/otp/verify', { body: { ...proof, code } })
    assert.equal(proven.body.data.user.phone_verified, true)
    assert.equal((await patch(person.token, { mfa_method: 'phone' })).status, 200)
    const challenge = (await login(person.email)).body.data
    assert.equal(challenge.channel, 'phone')
    const body = {
      identifier: person.email,
      channel: 'phone',
      challenge_id: challenge.challenge_id,
      code: await app.lastCode(phone),
    }
    assert.equal((await answer(body)).status, 200)
  })
})

describe('POST /v1/me/phone', () => {
  const change = (token: string, phone_number: unknown) =>
    app.call('POST /v1/me/phone', { token, body: { phone_number } })

  it('200: unverified at once; the code verifies it', async () => {
    const person = await app.signUp()
    const phone = freshPhone()
    const response = await change(person.token, phone)
    assert.deepEqual(response.body.data, { pending_verification: true })
    const me = await app.call('GET /v1/me', { token: person.token })
    assert.equal(me.body.data.phone_number, phone)
    assert.equal(me.body.data.phone_verified, false)
    refused(await change(person.token, phone), 429, 'rate_limited')
    const code = await app.lastCode(phone)
    const proof = { identifier: phone, channel: 'phone', purpose: 'verify_phone', code }
    const wrong = { ...proof, channel: 'email', purpose: 'verify_email' }
    refused(await app.call('POST /v1/auth/otp/verify', { body: wrong }), 400, 'otp_invalid')
    const session = await app.call('POST /v1/auth/otp/verify', { body: proof })
    assert.equal(session.body.data.user.id, person.id)
    assert.equal(session.body.data.user.phone_verified, true)
    const other = await app.signUp()
    refused(await change(other.token, phone), 409, 'conflict')
  })

  it('the number verified last signs in until the new one is verified', async () => {
    const person = await app.signUp()
    const [first, second] = [freshPhone(), freshPhone()]
    await change(person.token, first)
    const prove = async (phone: string) =>
      app.call('POST /v1/auth/otp/verify', {
        body: {
          identifier: phone,
          channel: 'phone',
          purpose: 'verify_phone',
          code: await app.lastCode(phone),
        },
      })
    await prove(first)
    await change(person.token, second)
    const login = async (identifier: string) =>
      (await app.call('POST /v1/auth/login', { body: { identifier, password: PASSWORD } })).status
    assert.deepEqual([await login(first), await login(second)], [200, 401])
    await prove(second)
    assert.deepEqual([await login(first), await login(second)], [401, 200])
  })

  it('400: malformed numbers; 401: no token', async () => {
    const { token } = await app.signUp()
    const malformed =
      '0712345678 + +255 +255-712-345-678 +2557123456789012 +255591234567 +255222123456 255712345678 +２５５712345678 ٠٧١٢'
    for (const number of [...malformed.split(' '), '+255 712 345 678', '', 7, null]) {
      refused(await change(token, number), 400, 'validation_error')
    }
    const body = { phone_number: freshPhone() }
    refused(await app.call('POST /v1/me/phone', { body }), 401, 'unauthorized')
  })
})
