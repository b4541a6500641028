import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import { eraseDeletedAccounts } from '../../../src/accounts/profile/deletion.ts'
import {
  accountsApp,
  ageCodes,
  freshPhone,
  fromBase32,
  otherThan,
  PASSWORD,
  refused,
  testClock,
} from '../../support/accounts.ts'

/** A thief has a session of somebody else, and neither their password nor their second factor. */
const clock = testClock()
const app = accountsApp(clock)

const patch = (token: string, body: object) => app.call('PATCH /v1/me', { token, body })
const login = (identifier: string) =>
  app.call('POST /v1/auth/login', { body: { identifier, password: PASSWORD } })
const methodOf = async (token: string) =>
  (await app.call('GET /v1/me', { token })).body.data.mfa_method

/** As if every session had given its second factor so many minutes ago. */
const ageSessions = (minutes: number) =>
  app.db.query(
    `update sessions set second_factor_at = second_factor_at - $1::float8 * interval '1 minute'`,
    [minutes],
  )
const noticesOf = async (accountId: string, type: string) =>
  app.db.query<{ data: Record<string, unknown> }>(
    'select data from notifications where account_id = $1 and type = $2 order by id',
    [accountId, type],
  )
const mailsTo = async (recipient: string) =>
  (await app.db.query('select 1 from outbox where recipient = $1', [recipient])).length

/** Somebody with an authenticator, whose session has long since given its second factor. */
async function withTotp() {
  const person = await app.signUp()
  const begun = await patch(person.token, { mfa_method: 'totp' })
  const secret = fromBase32(begun.body.data.totp.secret)
  /** A code that has not been used: the clock moves on to it. */
  const code = () => {
    clock.push(30_000)
    return totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
  }
  const done = await patch(person.token, { totp_code: code() })
  assert.equal(done.body.data.mfa_method, 'totp')
  await ageSessions(11)
  return { ...person, code, recovery: done.body.data.recovery_codes as string[] }
}

async function withEmail() {
  const person = await app.signUp()
  assert.equal((await patch(person.token, { mfa_method: 'email' })).body.data.mfa_method, 'email')
  return person
}

async function withPhone() {
  const person = await app.signUp()
  const phone = freshPhone()
  await app.call('POST /v1/me/phone', { token: person.token, body: { phone_number: phone } })
  const proof = { identifier: phone, channel: 'phone', purpose: 'verify_phone' }
  const body = { ...proof, code: await app.lastCode(phone) }
  assert.equal((await app.call('POST /v1/auth/otp/verify', { body })).status, 200)
  assert.equal((await patch(person.token, { mfa_method: 'phone' })).status, 200)
  return { ...person, phone }
}

