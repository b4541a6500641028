import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Db } from '../../../src/db/db.ts'
import { freshEmail, PASSWORD } from '../../support/accounts.ts'
import { freshDb } from '../../support/databases.ts'
import { startGithub } from '../../support/peers/github.ts'
import type { GithubPeer } from '../../support/peers/github.ts'
import { CLIENT, startOidcPeer } from '../../support/peers/oidc.ts'
import type { OidcPeer } from '../../support/peers/oidc.ts'
import { fragmentOf, openBrowser, PAGE, PUBLIC_URL, startSignIn } from '../../support/sign-in.ts'

const OTHER_PAGE = 'https://other.example/done?tab=1'
const CALLBACK = { google: '/v1/auth/google/callback', github: '/v1/auth/github/callback' }

let db: Db
let google: OidcPeer
let github: GithubPeer
let app: Awaited<ReturnType<typeof startSignIn>>
before(async () => {
  db = await freshDb()
  google = await startOidcPeer([PUBLIC_URL + CALLBACK.google])
  github = await startGithub({ id: 'gh', secret: 'gh-secret' })
  app = await startSignIn(db, {
    GOOGLE_ISSUER: google.issuer,
    GOOGLE_CLIENT_ID: CLIENT.id,
    GOOGLE_CLIENT_SECRET: CLIENT.secret,
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.url,
    GITHUB_CLIENT_ID: 'gh',
    GITHUB_CLIENT_SECRET: 'gh-secret',
    OAUTH_REDIRECT_ALLOWLIST: `${PAGE},${OTHER_PAGE}`,
  })
})
after(async () => {
  await app.close()
  await google.close()
  await github.close()
  await db.close()
})

type Browser = ReturnType<typeof openBrowser>
type Name = keyof typeof CALLBACK

/** To the provider and back, up to the door of the callback. */
const toDoor = (browser: Browser, name: Name, query = '') =>
  browser.walk(`${PUBLIC_URL}/v1/auth/${name}/start${query}`, PUBLIC_URL + CALLBACK[name])

async function through(name: Name, query = '', browser = openBrowser(app.url)) {
  const answer = await browser.get(await toDoor(browser, name, query))
  assert.equal(answer.status, 302)
  return answer.next!
}

function refused(address: string, error: string) {
  assert.ok(address.startsWith(`${PAGE}#`), address)
  const fragment = fragmentOf(address)
  assert.equal(fragment.error, error)
  assert.equal('access_token' in fragment, false)
  assert.match(fragment.request_id ?? '', /^req_/)
  assert.equal(new URL(address).search, '')
}

