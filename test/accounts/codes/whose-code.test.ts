import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import {
  accountsApp,
  ageCodes,
  from,
  fromBase32,
  freshEmail,
  freshPhone,
  otherThan,
  PASSWORD,
  refused,
  testClock,
} from '../../support/accounts.ts'

/** What somebody who holds a phone, or only knows its number, can do to accounts that claim it. */
const clock = testClock()
const app = accountsApp(clock)

const claim = (token: string, phone_number: string) =>
  app.call('POST /v1/me/phone', { token, body: { phone_number } })
const verify = (identifier: string, code: string, over: object = {}) =>
  app.call('POST /v1/auth/otp/verify', {
    body: { identifier, channel: 'phone', purpose: 'verify_phone', code, ...over },
  })
const resend = (identifier: string, over: object = {}) =>
  app.call('POST /v1/auth/otp/resend', {
    body: { identifier, channel: 'phone', purpose: 'verify_phone', ...over },
  })
const messagesTo = async (recipient: string) =>
  (await app.db.query('select 1 from outbox where recipient = $1', [recipient])).length
const SENT = { sent: true, expires_in: 600, resend_after: 60 }

describe('whoever holds a number', () => {
  it('cannot start the verification of an active account that claims it', async () => {
    for (const token of [(await app.signUp()).token, await signUpByPhone(freshPhone())]) {
      const phone = freshPhone()
      await claim(token, phone)
      await ageCodes(app.db, 601)
      const before = await messagesTo(phone)
      assert.deepEqual((await resend(phone)).body.data, SENT)
      assert.equal(await messagesTo(phone), before, 'nothing was sent')
      refused(await resend(phone), 429, 'rate_limited')
      refused(await verify(phone, await app.lastCode(phone)), 400, 'otp_expired')
    }
  })

  it('cannot keep a verification alive by asking for it again and again', async () => {
    const person = await app.signUp()
    const phone = freshPhone()
    await claim(person.token, phone)
    for (let minute = 0; minute < 9; minute++) {
      await ageCodes(app.db, 61)
      assert.equal((await resend(phone)).status, 200)
    }
    assert.equal(await messagesTo(phone), 10)
    const last = await app.db.query<{ body: string }>(
      'select body from outbox where recipient = $1 order by id desc limit 1',
      [phone],
    )
    assert.match(last[0]!.body, /dakika 1\b/, 'the message gives the time that is left')
    await ageCodes(app.db, 61)
    refused(await verify(phone, await app.lastCode(phone)), 400, 'otp_expired')
    assert.equal((await resend(phone)).status, 200)
    assert.equal(await messagesTo(phone), 10)
  })

  it('gets no session past a second factor, only the challenge of a login', async () => {
    const person = await app.signUp()
    const secret = await enrol(person.token)
    const phone = freshPhone()
    await claim(person.token, phone)
    const answered = await verify(phone, await app.lastCode(phone))
    assert.equal(answered.status, 200)
    const { challenge_id, ...challenge } = answered.body.data
    assert.deepEqual(challenge, {
      mfa_required: true,
      channel: 'totp',
      mfa_method: 'totp',
      other_methods: [],
      masked: 'authenticator',
      expires_in: 600,
    })
    const me = await app.call('GET /v1/me', { token: person.token })
    assert.equal(me.body.data.phone_verified, true)
    const answer = { channel: 'totp', purpose: 'login_mfa', challenge_id }
    const code = totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    refused(await verify(phone, otherThan(code), answer), 400, 'otp_invalid')
    const session = await verify(phone, code, answer)
    assert.equal(session.body.data.user.id, person.id)
  })

  it('cannot use a code for a number that the account has since replaced', async () => {
    const person = await app.signUp()
    const [wrong, right] = [freshPhone(), freshPhone()]
    await claim(person.token, wrong)
    const stray = await app.lastCode(wrong)
    await claim(person.token, right)
    refused(await verify(wrong, stray), 400, 'otp_expired')
    assert.equal((await verify(right, await app.lastCode(right))).status, 200)
  })

  it('is not asked to verify the number that a registration by email merely names', async () => {
    const phone = freshPhone()
    const body = { full_name: 'Asha', email: freshEmail(), phone_number: phone, password: PASSWORD }
    assert.equal((await app.call('POST /v1/auth/register', { body })).status, 201)
    assert.deepEqual((await resend(phone)).body.data, SENT)
    assert.equal(await messagesTo(phone), 0)
  })
})