describe('a session without a fresh second factor', () => {
  it('cannot turn off an authenticator, replace it, or get recovery codes', async () => {
    const { token } = await withTotp()
    for (const body of [
      { mfa_method: 'none' },
      { mfa_method: 'email' },
      { mfa_method: 'totp' },
      { recovery_codes: true },
      { full_name: 'Thief', mfa_method: 'none' },
    ]) {
      const answer = await patch(token, body)
      refused(answer, 403, 'forbidden')
      assert.match(answer.body.message, /mfa_code/)
    }
    assert.equal(await methodOf(token), 'totp')
    const me = await app.call('GET /v1/me', { token })
    assert.equal(me.body.data.full_name, 'Asha', 'nothing of the request took effect')
    assert.equal((await patch(token, { full_name: 'Asha M' })).status, 200)
  })

  it('cannot finish the enrolment of another authenticator', async () => {
    const { token } = await withEmail()
    await app.db.query(`update accounts set totp_pending_sealed = ''`)
    for (const body of [{ totp_code: '123456' }, { mfa_method: 'totp', totp_code: '123456' }]) {
      refused(await patch(token, body), 403, 'forbidden')
    }
  })

  it('gets a code sent where the second factor is one, and can then go on', async () => {
    const { token, email, id } = await withEmail()
    const before = await mailsTo(email)
    const asked = await patch(token, { mfa_method: 'none' })
    refused(asked, 403, 'forbidden')
    assert.match(asked.body.message, /mfa_code .* u\*\*\*@example\.com/)
    assert.equal(await mailsTo(email), before + 1)
    refused(await patch(token, { mfa_method: 'none' }), 403, 'forbidden')
    assert.equal(await mailsTo(email), before + 1, 'one code a minute')
    const code = await app.lastCode(email)
    const off = (mfa_code: string) => patch(token, { mfa_method: 'none', mfa_code })
    refused(await off(otherThan(code)), 400, 'otp_invalid')
    refused(await off('ABCD-EFGH-2345-WXYZ'), 400, 'otp_invalid')
    assert.equal(await methodOf(token), 'email')
    assert.equal((await off(code)).status, 200)
    assert.equal(await methodOf(token), undefined)
    const notices = await noticesOf(id, 'security.mfa_changed')
    assert.deepEqual(
      notices.map(({ data }) => data.method),
      ['email', 'none'],
    )
    assert.equal(await mailsTo(email), before + 2, 'the owner is told by mail')
  })

  it('cannot use the code of a login, nor a code of this kind to log in', async () => {
    const { token, email } = await withEmail()
    const challenge = (await login(email)).body.data
    const loginCode = await app.lastCode(email)
    refused(await patch(token, { mfa_method: 'none' }), 403, 'forbidden')
    const changeCode = await app.lastCode(email)
    refused(await patch(token, { mfa_method: 'none', mfa_code: loginCode }), 400, 'otp_invalid')
    const body = { identifier: email, channel: 'email', purpose: 'login_mfa' }
    const answer = { ...body, challenge_id: challenge.challenge_id, code: changeCode }
    refused(await app.call('POST /v1/auth/otp/verify', { body: answer }), 400, 'otp_invalid')
  })

  it('cannot move the codes to another phone', async () => {
    const { token, phone, email } = await withPhone()
    const move = (over: object = {}) =>
      app.call('POST /v1/me/phone', { token, body: { phone_number: freshPhone(), ...over } })
    assert.equal((await move()).status, 200, 'a number for top-ups')
    assert.equal((await login(email)).body.data.masked.slice(-3), phone.slice(-3))
    const password = { password: PASSWORD }
    refused(await move(password), 403, 'forbidden')
    const wrong = { ...password, mfa_code: otherThan(await app.lastCode(phone)) }
    refused(await move(wrong), 400, 'otp_invalid')
    assert.equal((await move({ mfa_code: await app.lastCode(phone) })).status, 200)
  })

  it('cannot guess for long', async () => {
    const { token, code } = await withTotp()
    const wrong = { mfa_method: 'none', mfa_code: otherThan(code()) }
    for (let i = 0; i < 15; i++) refused(await patch(token, wrong), 400, 'otp_invalid')
    refused(await patch(token, { mfa_method: 'none', mfa_code: code() }), 429, 'rate_limited')
  })
})

describe('the second factor is fresh', () => {
  const turnOff = (token: string, over: object = {}) =>
    patch(token, { mfa_method: 'none', ...over })

  it('for ten minutes after a sign-in that passed it, in that session only', async () => {
    const person = await withTotp()
    const signIn = async () => {
      const { challenge_id } = (await login(person.email)).body.data
      const body = { identifier: person.email, channel: 'totp', purpose: 'login_mfa' }
      const answer = { ...body, challenge_id, code: person.code() }
      return (await app.call('POST /v1/auth/otp/verify', { body: answer })).body.data.access_token
    }
    const session = await signIn()
    refused(await turnOff(person.token), 403, 'forbidden')
    await ageSessions(11)
    refused(await turnOff(session), 403, 'forbidden')
    assert.equal((await turnOff(await signIn())).status, 200)
  })

  it('with a code of the authenticator in the same request, which works once', async () => {
    for (const field of ['totp_code', 'mfa_code']) {
      const { token, code } = await withTotp()
      const right = code()
      refused(await turnOff(token, { [field]: otherThan(right) }), 400, 'otp_invalid')
      const moved = await patch(token, { mfa_method: 'email', [field]: right })
      assert.equal(moved.body.data.mfa_method, 'email')
    }
  })

  it('and lets another authenticator replace the one before', async () => {
    const person = await withTotp()
    const begun = await patch(person.token, { mfa_method: 'totp', mfa_code: person.code() })
    const secret = fromBase32(begun.body.data.totp.secret)
    clock.push(30_000)
    const totp_code = totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    const done = await patch(person.token, { mfa_method: 'totp', totp_code })
    assert.equal(done.status, 200)
    assert.equal(done.body.data.recovery_codes.length, 10)
    await ageSessions(11)
    const old = person.recovery[0]!
    refused(await turnOff(person.token, { mfa_code: old }), 400, 'otp_invalid')
  })
})

