import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endWaiting } from '../../../src/accounts/accounts-store.ts'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import { savePreferences } from '../../../src/notices/preferences-store.ts'
import {
  accountsApp,
  ageCodes,
  freshEmail,
  freshPhone,
  fromBase32,
  PASSWORD,
  refused,
  testClock,
} from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'

/** A thief has an access token of somebody who signed in a while ago, and a phone of their own. */
const clock = testClock()
const app = accountsApp(clock)
const NEXT = 'twiga mrefu 77'

type Token = { token: string }
const post = (path: string, body: object, token?: string) =>
  app.call(`POST ${path}`, { body, ...(token !== undefined && { token }) })
const patch = ({ token }: Token, body: object) => app.call('PATCH /v1/me', { token, body })
const me = async ({ token }: Token) => (await app.call('GET /v1/me', { token })).body.data
const login = (identifier: string, password = PASSWORD) =>
  post('/v1/auth/login', { identifier, password })
const setPhone = ({ token }: Token, phone_number: string, more: object = {}) =>
  post('/v1/me/phone', { phone_number, ...more }, token)
const verifyPhone = async (identifier: string) =>
  post('/v1/auth/otp/verify', {
    identifier,
    channel: 'phone',
    purpose: 'verify_phone',
    code: await app.lastCode(identifier),
  })
const messagesTo = async (recipient: string) =>
  (
    await app.db.query<{ body: string }>(
      'select body from outbox where recipient = $1 order by id',
      [recipient],
    )
  ).map(({ body }) => body)
