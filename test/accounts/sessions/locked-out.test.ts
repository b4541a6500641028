import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import { subjectOf } from '../../../src/accounts/identifiers.ts'
import {
  accountsApp,
  ageCodes,
  from,
  fromBase32,
  freshEmail,
  otherThan,
  PASSWORD,
  refused,
  testClock,
} from '../../support/accounts.ts'

/**
 * What strangers do with somebody's address keeps its owner out for no moment: not on the device that
 * signed up, and not on a new phone in a network that the account has never used.
 */
const clock = testClock()
const app = accountsApp(clock)
const STRANGER = from('41.59.7.1')
const ABROAD = from('203.0.113.9', 'a new phone')
const HOME = {}

const login = (identifier: string, headers: object = HOME, password = PASSWORD) =>
  app.call('POST /v1/auth/login', { body: { identifier, password }, headers: { ...headers } })
const answer = (body: object, headers: object = HOME) =>
  app.call('POST /v1/auth/otp/verify', { body, headers: { ...headers } })
const forgot = (identifier: string, headers: object = HOME) =>
  app.call('POST /v1/auth/password/forgot', { body: { identifier }, headers: { ...headers } })
const reset = (identifier: string, code: string, headers: object = HOME) =>
  app.call('POST /v1/auth/password/reset', {
    body: { identifier, code, new_password: PASSWORD },
    headers: { ...headers },
  })
/** Until it is refused; how many tries there were before. */
const untilRefused = async (ask: () => Promise<{ status: number }>) => {
  for (let tries = 0; ; tries++) {
    if ((await ask()).status === 429) return tries
    assert.ok(tries < 60, 'there is an end')
  }
}
/** As if so many strangers, in networks of their own, had tried just before. */
const afterManyStrangers = (rule: string, email: string, of = '') =>
  app.db.query(
    `insert into throttles (bucket, tries) values ($1, 1000)
     on conflict (bucket) do update set tries = 1000, last_try = now()`,
    [`${rule}:${of}${subjectOf(app.accounts.keys.identifiers, email).toString('hex')}:strangers`],
  )

async function withCodes() {
  const person = await app.signUp()
  const body = { mfa_method: 'email' }
  const changed = await app.call('PATCH /v1/me', { token: person.token, body })
  assert.equal(changed.status, 200)
  return person
}

async function enterWithCode(email: string, headers: object) {
  const { challenge_id } = (await login(email, headers)).body.data
  assert.ok(challenge_id)
  const who = { identifier: email, channel: 'email', purpose: 'login_mfa', challenge_id }
  return answer({ ...who, code: await app.lastCode(email) }, headers)
}

describe('after a stranger', () => {
  it('has sent wrong codes until refused, the owner gets in with password and code, at home and abroad', async () => {
    const { email } = await withCodes()
    const challenge_id = '01900000-0000-7000-8000-000000000001'
    const guess = { identifier: email, channel: 'email', purpose: 'login_mfa', challenge_id }
    const tries = await untilRefused(() => answer({ ...guess, code: '123456' }, STRANGER))
    assert.equal(tries, 15)
    assert.equal((await enterWithCode(email, HOME)).status, 200)
    await ageCodes(app.db, 61)
    assert.equal((await enterWithCode(email, ABROAD)).status, 200)
  })

  it('has tried passwords until refused, the owner gets in, at home and abroad', async () => {
    const { email } = await app.signUp()
    assert.equal(await untilRefused(() => login(email, STRANGER, 'not this one')), 10)
    refused(await login(email, STRANGER), 429, 'rate_limited')
    for (const headers of [HOME, ABROAD]) assert.equal((await login(email, headers)).status, 200)
  })

  it('has asked for codes until refused, the owner gets one, and it works', async () => {
    for (const headers of [HOME, ABROAD]) {
      const { email } = await app.signUp()
      const asks = await untilRefused(async () => {
        const asked = await forgot(email, STRANGER)
        await ageCodes(app.db, 61)
        return asked
      })
      assert.equal(asks, 10)
      assert.equal((await forgot(email, headers)).body.data.resend_after, 60)
      assert.equal((await reset(email, await app.lastCode(email), headers)).status, 200)
    }
  })

  it('has asked a moment ago, the owner is sent a code at once, and another from elsewhere', async () => {
    const { email } = await app.signUp()
    const sent = async () =>
      (await app.db.query('select 1 from outbox where recipient = $1', [email])).length
    const before = await sent()
    for (const headers of [STRANGER, HOME, ABROAD]) {
      assert.equal((await forgot(email, headers)).body.data.resend_after, 60)
    }
    assert.equal(await sent(), before + 3)
    assert.equal((await reset(email, await app.lastCode(email), ABROAD)).status, 200)
  })

  it('has used up the tries of others, another one is not told that a guess is right', async () => {
    const { email } = await app.signUp()
    await forgot(email)
    const code = await app.lastCode(email)
    for (let n = 0; n < 5; n++) await reset(email, otherThan(code), STRANGER)
    const second = from('41.59.8.1')
    await forgot(email, second)
    refused(await reset(email, code, second), 400, 'otp_invalid')
    assert.equal((await reset(email, code)).status, 200)
  })

  it('has used up the tries of others, the owner still has five at the code asked for', async () => {
    const { email } = await app.signUp()
    await forgot(email)
    const code = await app.lastCode(email)
    for (let n = 0; n < 5; n++)
      refused(await reset(email, otherThan(code), STRANGER), 400, 'otp_invalid')
    refused(await reset(email, code, STRANGER), 400, 'otp_expired')
    for (let n = 0; n < 4; n++) refused(await reset(email, otherThan(code)), 400, 'otp_invalid')
    assert.equal((await reset(email, code)).status, 200)
  })

  it('has the password and guesses the authenticator, its owner is let in with the app', async () => {
    const { email, token } = await app.signUp()
    const patch = (body: object) => app.call('PATCH /v1/me', { token, body })
    const secret = fromBase32((await patch({ mfa_method: 'totp' })).body.data.totp.secret)
    const code = () => totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    assert.equal((await patch({ totp_code: code() })).status, 200)
    const enter = async (headers: object, given: () => string) => {
      const { challenge_id } = (await login(email, headers)).body.data
      const who = { identifier: email, channel: 'totp', purpose: 'login_mfa', challenge_id }
      return answer({ ...who, code: given() }, headers)
    }
    assert.equal(await untilRefused(() => enter(STRANGER, () => otherThan(code()))), 15)
    for (const headers of [HOME, ABROAD]) {
      clock.push(30_000)
      assert.equal((await enter(headers, code)).status, 200)
    }
  })

  it('has stolen a session and guesses the second factor in it, the owner can change it in another', async () => {
    const { email, token: stolen } = await withCodes()
    await app.db.query('update sessions set second_factor_at = null')
    const off = (token: string, mfa_code?: string) =>
      app.call('PATCH /v1/me', { token, body: { mfa_method: 'none', mfa_code } })
    await off(stolen)
    assert.equal(await untilRefused(() => off(stolen, otherThan('123456'))), 15)
    const own = (await enterWithCode(email, HOME)).body.data.access_token
    await app.db.query('update sessions set second_factor_at = null')
    refused(await off(own), 403, 'forbidden')
    assert.equal((await off(own, await app.lastCode(email))).status, 200)
  })
})

