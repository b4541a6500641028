import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accountsApp,
  ageCodes,
  from,
  freshEmail,
  PASSWORD,
  refused,
} from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'

/** A thief registers with somebody else's address, before its owner does or after. */
const app = accountsApp()

const THIEF = from('41.59.7.1', 'the phone of a thief')
const ELSEWHERE = from('203.0.113.9', 'a second phone')
const THIEFS_PASSWORD = 'mwizi hodari 99'
type Headers = Record<string, string>

const register = (email: string, headers: Headers = {}, password = PASSWORD) =>
  app.call('POST /v1/auth/register', { body: { full_name: 'Asha', email, password }, headers })
const steal = (email: string) => register(email, THIEF, THIEFS_PASSWORD)
const verify = (email: string, code: string) =>
  app.call('POST /v1/auth/otp/verify', {
    body: { identifier: email, channel: 'email', purpose: 'verify_email', code },
  })
const resend = (email: string, headers: Headers = {}) =>
  app.call('POST /v1/auth/otp/resend', {
    body: { identifier: email, channel: 'email', purpose: 'verify_email' },
    headers,
  })
const login = (email: string, password = PASSWORD, headers: Headers = {}) =>
  app.call('POST /v1/auth/login', { body: { identifier: email, password }, headers })
const reset = async (email: string, new_password: string) => {
  await app.call('POST /v1/auth/password/forgot', { body: { identifier: email } })
  const body = { identifier: email, code: await app.lastCode(email), new_password }
  assert.equal((await app.call('POST /v1/auth/password/reset', { body })).status, 200)
}
const newKey = async (token: string) =>
  (await app.call('POST /v1/api-keys', { token, body: { name: 'k' } })).body.data.key as string
/** 403: a key is good, but not for this route. */
const works = async (key: string) => (await app.call('GET /v1/me', { token: key })).status === 403
const mailsTo = async (email: string) =>
  (await app.db.query('select 1 from outbox where recipient = $1', [email])).length
const registrations = async (email: string) =>
  (await app.db.query('select 1 from accounts where email = $1', [email])).length
const noticesOf = async (accountId: string, type: string) =>
  (
    await app.db.query('select 1 from notifications where account_id = $1 and type = $2', [
      accountId,
      type,
    ])
  ).length

/** The owner and the thief register within the life of a code; both codes are sent to the owner. */
async function contested() {
  const email = freshEmail()
  assert.equal((await register(email)).status, 201)
  const own = await app.lastCode(email)
  assert.equal((await steal(email)).status, 201)
  return { email, own, thiefs: await app.lastCode(email) }
}

describe('registrations of one address', () => {
  it('live side by side: a later one leaves the code and the account of the first as they are', async () => {
    const { email, own } = await contested()
    assert.equal(await registrations(email), 2)
    assert.equal((await verify(email, own)).status, 200)
    assert.equal(await registrations(email), 1, 'the one that was not verified is gone')
  })

  it('no password counts where two waited together, whichever code is sent back', async () => {
    for (const which of ['own', 'thiefs'] as const) {
      const codes = await contested()
      const { email } = codes
      const opened = await verify(email, codes[which])
      assert.equal(opened.status, 200)
      for (const password of [PASSWORD, THIEFS_PASSWORD])
        refused(await login(email, password), 401, 'invalid_credentials')
      const { id } = opened.body.data.user
      assert.equal(await noticesOf(id, 'security.password_dropped'), 1)
      const key = await newKey(opened.body.data.access_token)
      assert.ok(await works(key))
      await reset(email, 'twiga mrefu 77')
      assert.ok(!(await works(key)), 'a reset ends keys made before the owner signed in')
      const again = await login(email, 'twiga mrefu 77')
      assert.equal(again.status, 200)
      const later = await newKey(again.body.data.access_token)
      await reset(email, 'kiboko mkubwa 9')
      assert.ok(await works(later), 'and none that were made after')
    }
  })

  it('a code that is sent again counts as waiting: no password of the thief gets through later', async () => {
    const email = freshEmail()
    await steal(email)
    await ageCodes(app.db, 700)
    assert.equal((await register(email)).status, 201)
    assert.equal((await resend(email, THIEF)).status, 200)
    assert.equal((await verify(email, await app.lastCode(email))).status, 200)
    refused(await login(email, THIEFS_PASSWORD), 401, 'invalid_credentials')
  })

  it('an abandoned one changes nothing: the password of the next counts', async () => {
    const email = freshEmail()
    await steal(email)
    await ageCodes(app.db, 700)
    await register(email)
    const opened = await verify(email, await app.lastCode(email))
    assert.equal((await login(email)).status, 200)
    const key = await newKey(opened.body.data.access_token)
    await reset(email, 'twiga mrefu 77')
    assert.ok(await works(key), 'a reset leaves the keys of whoever was always the owner')
  })

  it('whoever registers twice from one device with one password has one, and keeps the password', async () => {
    const email = freshEmail()
    await register(email)
    await ageCodes(app.db, 61)
    assert.equal((await register(email)).status, 201)
    assert.equal(await registrations(email), 1)
    assert.equal((await verify(email, await app.lastCode(email))).status, 200)
    assert.equal((await login(email)).status, 200)
  })

  it('the password of a registration leads to its own code, whoever registered after it', async () => {
    const { email, own } = await contested()
    await ageCodes(app.db, 61)
    refused(await login(email), 403, 'forbidden')
    const code = await app.lastCode(email)
    assert.notEqual(code, own)
    const [asha] = await app.db.query<{ id: string }>(
      'select id from accounts where email = $1 order by created_at limit 1',
      [email],
    )
    assert.equal((await verify(email, code)).body.data.user.id, asha!.id)
  })
})

describe('resending', () => {
  it('repeats the code of the registration that was made from there, and no other', async () => {
    const { email, own } = await contested()
    await ageCodes(app.db, 61)
    const before = await mailsTo(email)
    assert.equal((await resend(email, ELSEWHERE)).status, 200)
    assert.equal(await mailsTo(email), before, 'whoever did not register is sent nothing')
    assert.equal((await resend(email)).status, 200)
    assert.equal(await mailsTo(email), before + 1)
    refused(await verify(email, own), 400, 'otp_invalid')
    const [asha] = await app.db.query<{ id: string }>(
      'select id from accounts where email = $1 order by created_at limit 1',
      [email],
    )
    assert.equal((await verify(email, await app.lastCode(email))).body.data.user.id, asha!.id)
  })

  it('goes on after the code has expired', async () => {
    const email = freshEmail()
    await register(email)
    await ageCodes(app.db, 700)
    assert.equal((await resend(email)).status, 200)
    assert.equal((await verify(email, await app.lastCode(email))).status, 200)
  })
})

describe('a flood of registrations with one address', () => {
  it('ends at ten from one network; its owner registers from another, and gets in', async () => {
    const email = freshEmail()
    const ends: number[] = []
    for (let n = 0; n < 14; n++) {
      ends.push((await register(email, THIEF, `${THIEFS_PASSWORD} ${n}`)).status)
      await ageCodes(app.db, 61)
    }
    assert.deepEqual(ends, [...Array(10).fill(201), ...Array(4).fill(429)])
    assert.equal(await registrations(email), 10)
    assert.equal((await register(email)).status, 201)
    const opened = await verify(email, await app.lastCode(email))
    assert.equal(opened.body.data.user.email, email)
    assert.equal(await registrations(email), 1)
  })
})

it('afterwards every balance is the sum of its entries', () => assertAudit(app.db))