const linksTo = async (recipient: string) =>
  (await messagesTo(recipient)).flatMap((body) => /\/undo#([\w-]{22})/.exec(body)?.[1] ?? [])
const undo = (token: string | undefined) => post('/v1/auth/undo', { token })

/** As if all that was shown in a session had been shown a quarter of an hour ago. */
const later = (accountId: string) =>
  app.db.query(
    `update sessions set confirmed_at = confirmed_at - interval '15 minutes',
       second_factor_at = second_factor_at - interval '15 minutes' where account_id = $1`,
    [accountId],
  )
const sevenDaysPass = async (accountId: string) => {
  await app.db.query(
    `update accounts set phone_signs_in_at = phone_signs_in_at - interval '7 days' where id = $1`,
    [accountId],
  )
  await endWaiting(app.db)
}

/** Signed in a while ago, with a number of their own. */
async function owner() {
  const person = await app.signUp()
  const phone = freshPhone()
  assert.equal((await setPhone(person, phone)).status, 200)
  assert.equal((await verifyPhone(phone)).status, 200)
  await later(person.id)
  return { ...person, phone }
}

async function withPhoneFactor() {
  const person = await app.signUp()
  const phone = freshPhone()
  await setPhone(person, phone)
  await verifyPhone(phone)
  const chosen = await patch(person, { mfa_method: 'phone' })
  return { ...person, phone, recovery: chosen.body.data.recovery_codes as string[] }
}

describe('a stolen session', () => {
  it('cannot change a way in or a second factor, not even add the first one', async () => {
    const person = await owner()
    for (const body of [{ mfa_method: 'totp' }, { mfa_method: 'email' }, { mfa_method: 'phone' }]) {
      const answer = await patch(person, body)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /^password is required/)
    }
    const email = freshEmail()
    refused(await post('/v1/me/email', { email }, person.token), 400, 'validation_error')
    const password = { new_password: NEXT }
    refused(await post('/v1/me/password', password, person.token), 400, 'validation_error')
    assert.equal((await patch(person, { mfa_method: 'totp', password: PASSWORD })).status, 200)
  })

  it('cannot finish the enrolment that the owner began', async () => {
    const person = await owner()
    const begun = await patch(person, { mfa_method: 'totp', password: PASSWORD })
    await later(person.id)
    const secret = fromBase32(begun.body.data.totp.secret)
    const totp_code = totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    refused(await patch(person, { totp_code }), 400, 'validation_error')
    assert.equal((await patch(person, { totp_code, password: PASSWORD })).status, 200)
  })

  it('gets a number that is good for top-ups, and for seven days for nothing else', async () => {
    const person = await owner()
    const thiefs = freshPhone()
    assert.equal((await setPhone(person, thiefs)).status, 200)
    const entered = await verifyPhone(thiefs)
    assert.equal(entered.status, 200)
    const { phone_number, phone_verified, phone_signs_in_at } = entered.body.data.user
    assert.deepEqual([phone_number, phone_verified], [thiefs, true])
    assert.ok(Date.parse(phone_signs_in_at) > Date.now() + 6 * 86_400_000)
    refused(await login(thiefs), 401, 'invalid_credentials')
    const before = (await messagesTo(thiefs)).length
    assert.equal((await post('/v1/auth/password/forgot', { identifier: thiefs })).status, 200)
    assert.equal((await messagesTo(thiefs)).length, before, 'no code for a reset')
    // The old number stays good for all of it.
    assert.equal((await login(person.phone)).status, 200)
    await post('/v1/auth/password/forgot', { identifier: person.phone })
    assert.match((await messagesTo(person.phone)).at(-1)!, /\d{6}/)
    refused(
      await patch(person, { mfa_method: 'phone', password: PASSWORD }),
      400,
      'validation_error',
    )
    await sevenDaysPass(person.id)
    assert.deepEqual([(await login(thiefs)).status, (await login(person.phone)).status], [200, 401])
    assert.equal('phone_signs_in_at' in (await me(person)), false)
  })

  it('gets no lasting session by it: none that confirms, is renewed, or begins another', async () => {
    const person = await owner()
    const thiefs = freshPhone()
    await setPhone(person, thiefs)
    const guest = (await verifyPhone(thiefs)).body.data
    assert.equal(guest.refresh_expires_in, 900)
    const token = guest.access_token as string
    refused(await patch({ token }, { mfa_method: 'email' }), 400, 'validation_error')
    refused(await setPhone({ token }, freshPhone()), 403, 'forbidden')
    const renewed = await post('/v1/auth/refresh', { refresh_token: guest.refresh_token })
    assert.equal(renewed.status, 200)
    const [row] = await app.db.query<{ left: number }>(
      `select max(extract(epoch from expires_at - now()))::int as left from sessions
       where account_id = $1 and guest`,
      [person.id],
    )
    assert.ok(row!.left <= 900, `${row!.left} s`)
  })

  it('does not read what the owner is told: word goes to the addresses of before', async () => {
    const person = await owner()
    const thiefs = freshPhone()
    await savePreferences(app.db, person.id, { email: { security: false } })
    await setPhone(person, thiefs)
    await verifyPhone(thiefs)
    assert.deepEqual(await linksTo(thiefs), [])
    const [mailed, texted] = [await linksTo(person.email), await linksTo(person.phone)]
    assert.match(mailed.at(-1) ?? '', /^[\w-]{22}$/)
    assert.equal(texted.at(-1), mailed.at(-1))
    const inApp = await app.db.query<{ body: string }>(
      'select body from notifications where account_id = $1',
      [person.id],
    )
    assert.ok(inApp.every(({ body }) => !body.includes('/undo')))
  })

  it("that spends its own changes leaves the owner's free", async () => {
    const person = await owner()
    let last = 200
    for (let i = 0; i < 30 && last === 200; i++)
      last = (await setPhone(person, freshPhone())).status
    assert.equal(last, 429)
    const kept = await setPhone(person, freshPhone(), { password: PASSWORD })
    assert.equal(kept.status, 200)
  })
})

