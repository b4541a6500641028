import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAuthenticator } from '../../../src/accounts/authenticator.ts'
import { ProcessCounter } from '../../../src/http/limits/process-counter.ts'
import { authRoutes } from '../../../src/routes/auth.ts'
import { accountsApp, client, freshEmail, PASSWORD, refused } from '../../support/accounts.ts'
import { startServer } from '../../support/server.ts'

/* Sessions of our own pages: what a browser sends, and what others may try with it. */

const app = accountsApp()
const NAME = '__Host-mlango_refresh'

/** What a browser sends by itself from one of our pages, and the header that the page adds. */
const ours = (more: Record<string, string> = {}) => ({
  'x-mlango-session': 'cookie',
  origin: app.url,
  'sec-fetch-site': 'same-origin',
  ...more,
})
const cookieOf = (headers: Headers): string => {
  const [line] = headers.getSetCookie()
  return line!.slice(NAME.length + 1, line!.indexOf(';'))
}
const holding = (token: string) => ({ cookie: `theme=dark; ${NAME}=${token}; lang=sw` })

async function logIn(email?: string) {
  const who = email ?? (await app.signUp()).email
  const answer = await app.call('POST /v1/auth/login', {
    body: { identifier: who, password: PASSWORD },
    headers: ours(),
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return {
    email: who,
    answer,
    access: answer.body.data.access_token as string,
    token: cookieOf(answer.headers),
  }
}
const refresh = (token: string, headers: Record<string, string> = ours()) =>
  app.call('POST /v1/auth/refresh', { headers: { ...headers, ...holding(token) } })
/** As if the token had been replaced so long ago. */
const age = (token: string, seconds: number) =>
  app.db.query(
    `update sessions set rotated_at = rotated_at - $2::int * interval '1 second' where id = $1`,
    [sessionIn(token), seconds],
  )
const sessionIn = (token: string) => Buffer.from(token.slice(4), 'base64url').toString('hex', 0, 16)

describe('signing in with X-Mlango-Session: cookie', () => {
  it('login: the refresh token is in the cookie, and nowhere else', async () => {
    const { answer, token } = await logIn()
    assert.match(token, /^mlr_[\w-]{59}$/)
    assert.deepEqual(answer.headers.getSetCookie(), [
      `${NAME}=${token}; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Strict`,
    ])
    assert.deepEqual(Object.keys(answer.body.data), [
      'access_token',
      'token_type',
      'expires_in',
      'user',
    ])
    assert.ok(!JSON.stringify(answer.body).includes(token))
  })

  it('a code: the same', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    const answer = await app.call('POST /v1/auth/otp/verify', {
      headers: ours(),
      body: {
        identifier: email,
        channel: 'email',
        purpose: 'verify_email',
        code: await app.lastCode(email),
      },
    })
    assert.equal(answer.status, 200)
    assert.equal('refresh_token' in answer.body.data, false)
    assert.equal((await refresh(cookieOf(answer.headers))).status, 200)
  })

  it('programs see no change: no header, no cookie', async () => {
    const { email } = await app.signUp()
    const body = { identifier: email, password: PASSWORD }
    const answer = await app.call('POST /v1/auth/login', { body })
    assert.deepEqual(answer.headers.getSetCookie(), [])
    assert.match(answer.body.data.refresh_token, /^mlr_/)
    assert.equal(answer.body.data.refresh_expires_in, 2_592_000)
  })

  it('403 from another page, so that nobody can be signed in to an account of the attacker', async () => {
    const { email } = await app.signUp()
    const body = { identifier: email, password: PASSWORD }
    for (const headers of [
      ours({ origin: 'https://evil.example' }),
      ours({ 'sec-fetch-site': 'cross-site' }),
    ]) {
      const answer = await app.call('POST /v1/auth/login', { body, headers })
      refused(answer, 403, 'forbidden')
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
  })

  it('400 for another value of the header', async () => {
    const answer = await app.call('POST /v1/auth/login', {
      body: { identifier: 'a@example.com', password: PASSWORD },
      headers: ours({ 'x-mlango-session': 'token' }),
    })
    refused(answer, 400, 'validation_error')
    assert.match(answer.body.message, /X-Mlango-Session/)
  })
})

describe('POST /v1/auth/refresh with the cookie', () => {
  it('200: a new access token, a new cookie', async () => {
    const { token } = await logIn()
    const answer = await refresh(token)
    assert.equal(answer.status, 200)
    assert.notEqual(cookieOf(answer.headers), token)
    assert.equal('refresh_token' in answer.body.data, false)
    const me = await app.call('GET /v1/me', { token: answer.body.data.access_token })
    assert.equal(me.status, 200)
  })

  it('without Sec-Fetch-Site, which old browsers do not send, the origin decides', async () => {
    const { token } = await logIn()
    const headers = { 'x-mlango-session': 'cookie', origin: app.url }
    assert.equal((await refresh(token, headers)).status, 200)
  })

  const attacks: [name: string, status: number, headers: () => Record<string, string>][] = [
    [
      'a form of another site, which cannot send the header',
      401,
      () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }),
    ],
    [
      'a page of ours that forgot the header',
      401,
      () => ({ origin: app.url, 'sec-fetch-site': 'same-origin' }),
    ],
    ['another origin', 403, () => ours({ origin: 'https://evil.example' })],
    ['another port of this host', 403, () => ours({ origin: 'http://127.0.0.1:1' })],
    ['a sandboxed frame', 403, () => ours({ origin: 'null' })],
    ['no origin', 403, () => ({ 'x-mlango-session': 'cookie', 'sec-fetch-site': 'same-origin' })],
    ['a neighbour of the same site', 403, () => ours({ 'sec-fetch-site': 'same-site' })],
    ['a cross-site request', 403, () => ours({ 'sec-fetch-site': 'cross-site' })],
    ['a typed address', 403, () => ours({ 'sec-fetch-site': 'none' })],
  ]
  for (const [name, status, headers] of attacks) {
    it(`${status}: ${name}; the session is as it was`, async () => {
      const { token } = await logIn()
      const answer = await refresh(token, headers())
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.deepEqual(answer.headers.getSetCookie(), [])
      const [row] = await app.db.query<{ refresh_counter: number; ended_at: Date | null }>(
        'select refresh_counter, ended_at from sessions where id = $1',
        [sessionIn(token)],
      )
      assert.deepEqual(row, { refresh_counter: 0, ended_at: null })
    })
  }

  it('401: no cookie, and one that is nonsense', async () => {
    refused(await app.call('POST /v1/auth/refresh', { headers: ours() }), 401, 'unauthorized')
    refused(await refresh('nonsense'), 401, 'unauthorized')
  })

  it('401: the token of a cookie in a body, and the token of a program in a cookie', async () => {
    const { token } = await logIn()
    const sent = await app.call('POST /v1/auth/refresh', { body: { refresh_token: token } })
    refused(sent, 401, 'unauthorized')
    const bearer = await app.call('POST /v1/auth/refresh', { token })
    refused(bearer, 401, 'unauthorized')
    const program = await app.signUp()
    refused(await refresh(program.refresh), 401, 'unauthorized')
    // Neither session is ended by it.
    assert.equal((await refresh(token)).status, 200)
    const body = { refresh_token: program.refresh }
    assert.equal((await app.call('POST /v1/auth/refresh', { body })).status, 200)
  })

  it('no other route reads the cookie', async () => {
    const { token } = await logIn()
    const headers = ours(holding(token))
    for (const line of [
      'GET /v1/me',
      'GET /v1/api-keys',
      'POST /v1/auth/logout',
      'DELETE /v1/me',
    ]) {
      refused(await app.call(line, { headers }), 401, 'unauthorized')
    }
  })
})

