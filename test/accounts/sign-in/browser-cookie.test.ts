import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Db } from '../../../src/db/db.ts'
import { freshDb } from '../../support/databases.ts'
import { startGithub, type GithubPeer } from '../../support/peers/github.ts'
import { fragmentOf, openBrowser, PAGE, PUBLIC_URL, startSignIn } from '../../support/sign-in.ts'

/* Through a provider and back into a session of our own pages. */

const NAME = '__Host-mlango_refresh'
const CALLBACK = `${PUBLIC_URL}/v1/auth/github/callback`
const OWN_PAGE = `${PUBLIC_URL}/auth/callback`

let db: Db
let github: GithubPeer
let app: Awaited<ReturnType<typeof startSignIn>>
before(async () => {
  db = await freshDb()
  github = await startGithub({ id: 'gh', secret: 'gh-secret' })
  app = await startSignIn(db, settings())
})
after(async () => {
  await app.close()
  await github.close()
  await db.close()
})

const settings = () => ({
  GITHUB_URL: github.url,
  GITHUB_API_URL: github.url,
  GITHUB_CLIENT_ID: 'gh',
  GITHUB_CLIENT_SECRET: 'gh-secret',
  OAUTH_REDIRECT_ALLOWLIST: PAGE,
})

const start = (query: string) => `${PUBLIC_URL}/v1/auth/github/start${query}`

async function through(query: string) {
  const browser = openBrowser(app.url)
  const answer = await browser.get(await browser.walk(start(query), CALLBACK))
  assert.equal(answer.status, 302)
  return answer
}

describe('GET /v1/auth/github/start?session=cookie', () => {
  it('302: the session is in the cookie, and nothing is in the address', async () => {
    const answer = await through('?session=cookie&state=page-7')
    assert.equal(answer.next, OWN_PAGE)
    const [cookie] = answer.headers.getSetCookie()
    assert.match(
      cookie!,
      /^__Host-mlango_refresh=mlr_[\w-]{59}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const own = await app.call('POST /v1/auth/refresh', {
      headers: {
        'x-mlango-session': 'cookie',
        origin: app.url,
        cookie: cookie!.slice(0, cookie!.indexOf(';')),
      },
    })
    assert.equal(own.status, 200, JSON.stringify(own.body))
    const me = await app.call('GET /v1/me', { token: own.body.data.access_token })
    assert.equal(me.status, 200)
  })

  it('messages of a new account are in the language of our pages', async () => {
    github.user.id = 7001
    const browser = openBrowser(app.url)
    browser.jars.set(app.url, new Map([['mlango_language', 'en']]))
    await browser.get(await browser.walk(start('?session=cookie'), CALLBACK))
    const sql = `select locale from accounts join identities on account_id = accounts.id
      where subject = '7001'`
    assert.deepEqual(await db.query(sql), [{ locale: 'en' }])
  })

  it('302: what goes wrong is told in the fragment, without a cookie', async () => {
    const browser = openBrowser(app.url)
    const door = new URL(await browser.walk(start('?session=cookie'), CALLBACK))
    door.search = `?error=access_denied&state=${door.searchParams.get('state')}`
    const answer = await browser.get(door.href)
    assert.ok(answer.next!.startsWith(`${OWN_PAGE}#`), answer.next!)
    assert.equal(fragmentOf(answer.next!).error, 'access_denied')
    assert.deepEqual(
      answer.headers.getSetCookie().filter((line) => line.startsWith(NAME)),
      [],
    )
  })

  it('without it tokens come in the fragment as before, and no session is in a cookie', async () => {
    const answer = await through('')
    assert.match(fragmentOf(answer.next!).refresh_token!, /^mlr_/)
    assert.ok(answer.next!.startsWith(`${PAGE}#`))
    assert.deepEqual(answer.headers.getSetCookie(), [])
  })

  it('400: a page elsewhere, and another kind of session', async () => {
    for (const query of [
      `?session=cookie&redirect_uri=${encodeURIComponent(PAGE)}`,
      '?session=cookie&redirect_uri=https%3A%2F%2Fevil.example',
      '?session=token',
    ]) {
      const answer = await openBrowser(app.url).get(start(query))
      assert.equal(answer.status, 400, query)
    }
  })

  it('403 over plain http, but on this machine', async () => {
    const plain = await startSignIn(db, { ...settings(), PUBLIC_URL: 'http://mlango.example' })
    const answer = await fetch(`${plain.url}/v1/auth/github/start?session=cookie`, {
      redirect: 'manual',
    })
    assert.equal(answer.status, 403)
    assert.match(await answer.text(), /https/)
    await plain.close()
  })
})