describe('the owner', () => {
  it('changes the number with the password: it signs in with its code, at once', async () => {
    const person = await owner()
    const phone = freshPhone()
    refused(await setPhone(person, phone, { password: 'wrong' }), 400, 'validation_error')
    assert.equal((await setPhone(person, phone, { password: PASSWORD })).status, 200)
    assert.equal((await verifyPhone(phone)).status, 200)
    assert.deepEqual([(await login(phone)).status, (await login(person.phone)).status], [200, 401])
  })

  it('needs no password within ten minutes of signing in, or of sending it', async () => {
    const person = await app.signUp()
    assert.equal((await patch(person, { mfa_method: 'email' })).status, 200)
    await later(person.id)
    await app.db.query('update sessions set second_factor_at = now() where account_id = $1', [
      person.id,
    ])
    refused(await patch(person, { mfa_method: 'none' }), 400, 'validation_error')
    const sent = await patch(person, { mfa_method: 'none', password: PASSWORD })
    assert.equal(sent.status, 200)
    assert.equal((await patch(person, { mfa_method: 'email' })).status, 200)
  })

  it('confirms later: the same number again, with the password', async () => {
    const person = await owner()
    const phone = freshPhone()
    await setPhone(person, phone)
    await verifyPhone(phone)
    await ageCodes(app.db, 61)
    assert.equal((await setPhone(person, phone, { password: PASSWORD })).status, 200)
    await verifyPhone(phone)
    assert.equal((await login(phone)).status, 200)
  })

  it('is asked for the second factor beside the password', async () => {
    const person = await withPhoneFactor()
    await later(person.id)
    const phone = freshPhone()
    await setPhone(person, phone)
    await verifyPhone(phone)
    const { channel, masked } = (await login(person.email)).body.data
    assert.deepEqual([channel, masked.slice(-3)], ['phone', person.phone.slice(-3)])
    const confirmed = () => setPhone(person, freshPhone(), { password: PASSWORD })
    refused(await confirmed(), 403, 'forbidden')
    const mfa_code = await app.lastCode(person.phone)
    const done = await setPhone(person, freshPhone(), { password: PASSWORD, mfa_code })
    assert.equal(done.status, 200)
  })
})

describe('a number that waits', () => {
  it('belongs to its account: nobody else can prove it meanwhile', async () => {
    const person = await owner()
    const phone = freshPhone()
    await setPhone(person, phone)
    await verifyPhone(phone)
    refused(await setPhone(await app.signUp(), phone), 409, 'conflict')
  })

  it('is named anew: the days begin anew', async () => {
    const person = await owner()
    const [first, second] = [freshPhone(), freshPhone()]
    await setPhone(person, first)
    await verifyPhone(first)
    await setPhone(person, second)
    await sevenDaysPass(person.id)
    refused(await login(first), 401, 'invalid_credentials')
    await verifyPhone(second)
    refused(await login(second), 401, 'invalid_credentials')
    assert.equal((await login(person.phone)).status, 200)
  })
})