describe('while many strangers try from many networks', () => {
  it('a new network has three wrong passwords, a known device ten; the right one opens from both', async () => {
    const { email } = await app.signUp()
    await afterManyStrangers('login', email)
    assert.equal(await untilRefused(() => login(email, STRANGER, 'not this one')), 3)
    for (let n = 0; n < 2; n++)
      refused(await login(email, ABROAD, 'not this one'), 401, 'invalid_credentials')
    assert.equal((await login(email, ABROAD)).status, 200)
    assert.equal(await untilRefused(() => login(email, HOME, 'not this one')), 10)
  })

  it('a browser is known by its cookie in a network that is new, even after its session has ended', async () => {
    const { email, id } = await app.signUp()
    const page = { 'x-mlango-session': 'cookie', origin: app.url, 'sec-fetch-site': 'same-origin' }
    const [line] = (await login(email, page)).headers.getSetCookie()
    const cookie = line!.slice(0, line!.indexOf(';'))
    await app.db.query('update sessions set ended_at = now() where account_id = $1', [id])
    await afterManyStrangers('login', email)
    const bent = `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BB' : 'AA'}`
    const wrong = (sent: string) => () =>
      login(email, { ...ABROAD, ...page, cookie: sent }, 'not this one')
    assert.equal(await untilRefused(wrong(cookie)), 10)
    assert.equal(await untilRefused(wrong(bent)), 3)
  })

  it('whoever comes back every hour has three a day', async () => {
    const { email } = await app.signUp()
    await afterManyStrangers('login', email)
    const anHourLater = () =>
      app.db.query(
        `update throttles set last_try = last_try - interval '1 hour',
           blocked_until = blocked_until - interval '1 hour'`,
      )
    const day: number[] = []
    for (let hour = 0; hour < 24; hour++) {
      day.push((await login(email, STRANGER, 'not this one')).status)
      await anHourLater()
    }
    assert.equal(day.filter((status) => status === 401).length, 3)
    assert.equal((await login(email, ABROAD)).status, 200)
  })

  it('the owner is still sent codes, and they work', async () => {
    const { email } = await app.signUp()
    await afterManyStrangers('sends', email, 'reset_password:')
    await afterManyStrangers('wrongCodes', email)
    const asks = await untilRefused(async () => {
      const asked = await forgot(email, STRANGER)
      await ageCodes(app.db, 61)
      return asked
    })
    assert.equal(asks, 2)
    for (const headers of [HOME, ABROAD]) {
      assert.equal((await forgot(email, headers)).status, 200)
      assert.equal((await reset(email, await app.lastCode(email), headers)).status, 200)
    }
  })
})

describe('people who share an address', () => {
  it('three clerks of a shop do not use up one another: each has ten tries', async () => {
    const shop = from('196.41.32.7', 'the phone of the shop')
    const clerks = [await app.signUp(), await app.signUp(), await app.signUp()]
    const [careless, ...others] = clerks
    assert.equal(await untilRefused(() => login(careless!.email, shop, 'not this one')), 10)
    for (const { email } of others) assert.equal((await login(email, shop)).status, 200)
  })

  it('nobody learns from the counts whether there is such an account', async () => {
    const { email } = await app.signUp()
    for (const who of [email, freshEmail()]) {
      assert.equal(await untilRefused(() => login(who, STRANGER, 'not this one')), 10)
    }
  })
})