const meOf = async (address: string) => {
  const { access_token: token } = fragmentOf(address)
  const response = await app.call('GET /v1/me', { token })
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

function asGoogle(subject: string, claims: OidcPeer['people'][string]) {
  google.people[subject] = claims
  google.visitor = subject
}

describe('signing in with a browser', () => {
  it('google: state, nonce and PKCE go out; tokens come back in the fragment', async () => {
    const email = freshEmail()
    asGoogle('g-1', {
      email,
      email_verified: true,
      name: 'Asha Juma',
      picture: 'https://a.example/a',
    })
    const browser = openBrowser(app.url)
    const started = await browser.get(`${PUBLIC_URL}/v1/auth/google/start?state=mine`)
    assert.equal(started.status, 302)
    assert.equal(started.headers.get('cache-control'), 'no-store')
    const cookie = started.headers.get('set-cookie')!
    assert.match(cookie, /^mlango_sign_in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    const params = new URL(started.next!).searchParams
    assert.equal(params.get('code_challenge_method'), 'S256')
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.match(params.get(name)!, /^[\w-]{43}$/)
    assert.equal(
      new Set(['state', 'nonce', 'code_challenge'].map((name) => params.get(name))).size,
      3,
    )

    const address = await through('google', '?state=mine')
    assert.ok(address.startsWith(`${PAGE}#access_token=`))
    const fragment = fragmentOf(address)
    assert.deepEqual(Object.keys(fragment).sort(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'state',
      'token_type',
    ])
    assert.deepEqual(
      [fragment.state, fragment.token_type, fragment.expires_in],
      ['mine', 'Bearer', '900'],
    )
    const me = await meOf(address)
    assert.deepEqual([me.email, me.email_verified, me.full_name], [email, true, 'Asha Juma'])
    const [row] = await db.query(
      'select balance_micro from ledger_accounts where account_id = $1',
      [me.id],
    )
    assert.equal(row?.balance_micro, 100_000_000n)

    const again = await meOf(await through('google'))
    assert.equal(again.id, me.id, 'the same person, the same account')
  })

  it('github: PKCE, the primary verified address, the numeric id', async () => {
    const email = freshEmail()
    github.emails = [
      { email: freshEmail(), primary: false, verified: true, visibility: null },
      { email, primary: true, verified: true, visibility: 'private' },
    ]
    const me = await meOf(await through('github'))
    assert.equal(github.lastQuery.get('code_challenge_method'), 'S256')
    assert.equal(github.lastQuery.get('scope'), 'read:user user:email')
    assert.deepEqual(
      [me.email, me.full_name, me.avatar_url],
      [email, 'Asha Juma', 'https://a.example/1.png'],
    )
    github.user.login = 'renamed'
    github.emails[1]!.email = freshEmail()
    assert.equal((await meOf(await through('github'))).id, me.id, 'names may change')
  })

  it('returns to another page only if it is listed exactly', async () => {
    asGoogle('g-page', { name: 'P' })
    const allowed = await through('google', `?redirect_uri=${encodeURIComponent(OTHER_PAGE)}`)
    assert.ok(allowed.startsWith(`${OTHER_PAGE}#access_token=`))
    for (const evil of [
      'https://evil.example/auth/callback',
      '//evil.example',
      '\\\\evil.example',
      `${PAGE}/../x`,
      `${PAGE}?x=1`,
      `${PAGE}@evil.example`,
      `${PAGE}%0d%0aset-cookie:x=1`,
      'javascript:alert(1)',
      `${PAGE}\r\nx: y`,
      '',
    ]) {
      for (const name of ['google', 'github']) {
        const path = `/v1/auth/${name}/start?redirect_uri=${encodeURIComponent(evil)}`
        const response = await app.call(`GET ${path}`)
        assert.deepEqual(
          [response.status, response.body.error_code],
          [400, 'validation_error'],
          evil,
        )
      }
    }
  })
})

describe('a callback that proves nothing', () => {
  const refusals = (name: Name) => {
    it(`${name}: no state, a wrong one, a double one`, async () => {
      const browser = openBrowser(app.url)
      const door = await toDoor(browser, name)
      const code = new URL(door).searchParams.get('code')!
      const base = PUBLIC_URL + CALLBACK[name]
      for (const query of [
        '',
        `?code=${code}`,
        `?code=${code}&state=wrong`,
        `?code=${code}&state=`,
        `?code=${code}&state=a&state=b`,
        '?state=%0d%0aset-cookie:x',
        '?error=access_denied&next=https://evil.example',
      ]) {
        const answer = await browser.get(base + query)
        assert.equal(answer.status, 302)
        refused(answer.next!, 'invalid_state')
      }
    })

    it(`${name}: the state of another browser`, async () => {
      const mine = openBrowser(app.url)
      const door = await toDoor(mine, name)
      const stranger = openBrowser(app.url)
      refused((await stranger.get(door)).next!, 'invalid_state')
      await stranger.get(`${PUBLIC_URL}/v1/auth/${name}/start`)
      refused((await stranger.get(door)).next!, 'invalid_state')
      const own = (await mine.get(door)).next!
      assert.ok('access_token' in fragmentOf(own), 'the browser that began it is not hurt')
    })

    it(`${name}: a state used twice, and a code used twice`, async () => {
      const browser = openBrowser(app.url)
      const door = await toDoor(browser, name)
      assert.ok('access_token' in fragmentOf((await browser.get(door)).next!))
      refused((await browser.get(door)).next!, 'invalid_state')
      const fresh = new URL(await toDoor(browser, name))
      fresh.searchParams.set('code', new URL(door).searchParams.get('code')!)
      refused((await browser.get(fresh.href)).next!, 'access_denied')
    })

    it(`${name}: a code that was made for another visit`, async () => {
      const [one, two] = [openBrowser(app.url), openBrowser(app.url)]
      const stolen = new URL(await toDoor(one, name)).searchParams.get('code')!
      const door = new URL(await toDoor(two, name))
      door.searchParams.set('code', stolen)
      refused((await two.get(door.href)).next!, 'access_denied')
    })

    it(`${name}: a refusal by the provider, without passing on its message`, async () => {
      const browser = openBrowser(app.url)
      const door = new URL(await toDoor(browser, name, '?state=kept'))
      door.searchParams.delete('code')
      door.searchParams.set('error', 'access_denied')
      door.searchParams.set('error_description', '<b>evil words</b>')
      const { next } = await browser.get(door.href)
      refused(next!, 'access_denied')
      assert.equal(fragmentOf(next!).state, 'kept')
      assert.ok(!next!.includes('evil'))
    })

    it(`${name}: an expired state`, async () => {
      const browser = openBrowser(app.url)
      const door = await toDoor(browser, name)
      await db.query(`update sign_in_attempts set expires_at = now() - interval '1 second'`)
      refused((await browser.get(door)).next!, 'invalid_state')
    })
  }
  before(() => asGoogle('g-refused', { name: 'R' }))
  refusals('google')
  refusals('github')

  it('a state of one provider does not work with the other', async () => {
    const browser = openBrowser(app.url)
    const door = (await toDoor(browser, 'google')).replace(CALLBACK.google, CALLBACK.github)
    refused((await browser.get(door)).next!, 'invalid_state')
  })

  it('a provider that cannot be reached: temporarily_unavailable', async () => {
    const browser = openBrowser(app.url)
    const door = await toDoor(browser, 'github')
    github.down = true
    refused((await browser.get(door)).next!, 'temporarily_unavailable')
    github.down = false
    const other = await toDoor(browser, 'google')
    google.down = true
    refused((await browser.get(other)).next!, 'temporarily_unavailable')
    google.down = false
  })
})

describe('which account a visitor signs in to', () => {
  it('an account that verified the same address: linked, and its owner is notified', async () => {
    const email = freshEmail()
    const id = await signUp(email)
    asGoogle('g-link', { email: email.toUpperCase(), email_verified: true, name: 'X' })
    assert.equal((await meOf(await through('google'))).id, id)
    const [notice] = await db.query(
      `select data from notifications where account_id = $1 and data ? 'linked'`,
      [id],
    )
    assert.deepEqual(notice?.data, { linked: 'Google' })
    google.people['g-link'] = { email: freshEmail(), email_verified: true }
    assert.equal((await meOf(await through('google'))).id, id, 'by its subject from now on')
  })

  it('never by an address that the provider did not verify', async () => {
    const email = freshEmail()
    const id = await signUp(email)
    for (const [subject, email_verified] of [
      ['g-false', false],
      ['g-odd', 'true'],
      ['g-none', undefined],
    ] as const) {
      asGoogle(subject, { email, ...({ email_verified } as object), name: 'Thief' })
      const me = await meOf(await through('google'))
      assert.notEqual(me.id, id)
      assert.equal('email' in me, false)
    }
    github.user.id = 999
    github.emails = [{ email, primary: true, verified: false, visibility: null }]
    assert.notEqual((await meOf(await through('github'))).id, id)
  })

  it('a registration that was never verified is dropped, with its password', async () => {
    const email = freshEmail()
    const body = { full_name: 'Hijacker', email, password: PASSWORD }
    await app.call('POST /v1/auth/register', { body })
    asGoogle('g-takeover', { email, email_verified: true, name: 'Rightful' })
    const me = await meOf(await through('google'))
    assert.deepEqual([me.email, me.full_name], [email, 'Rightful'])
    const login = { identifier: email, password: PASSWORD }
    const response = await app.call('POST /v1/auth/login', { body: login })
    assert.deepEqual([response.status, response.body.error_code], [401, 'invalid_credentials'])
  })

  it('not one that is protected by a second factor, by its address alone', async () => {
    const email = freshEmail()
    const id = await signUp(email)
    await db.query(`update accounts set mfa_method = 'email' where id = $1`, [id])
    asGoogle('g-mfa', { email, email_verified: true, name: 'X' })
    refused(await through('google'), 'forbidden')
  })

  it('not a suspended one; after deletion a new one, without a second grant', async () => {
    asGoogle('g-gone', { email: freshEmail(), email_verified: true, name: 'X' })
    const address = await through('google')
    const { id } = await meOf(address)
    await db.query(`update accounts set status = 'suspended' where id = $1`, [id])
    refused(await through('google'), 'forbidden')
    await db.query(`update accounts set status = 'active' where id = $1`, [id])
    const { access_token: token } = fragmentOf(await through('google'))
    assert.equal((await app.call('DELETE /v1/me', { token })).status, 200)
    const reborn = await meOf(await through('google'))
    assert.notEqual(reborn.id, id)
    const rows = await db.query('select 1 from ledger_entries where account_id = $1', [reborn.id])
    assert.equal(rows.length, 0)
  })

  it('one account for two first visits at once', async () => {
    asGoogle('g-twice', { email: freshEmail(), email_verified: true, name: 'X' })
    const doors = await Promise.all(
      [1, 2].map(async () => {
        const browser = openBrowser(app.url)
        return { browser, door: await toDoor(browser, 'google') }
      }),
    )
    const pages = await Promise.all(doors.map(({ browser, door }) => browser.get(door)))
    const ids = await Promise.all(pages.map(async ({ next }) => (await meOf(next!)).id))
    assert.equal(ids[0], ids[1])
  })
})

it('404 for every provider that is not configured', async () => {
  const bare = await startSignIn(db, {})
  for (const line of [
    'GET /v1/auth/google/start',
    'GET /v1/auth/google/callback',
    'GET /v1/auth/github/start',
    'GET /v1/auth/github/callback',
  ]) {
    assert.equal((await bare.call(line)).status, 404, line)
  }
  const mobile = await bare.call('POST /v1/auth/google/mobile', { body: { id_token: 'x' } })
  const partner = await bare.call('POST /v1/auth/partner', { body: { access_token: 'x' } })
  assert.deepEqual([mobile.status, partner.status], [404, 404])
  await bare.close()
})

async function signUp(email: string): Promise<string> {
  const body = { full_name: 'Asha', email, password: PASSWORD }
  await app.call('POST /v1/auth/register', { body })
  const [row] = await db.query<{ body: string }>(
    'select body from outbox where recipient = $1 order by id desc limit 1',
    [email],
  )
  const code = /\b\d{6}\b/.exec(row!.body)![0]
  const answer = { identifier: email, channel: 'email', purpose: 'verify_email', code }
  const response = await app.call('POST /v1/auth/otp/verify', { body: answer })
  return response.body.data.user.id
}