describe('the cookie before', () => {
  it('two tabs at once: both get the same new one', async () => {
    const { token } = await logIn()
    const both = await Promise.all(Array.from({ length: 8 }, () => refresh(token)))
    for (const { status } of both) assert.equal(status, 200)
    assert.equal(new Set(both.map(({ headers }) => cookieOf(headers))).size, 1)
    assert.equal((await refresh(cookieOf(both[0]!.headers))).status, 200)
  })

  it('an answer that was lost: good for 120 s, where a program has 10', async () => {
    const { token } = await logIn()
    const lost = cookieOf((await refresh(token)).headers)
    await age(token, 100)
    const again = await refresh(token)
    assert.equal(again.status, 200)
    assert.equal(cookieOf(again.headers), lost)
    const program = await app.signUp()
    const body = { refresh_token: program.refresh }
    await app.call('POST /v1/auth/refresh', { body })
    await age(program.refresh, 11)
    refused(await app.call('POST /v1/auth/refresh', { body }), 401, 'unauthorized')
  })

  it('stolen and used after 120 s: the session ends, for the thief and for the owner', async () => {
    const { token, access } = await logIn()
    const current = cookieOf((await refresh(token)).headers)
    await age(token, 121)
    refused(await refresh(token), 401, 'unauthorized')
    refused(await refresh(current), 401, 'unauthorized')
    refused(await app.call('GET /v1/me', { token: access }), 401, 'unauthorized')
    const told = await app.db.query(
      `select 1 from notifications n join sessions s on s.account_id = n.account_id
       where s.id = $1 and n.type = 'security.session_reuse'`,
      [sessionIn(token)],
    )
    assert.equal(told.length, 1)
  })

  it('two steps back is theft at once', async () => {
    const { token } = await logIn()
    const second = cookieOf((await refresh(token)).headers)
    await refresh(second)
    refused(await refresh(token), 401, 'unauthorized')
    refused(await refresh(second), 401, 'unauthorized')
  })
})

