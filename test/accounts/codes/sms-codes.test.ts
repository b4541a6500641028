import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { register } from '../../../src/accounts/sessions/register.ts'
import { Failure } from '../../../src/lib/failure.ts'
import {
  accountsApp,
  ageCodes,
  freshEmail,
  freshPhone,
  PASSWORD,
  refused,
} from '../../support/accounts.ts'

const ELSEWHERE = '+447400123456'
const person = { full_name: 'Asha', password: PASSWORD }

describe('once messages have a price', () => {
  const keys = { BEEM_API_KEY: 'x', BEEM_SECRET_KEY: 'x' }
  const app = accountsApp(undefined, { SMS_PROVIDER: 'beem', ...keys })
  const outbox = (to: string) => app.db.query('select 1 from outbox where recipient = $1', [to])

  it('a number elsewhere is refused by name, and nothing is sent there', async () => {
    for (const more of [{}, { email: freshEmail() }]) {
      const body = { ...person, phone_number: ELSEWHERE, ...more }
      const answer = await app.call('POST /v1/auth/register', { body })
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /phone_number/)
    }
    const { token } = await app.signUp()
    const body = { phone_number: ELSEWHERE }
    const changed = await app.call('POST /v1/me/phone', { token, body })
    refused(changed, 400, 'validation_error')
    assert.match(changed.body.message, /phone_number/)
    assert.deepEqual(await outbox(ELSEWHERE), [])
    for (const phone_number of [freshPhone(), '+254712345678', '+250781234567']) {
      const near = await app.call('POST /v1/auth/register', { body: { ...person, phone_number } })
      assert.equal(near.status, 201, JSON.stringify(near.body))
      assert.equal((await outbox(phone_number)).length, 1)
    }
  })

  it('an account that has one from before is answered as a stranger, and sent nothing', async () => {
    const phone = '+447400123457'
    const { id } = await app.signUp()
    await app.db.query(
      `update accounts set phone_number = $2, phone_verified_at = now(), login_phone = $2
       where id = $1`,
      [id, phone],
    )
    const shown = (answer: { status: number; body: object }) => ({
      status: answer.status,
      body: { ...answer.body, request_id: undefined },
    })
    for (const [line, more] of [
      ['POST /v1/auth/password/forgot', {}],
      ['POST /v1/auth/otp/resend', { channel: 'phone', purpose: 'reset_password' }],
      ['POST /v1/auth/otp/resend', { channel: 'phone', purpose: 'verify_phone' }],
    ] as const) {
      const [known, unknown] = [phone, '+447400123458'].map((identifier) =>
        app.call(line, { body: { identifier, ...more } }),
      )
      assert.deepEqual(shown(await known!), shown(await unknown!))
      await ageCodes(app.db, 61)
    }
    assert.deepEqual(await outbox(phone), [])
  })

  it('a second factor that cannot be sent says so, to whoever has the password', async () => {
    const phone = '+447400123459'
    const { id, email, token } = await app.signUp()
    const set = (method: string) =>
      app.db.query(
        `update accounts set phone_number = $2, phone_verified_at = now(), login_phone = $2,
           mfa_method = $3 where id = $1`,
        [id, phone, method],
      )
    await set('none')
    const body = { mfa_method: 'phone' }
    refused(await app.call('PATCH /v1/me', { token, body }), 400, 'validation_error')
    await set('phone')
    const login = { identifier: email, password: PASSWORD }
    const answer = await app.call('POST /v1/auth/login', { body: login })
    refused(answer, 403, 'forbidden')
    assert.match(answer.body.message, /phone_number/)
    assert.deepEqual(await outbox(phone), [])
  })
})