describe('two accounts that claim one number', () => {
  it('have a code each; the code decides whose number it is', async () => {
    for (const first of [true, false]) {
      const [one, two] = [await app.signUp(), await app.signUp()]
      const phone = freshPhone()
      await claim(one.token, phone)
      const codeOfOne = await app.lastCode(phone)
      await ageCodes(app.db, 61)
      await claim(two.token, phone)
      const codeOfTwo = await app.lastCode(phone)
      const opened = await verify(phone, first ? codeOfOne : codeOfTwo)
      assert.equal(opened.body.data.user.id, first ? one.id : two.id)
      refused(await verify(phone, first ? codeOfTwo : codeOfOne), 400, 'otp_expired')
    }
  })

  it('share their tries: five wrong codes end the codes of both', async () => {
    const [one, two] = [await app.signUp(), await app.signUp()]
    const phone = freshPhone()
    await claim(one.token, phone)
    const codeOfOne = await app.lastCode(phone)
    await ageCodes(app.db, 61)
    await claim(two.token, phone)
    const codeOfTwo = await app.lastCode(phone)
    const wrong = [1, 2, 3].map((step) =>
      String((Number(codeOfOne) + step) % 1_000_000).padStart(6, '0'),
    )
    const guess = wrong.find((code) => code !== codeOfTwo)!
    for (let i = 0; i < 5; i++) refused(await verify(phone, guess), 400, 'otp_invalid')
    for (const code of [codeOfOne, codeOfTwo])
      refused(await verify(phone, code), 400, 'otp_expired')
  })
})

describe('whoever registers with a number that an account of somebody else names', () => {
  it('does not get into the account of a thief by mistaking one code for the other', async () => {
    const thief = await app.signUp()
    const phone = freshPhone()
    await app.call('POST /v1/me/phone', {
      token: thief.token,
      body: { phone_number: phone },
      headers: from('41.59.7.1'),
    })
    const thiefs = await app.lastCode(phone)
    const body = { full_name: 'Asha', phone_number: phone, password: PASSWORD }
    assert.equal((await app.call('POST /v1/auth/register', { body })).status, 201)
    const own = await app.lastCode(phone)
    refused(await verify(phone, thiefs), 400, 'otp_expired')
    const opened = await verify(phone, own)
    assert.notEqual(opened.body.data.user.id, thief.id)
    assert.equal(opened.body.data.user.phone_number, phone)
  })
})

describe('a session opened by a verification', () => {
  it('is announced to the owner by mail, from a known device too', async () => {
    const person = await app.signUp()
    const phone = freshPhone()
    await claim(person.token, phone)
    const mails = await messagesTo(person.email)
    assert.equal((await verify(phone, await app.lastCode(phone))).status, 200)
    assert.equal(await messagesTo(person.email), mails + 1)
    const notices = await app.call('GET /v1/me', { token: person.token })
    assert.equal(notices.status, 200)
    const [notice] = await app.db.query<{ type: string; data: object }>(
      'select type, data from notifications where account_id = $1 order by id desc limit 1',
      [person.id],
    )
    assert.equal(notice!.type, 'security.new_login')
    assert.deepEqual(Object.keys(notice!.data).sort(), ['address', 'verified'])
  })

  it('is announced at the number that it replaces, not at the new one', async () => {
    const first = freshPhone()
    const token = await signUpByPhone(first)
    const second = freshPhone()
    await claim(token, second)
    const [before, beforeSecond] = [await messagesTo(first), await messagesTo(second)]
    await verify(second, await app.lastCode(second))
    assert.equal(await messagesTo(first), before + 1)
    assert.equal(await messagesTo(second), beforeSecond)
  })
})

describe('asking for codes that nobody is waiting for', () => {
  it('does not keep the owner of the number from getting one', async () => {
    const person = await app.signUp()
    const phone = freshPhone()
    for (let i = 0; i < 10; i++) {
      assert.equal((await resend(phone)).status, 200)
      await ageCodes(app.db, 61)
    }
    refused(await resend(phone), 429, 'rate_limited')
    assert.equal((await claim(person.token, phone)).status, 200)
  })

  it('does not reveal which identifiers have a second factor', async () => {
    const person = await app.signUp()
    await app.call('PATCH /v1/me', { token: person.token, body: { mfa_method: 'email' } })
    const challenge_id = '01900000-0000-7000-8000-000000000001'
    for (const identifier of [person.email, freshEmail()]) {
      const ask = () => resend(identifier, { channel: 'email', purpose: 'login_mfa', challenge_id })
      assert.deepEqual((await ask()).body.data, SENT)
      refused(await ask(), 429, 'rate_limited')
    }
  })
})

async function signUpByPhone(phone_number: string): Promise<string> {
  const body = { full_name: 'Asha', phone_number, password: PASSWORD }
  await app.call('POST /v1/auth/register', { body })
  const session = await verify(phone_number, await app.lastCode(phone_number))
  return session.body.data.access_token
}

async function enrol(token: string): Promise<Buffer> {
  const patch = (body: object) => app.call('PATCH /v1/me', { token, body })
  const secret = fromBase32((await patch({ mfa_method: 'totp' })).body.data.totp.secret)
  const totp_code = totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
  assert.equal((await patch({ totp_code })).body.data.mfa_method, 'totp')
  clock.push(30_000)
  return secret
}