describe('POST /v1/auth/logout with the cookie', () => {
  it('200: the cookie is cleared, and its session has ended', async () => {
    const { token, access } = await logIn()
    const answer = await app.call('POST /v1/auth/logout', {
      token: access,
      headers: ours(holding(token)),
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.headers.getSetCookie(), [
      `${NAME}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict`,
    ])
    refused(await refresh(token), 401, 'unauthorized')
    refused(await app.call('GET /v1/me', { token: access }), 401, 'unauthorized')
  })

  it('200: a cookie of another sign-in in this browser ends with it', async () => {
    const one = await logIn()
    const other = await logIn()
    const headers = ours(holding(other.token))
    await app.call('POST /v1/auth/logout', { token: one.access, headers })
    refused(await refresh(one.token), 401, 'unauthorized')
    refused(await refresh(other.token), 401, 'unauthorized')
  })

  it('403 and nothing ended from another page', async () => {
    const { token, access } = await logIn()
    const headers = { ...ours({ origin: 'https://evil.example' }), ...holding(token) }
    refused(await app.call('POST /v1/auth/logout', { token: access, headers }), 403, 'forbidden')
    assert.equal((await refresh(token)).status, 200)
  })

  it('{all: true} ends the sessions of programs too', async () => {
    const program = await app.signUp()
    const { access } = await logIn(program.email)
    const headers = ours()
    await app.call('POST /v1/auth/logout', { token: access, headers, body: { all: true } })
    const body = { refresh_token: program.refresh }
    refused(await app.call('POST /v1/auth/refresh', { body }), 401, 'unauthorized')
  })
})

/** The same routes under another address, and with counting. */
async function served(publicUrl: string | undefined, settings: Record<string, unknown> = {}) {
  const accounts = { ...app.accounts, publicUrl }
  const service = await startServer({
    routes: authRoutes(accounts),
    authenticator: createAuthenticator(accounts),
    limiter: new ProcessCounter({ now: () => new Date('2026-11-16T10:00:00Z') }),
    settings,
  })
  return { ...service, call: client(service.url) }
}

describe('where our pages are', () => {
  it('behind https it is the origin of PUBLIC_URL, whatever the Host says', async () => {
    const { email } = await app.signUp()
    const service = await served('https://mlango.example')
    const body = { identifier: email, password: PASSWORD }
    const from = (origin: string) =>
      service.call('POST /v1/auth/login', {
        body,
        headers: { 'x-mlango-session': 'cookie', origin },
      })
    assert.equal((await from('https://mlango.example')).status, 200)
    refused(await from(service.url), 403, 'forbidden')
    refused(await from('http://mlango.example'), 403, 'forbidden')
    refused(await from('https://mlango.example.evil.example'), 403, 'forbidden')
    await service.close()
  })

  it('over plain http there is no such session, but on localhost; the answer says so', async () => {
    const { email } = await app.signUp()
    const body = { identifier: email, password: PASSWORD }
    const service = await served('http://mlango.example')
    const headers = { 'x-mlango-session': 'cookie', origin: 'http://mlango.example' }
    const answer = await service.call('POST /v1/auth/login', { body, headers })
    refused(answer, 403, 'forbidden')
    assert.match(answer.body.message, /https/)
    await service.close()
    const bare = await served(undefined)
    const named = { 'x-mlango-session': 'cookie', origin: bare.url }
    assert.equal((await bare.call('POST /v1/auth/login', { body, headers: named })).status, 200)
    await bare.close()
  })

  it('CORS never allows credentials, nor the header, to any origin', async () => {
    const CORS_ORIGINS = ['*']
    const FRONTEND_URL = 'https://app.example'
    const service = await served('https://mlango.example', { FRONTEND_URL, CORS_ORIGINS })
    for (const origin of ['https://app.example', 'https://evil.example', 'null']) {
      for (const method of ['OPTIONS', 'POST']) {
        const answer = await fetch(`${service.url}/v1/auth/refresh`, {
          method,
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'x-mlango-session',
          },
        })
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
        const allowed = origin === FRONTEND_URL ? origin : null
        assert.equal(answer.headers.get('access-control-allow-origin'), allowed)
        const sendable = answer.headers.get('access-control-allow-headers') ?? ''
        assert.doesNotMatch(sendable, /x-mlango-session|\*/i)
      }
    }
    await service.close()
  })
})