describe('recovery codes', () => {
  const answer = async (email: string, code: string, over: object = {}) => {
    const { challenge_id } = (await login(email)).body.data
    const body = { identifier: email, channel: 'totp', purpose: 'login_mfa', challenge_id, code }
    return app.call('POST /v1/auth/otp/verify', { body: { ...body, ...over } })
  }

  it('are shown once, hashed at rest, and each signs in once', async () => {
    const { token, email, id, recovery } = await withTotp()
    assert.equal(new Set(recovery).size, 10)
    for (const code of recovery) assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
    const me = await app.call('GET /v1/me', { token })
    assert.equal('recovery_codes' in me.body.data, false)
    const rows = await app.db.query('select code_hash from recovery_codes where account_id = $1', [
      id,
    ])
    assert.equal(rows.length, 10)
    const [first, second] = recovery as [string, string]
    const before = await mailsTo(email)
    assert.equal((await answer(email, first)).status, 200)
    assert.equal(await mailsTo(email), before + 1)
    const [notice] = await noticesOf(id, 'security.recovery_code_used')
    assert.deepEqual(notice!.data, { left: 9 })
    refused(await answer(email, first), 400, 'otp_invalid')
    assert.equal((await answer(email, second.toLowerCase())).status, 200)
    const other = await withTotp()
    refused(await answer(email, other.recovery[0]!), 400, 'otp_invalid')
  })

  it('stand in for the second factor of a change too', async () => {
    const { token, recovery, id } = await withTotp()
    const off = await patch(token, { mfa_method: 'none', mfa_code: recovery[3] })
    assert.equal(off.status, 200)
    const left = await app.db.query('select 1 from recovery_codes where account_id = $1', [id])
    assert.equal(left.length, 0, 'they go with the authenticator')
  })

  it('can be made anew; the ones before stop working', async () => {
    const { token, email, id, recovery, code } = await withTotp()
    const made = await patch(token, { recovery_codes: true, mfa_code: code() })
    assert.equal(made.status, 200)
    const fresh = made.body.data.recovery_codes as string[]
    assert.equal(fresh.length, 10)
    assert.equal((await noticesOf(id, 'security.recovery_codes_made')).length, 1)
    refused(await answer(email, recovery[0]!), 400, 'otp_invalid')
    assert.equal((await answer(email, fresh[0]!)).status, 200)
  })

  it('400: without an authenticator, beside another change, in place of other codes', async () => {
    const { token, email } = await withEmail()
    const fresh = async () => {
      await ageCodes(app.db, 61)
      refused(await patch(token, { recovery_codes: true }), 403, 'forbidden')
      return app.lastCode(email)
    }
    const body = { recovery_codes: true, mfa_code: await fresh() }
    refused(await patch(token, body), 400, 'validation_error')
    const both = { recovery_codes: true, mfa_method: 'none' }
    refused(await patch(token, both), 400, 'validation_error')
    const odd = [
      { recovery_codes: false },
      { mfa_code: 'ABCD' },
      { totp_code: 'AAAA-AAAA-AAAA-AAAA' },
    ]
    for (const wrong of odd) refused(await patch(token, wrong), 400, 'validation_error')
    const code = 'ABCD-EFGH-2345-WXYZ'
    for (const over of [
      { channel: 'email', purpose: 'verify_email' },
      { channel: 'email', purpose: 'login_mfa' },
    ]) {
      refused(await answer(email, code, over), 400, 'validation_error')
    }
    const reset = { identifier: email, code, new_password: 'twiga mrefu 77' }
    const answered = await app.call('POST /v1/auth/password/reset', { body: reset })
    refused(answered, 400, 'validation_error')
  })

  it('stay while the account can be restored, and are erased with it', async () => {
    const { token, id } = await withTotp()
    assert.equal((await app.call('DELETE /v1/me', { token })).status, 200)
    const left = () => app.db.query('select 1 from recovery_codes where account_id = $1', [id])
    assert.ok((await left()).length > 0)
    await app.db.query(
      "update accounts set deleted_at = deleted_at - interval '31 days' where id = $1",
      [id],
    )
    await eraseDeletedAccounts(app.db, { most: 10, erasures: [] })
    assert.deepEqual(await left(), [])
  })
})