describe('the link that undoes a change', () => {
  it('brings back the number before, ends every session, and asks for a new password', async () => {
    const person = await owner()
    const thiefs = freshPhone()
    await setPhone(person, thiefs)
    const guest = (await verifyPhone(thiefs)).body.data.access_token
    const made = await app.call('POST /v1/api-keys', {
      token: person.token,
      body: { name: 'of the thief' },
    })
    const token = (await linksTo(person.email)).at(-1)
    refused(await undo('A'.repeat(22)), 410, 'gone')
    assert.equal((await undo(token)).status, 200)
    refused(await undo(token), 410, 'gone')
    for (const one of [person.token, guest]) {
      refused(await app.call('GET /v1/me', { token: one }), 401, 'unauthorized')
    }
    const keys = await app.db.query('select 1 from api_keys where id = $1 and revoked_at is null', [
      made.body.data.id,
    ])
    assert.deepEqual(keys, [])
    refused(await login(person.email), 401, 'invalid_credentials')
    await ageCodes(app.db, 61)
    await post('/v1/auth/password/forgot', { identifier: person.phone })
    const code = await app.lastCode(person.phone)
    const body = { identifier: person.phone, code, new_password: NEXT }
    assert.equal((await post('/v1/auth/password/reset', body)).status, 200)
    const back = (await login(person.email, NEXT)).body.data
    assert.equal(back.user.phone_number, person.phone)
    await assertAudit(app.db)
  })

  it('undoes all that came after it, and the links of that with it', async () => {
    const person = await owner()
    const thiefs = freshEmail()
    const confirmed = { password: PASSWORD }
    await post('/v1/me/email', { email: thiefs, ...confirmed }, person.token)
    const code = await app.lastCode(thiefs)
    await post('/v1/me/email/verify', { email: thiefs, code }, person.token)
    const first = (await linksTo(person.email)).at(-1)
    const begun = await patch(person, { mfa_method: 'totp' })
    const secret = fromBase32(begun.body.data.totp.secret)
    const totp_code = totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    assert.equal((await patch(person, { totp_code })).status, 200)
    const [second] = await linksTo(thiefs)
    assert.ok(first && second && first !== second)
    await post('/v1/auth/password/forgot', { identifier: thiefs })
    const reset = await app.lastCode(thiefs)
    assert.equal((await undo(first)).status, 200)
    refused(await undo(second), 410, 'gone')
    const late = { identifier: thiefs, code: reset, new_password: NEXT }
    refused(await post('/v1/auth/password/reset', late), 400, 'otp_invalid')
    const [row] = await app.db.query<{ email: string; mfa_method: string }>(
      'select email, mfa_method from accounts where id = $1',
      [person.id],
    )
    assert.deepEqual(row, { email: person.email, mfa_method: 'none' })
    const codes = await app.db.query('select 1 from recovery_codes where account_id = $1', [
      person.id,
    ])
    assert.deepEqual(codes, [])
  })

  it('brings an authenticator and its recovery codes back', async () => {
    const person = await owner()
    const begun = await patch(person, { mfa_method: 'totp', password: PASSWORD })
    const secret = fromBase32(begun.body.data.totp.secret)
    const code = () => {
      clock.push(30_000)
      return totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    }
    await patch(person, { totp_code: code() })
    assert.equal((await patch(person, { mfa_method: 'none' })).status, 200)
    assert.equal((await undo((await linksTo(person.email)).at(-1))).status, 200)
    const [row] = await app.db.query(
      `select mfa_method, totp_sealed is not null as sealed,
         (select count(*)::int from recovery_codes where account_id = a.id) as codes
       from accounts a where id = $1`,
      [person.id],
    )
    assert.deepEqual(row, { mfa_method: 'totp', sealed: true, codes: 10 })
  })

  it('works for seven days, and not while another account has the address by now', async () => {
    const person = await owner()
    await setPhone(person, freshPhone(), { password: PASSWORD })
    const token = (await linksTo(person.email)).at(-1)
    await app.db.query(`update sign_in_changes set created_at = created_at - interval '7 days'`)
    refused(await undo(token), 410, 'gone')
    await app.db.query(`update sign_in_changes set created_at = created_at + interval '6 days'`)
    await app.db.query(
      `update accounts set login_phone = null, phone_number = null, phone_verified_at = null
       where id = $1`,
      [person.id],
    )
    const other = await app.signUp()
    await setPhone(other, person.phone)
    await verifyPhone(person.phone)
    refused(await undo(token), 409, 'conflict')
  })
})

describe('with codes by SMS as the second factor', () => {
  const reset = async (identifier: string, more: object = {}) => {
    await ageCodes(app.db, 61)
    await post('/v1/auth/password/forgot', { identifier })
    const code = await app.lastCode(identifier)
    const body = { identifier, code, new_password: NEXT, ...more }
    return { answer: await post('/v1/auth/password/reset', body), body }
  }

  it('a reset by SMS wants a recovery code too: one SIM is not enough', async () => {
    const { phone, email, recovery } = await withPhoneFactor()
    assert.equal(recovery.length, 10)
    const { answer, body } = await reset(phone)
    refused(answer, 403, 'forbidden')
    assert.match(answer.body.message, /recovery_code/)
    const wrong = { ...body, recovery_code: 'ABCD-EFGH-2345-WXYZ' }
    refused(await post('/v1/auth/password/reset', wrong), 400, 'validation_error')
    const right = { ...body, recovery_code: recovery[0] }
    assert.equal((await post('/v1/auth/password/reset', right)).status, 200)
    assert.equal((await login(email, NEXT)).body.data.mfa_required, true)
  })

  it('a reset by email goes on as before', async () => {
    const { email } = await withPhoneFactor()
    assert.equal((await reset(email)).answer.status, 200)
  })
})