describe('how often', () => {
  it('refresh is counted per session: one that is over its limit leaves the others alone', async () => {
    const [one, other] = [await logIn(), await logIn()]
    const service = await served(app.url, { AUTH_RATE_LIMIT_RPM: 5 })
    const again = (token: string) =>
      service.call('POST /v1/auth/refresh', { headers: { ...ours(), ...holding(token) } })
    let token = one.token
    for (let i = 0; i < 5; i++) token = cookieOf((await again(token)).headers)
    refused(await again(token), 429, 'rate_limited')
    assert.equal((await again(other.token)).status, 200)
    await service.close()
  })

  it('sign-in is counted by failures: the many of one address do not lock each other out', async () => {
    const { email } = await app.signUp()
    const service = await served(app.url, { AUTH_RATE_LIMIT_RPM: 3 })
    const logInAs = (identifier: string, password: string) =>
      service.call('POST /v1/auth/login', { body: { identifier, password } })
    for (let i = 0; i < 8; i++) assert.equal((await logInAs(email, PASSWORD)).status, 200)
    for (let i = 0; i < 3; i++)
      refused(await logInAs(freshEmail(), 'x'), 401, 'invalid_credentials')
    refused(await logInAs(freshEmail(), 'x'), 429, 'rate_limited')
    refused(await logInAs(email, PASSWORD), 429, 'rate_limited')
    // Those who are signed in already stay so.
    const { token } = await logIn(email)
    const headers = { ...ours(), ...holding(token) }
    assert.equal((await service.call('POST /v1/auth/refresh', { headers })).status, 200)
    await service.close()
  })

  it('guesses at once cannot all pass before the first has failed', async () => {
    const service = await served(app.url, { AUTH_RATE_LIMIT_RPM: 3 })
    const guesses = Array.from({ length: 20 }, () =>
      service.call('POST /v1/auth/login', { body: { identifier: freshEmail(), password: 'x' } }),
    )
    const passed = (await Promise.all(guesses)).filter(({ status }) => status !== 429)
    assert.equal(passed.length, 3)
    await service.close()
  })

  it('even successes have an end: ten times as many', async () => {
    const { email } = await app.signUp()
    const service = await served(app.url, { AUTH_RATE_LIMIT_RPM: 1 })
    const body = { identifier: email, password: PASSWORD }
    for (let i = 0; i < 10; i++) {
      assert.equal((await service.call('POST /v1/auth/login', { body })).status, 200)
    }
    refused(await service.call('POST /v1/auth/login', { body }), 429, 'rate_limited')
    await service.close()
  })

  it('made-up sessions from one address have an end', async () => {
    const service = await served(app.url, { AUTH_RATE_LIMIT_RPM: 1 })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const bytes = Buffer.alloc(44, i)
      const headers = { ...ours(), ...holding(`mlr_${bytes.toString('base64url')}`) }
      statuses.push((await service.call('POST /v1/auth/refresh', { headers })).status)
    }
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429])
    await service.close()
  })
})