describe('codes by SMS in one day', () => {
  const app = accountsApp(undefined, { SMS_CODES_PER_ADDRESS: '4', SMS_CODES_PER_DAY: '10' })
  const to = (phoneNumber: string, from: string) =>
    register(
      app.accounts,
      { fullName: 'Asha', phoneNumber, password: PASSWORD },
      { address: from, userAgent: 'a phone' },
    ).then(
      () => 'sent',
      (error: unknown) => {
        if (error instanceof Failure) return error.kind
        throw error
      },
    )
  /** Signed up from this test's own device, and reachable at a number of its own. */
  const customer = async () => {
    const { id, token } = await app.signUp()
    const phone = freshPhone()
    await app.db.query(
      `update accounts set phone_number = $2, phone_verified_at = now(), login_phone = $2
       where id = $1`,
      [id, phone],
    )
    return { token, phone }
  }
  const forgot = (identifier: string, agent = 'node') =>
    app.call('POST /v1/auth/password/forgot', {
      body: { identifier },
      headers: { 'user-agent': agent },
    })
  const sent = async () => (await app.db.query(`select 1 from outbox where channel = 'sms'`)).length
  const rest = async () => {
    await app.db.query('delete from sms_code_days')
    await app.db.query('delete from outbox')
  }

  it('one address gets its share, whatever numbers it names, known or not', async () => {
    const tries: string[] = []
    for (let n = 0; n < 7; n++) tries.push(await to(freshPhone(), `2001:db8:0:1::${n}`))
    assert.deepEqual(tries, [...Array(4).fill('sent'), ...Array(3).fill('rate_limited')])
    assert.equal(await sent(), 4)
    assert.equal(await to(freshPhone(), '2001:db8:0:2::1'), 'sent')
    await rest()
    for (let n = 0; n < 4; n++) assert.equal((await forgot(freshPhone())).status, 200)
    const answer = await forgot(freshPhone())
    refused(answer, 429, 'rate_limited')
    const waitS = Number(answer.headers.get('retry-after'))
    assert(waitS >= 1 && waitS <= 86_400, String(waitS))
    assert.equal(await sent(), 0)
    await rest()
  })

  it('numbers that accounts name are counted with the address too', async () => {
    const { token } = await app.signUp()
    const claim = (phone_number: string) =>
      app.call('POST /v1/me/phone', { token, body: { phone_number } })
    for (let n = 0; n < 4; n++) assert.equal((await claim(freshPhone())).status, 200)
    refused(await claim(freshPhone()), 429, 'rate_limited')
    await rest()
  })

  it('all strangers together, with accounts and without, leave a fifth to the others', async () => {
    const tries = Array.from({ length: 30 }, (_, n) => to(freshPhone(), `10.9.8.${n}`))
    const ends = await Promise.all(tries)
    assert.equal(ends.filter((end) => end === 'sent').length, 8)
    assert.equal(await sent(), 8)
    const [one, two, three] = [await customer(), await customer(), await customer()]
    const claimed = await app.call('POST /v1/me/phone', {
      token: one.token,
      body: { phone_number: freshPhone() },
    })
    refused(claimed, 429, 'rate_limited')
    refused(await forgot(one.phone, 'another device'), 429, 'rate_limited')
    assert.equal(await sent(), 8)
    for (const { phone } of [one, two]) assert.equal((await forgot(phone)).status, 200)
    refused(await forgot(three.phone), 429, 'rate_limited')
    assert.equal(await sent(), 10)
    const mail = { full_name: 'Asha', email: freshEmail(), password: PASSWORD }
    assert.equal((await app.call('POST /v1/auth/register', { body: mail })).status, 201)
    await rest()
  })

  it('what is left of them reveals nobody', async () => {
    const { phone: active } = await customer()
    const pending = freshPhone()
    const body = { ...person, phone_number: pending }
    assert.equal((await app.call('POST /v1/auth/register', { body })).status, 201)
    await ageCodes(app.db, 61)
    const statuses = async (line: string, numbers: string[], more = {}) => {
      const answers: number[] = []
      for (const identifier of numbers) {
        const headers = { 'user-agent': 'another device' }
        answers.push((await app.call(line, { body: { identifier, ...more }, headers })).status)
      }
      return answers
    }
    const again = { channel: 'phone', purpose: 'verify_phone' }
    for (const used of [7, 8, 10]) {
      const expected = used < 8 ? 200 : 429
      await app.db.query(`delete from sms_code_days where bucket <> 'codes'`)
      await app.db.query(`update sms_code_days set sent = $1 where bucket = 'codes'`, [used])
      const known = await statuses('POST /v1/auth/otp/resend', [freshPhone(), pending], again)
      assert.deepEqual(known, [expected, expected])
      await app.db.query(`update sms_code_days set sent = $1 where bucket = 'codes'`, [used])
      const reset = await statuses('POST /v1/auth/password/forgot', [freshPhone(), active])
      assert.deepEqual(reset, [expected, expected])
      await ageCodes(app.db, 61)
    }
    await rest()
  })

  it('what is refused later in the same step is not counted', async () => {
    const phone = freshPhone()
    assert.equal(await to(phone, '10.1.1.1'), 'sent')
    for (let n = 0; n < 5; n++) assert.equal(await to(phone, '10.1.1.1'), 'rate_limited')
    assert.equal(await to(freshPhone(), '10.1.1.1'), 'sent')
    await rest()
  })
})
