import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import type { Db } from '../../../src/db/db.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { codeFor, freshEmail, fromBase32, refused } from '../../support/accounts.ts'
import { freshDb } from '../../support/databases.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { AUDIENCE, CLIENT, SCOPE, startOidcPeer } from '../../support/peers/oidc.ts'
import type { OidcPeer } from '../../support/peers/oidc.ts'
import { fragmentOf, openBrowser, PAGE, PUBLIC_URL, startSignIn } from '../../support/sign-in.ts'
import type { Loose } from '../../support/loose.ts'

const CALLBACK = `${PUBLIC_URL}/v1/auth/google/callback`

let db: Db
let peer: OidcPeer
let app: Awaited<ReturnType<typeof startSignIn>>
before(async () => {
  db = await freshDb()
  peer = await startOidcPeer([CALLBACK])
  app = await startSignIn(db, {
    GOOGLE_ISSUER: peer.issuer,
    GOOGLE_CLIENT_ID: CLIENT.id,
    GOOGLE_CLIENT_SECRET: CLIENT.secret,
    PARTNER_ISSUER: peer.issuer,
    PARTNER_AUDIENCE: AUDIENCE,
  })
})
after(async () => {
  await app.close()
  await peer.close()
  await db.close()
})

type Visitor = { sub: string; email?: string; email_verified?: boolean }
const newVisitor = (): Visitor => ({ sub: uuidv7(), email: freshEmail(), email_verified: true })
const claimsOf = (who: Visitor) => {
  const iat = Math.floor(Date.now() / 1000)
  return { ...who, iss: peer.issuer, iat, exp: iat + 600, jti: uuidv7(), name: 'Asha' }
}
const byMobile = async (who: Visitor) => {
  const id_token = await peer.mint({ ...claimsOf(who), aud: CLIENT.id })
  return app.call('POST /v1/auth/google/mobile', { body: { id_token } })
}
const byPartner = async (who: Visitor) => {
  const grant = { ...claimsOf(who), aud: AUDIENCE, scope: SCOPE }
  const access_token = await peer.mint(grant, { typ: 'at+jwt' })
  return app.call('POST /v1/auth/partner', { body: { access_token } })
}
const byBrowser = async (who: Visitor, query = '') => {
  const { sub, ...claims } = who
  peer.people[sub] = { ...claims, name: 'Asha' }
  peer.visitor = sub
  const browser = openBrowser(app.url)
  const door = await browser.walk(`${PUBLIC_URL}/v1/auth/google/start${query}`, CALLBACK)
  return browser.get(door)
}
const patch = (token: string, body: object) => app.call('PATCH /v1/me', { token, body })
const answer = (challenge: Loose, code: string) => {
  const { identifier, channel, challenge_id } = challenge
  const body = { identifier, channel, challenge_id, purpose: 'login_mfa', code }
  return app.call('POST /v1/auth/otp/verify', { body })
}

describe('a social sign-in to an account with a second factor', () => {
  it('answers the challenge of a login, and opens the session with its code', async () => {
    const who = newVisitor()
    const { token } = await enter(who)
    await patch(token, { mfa_method: 'email' })
    const challenge = (await byMobile(who)).body.data
    const { challenge_id, identifier, masked, expires_in, ...rest } = challenge
    const factor = { channel: 'email', mfa_method: 'email', other_methods: [] }
    const shown = { mfa_required: true, ...factor, created: false }
    assert.deepEqual(rest, shown)
    assert.ok(challenge_id && expires_in > 0 && masked.endsWith('@example.com'))
    assert.match(identifier, /^[0-9a-f-]{36}$/)
    const again = { identifier, channel: 'email', purpose: 'login_mfa', challenge_id }
    refused(await app.call('POST /v1/auth/otp/resend', { body: again }), 429, 'rate_limited')
    const opened = await answer(challenge, await codeFor(db, who.email!))
    assert.equal(opened.body.data.user.email, who.email)
    await assertAudit(db)
  })

  it('by the partner too, where the account has no address at all', async () => {
    const who = { sub: uuidv7() }
    const token = (await byPartner(who)).body.data.access_token
    const secret = fromBase32((await patch(token, { mfa_method: 'totp' })).body.data.totp.secret)
    const step = Math.floor(Date.now() / 30_000)
    assert.equal((await patch(token, { totp_code: totpAt(secret, step) })).status, 200)
    const challenge = (await byPartner(who)).body.data
    assert.deepEqual([challenge.mfa_required, challenge.channel], [true, 'totp'])
    const next = Math.max(step + 1, Math.floor(Date.now() / 30_000))
    assert.equal((await answer(challenge, totpAt(secret, next))).status, 200)
  })

  it('by a browser: the challenge is in the fragment, and no token, cookie or address', async () => {
    const who = newVisitor()
    const first = fragmentOf((await byBrowser(who)).next!)
    await patch(first.access_token!, { mfa_method: 'email' })
    for (const [query, page] of [
      ['', PAGE],
      ['?session=cookie', `${PUBLIC_URL}/auth/callback`],
    ] as const) {
      const { next, headers } = await byBrowser(who, query)
      assert.ok(next?.startsWith(`${page}#`), next ?? '')
      const fragment = fragmentOf(next!)
      assert.equal(fragment.mfa_required, 'true')
      assert.equal('access_token' in fragment || 'refresh_token' in fragment, false)
      assert.ok(!next!.includes(encodeURIComponent(who.email!)))
      assert.ok(headers.getSetCookie().every((line) => !line.includes('mlango_refresh')))
      if (query) assert.equal((await answer(fragment, await codeFor(db, who.email!))).status, 200)
    }
  })
})

describe('/v1/me/identities', () => {
  const list = async (token: string): Promise<Loose[]> =>
    (await app.call('GET /v1/me/identities', { token })).body.data
  const remove = (token: string, id: string, body?: object) =>
    app.call(`DELETE /v1/me/identities/${id}`, { token, body })
  const age = (accountId: string) =>
    db.query(
      `update sessions set confirmed_at = now() - interval '11 minutes' where account_id = $1`,
      [accountId],
    )

  it('200: lists them; one that is unlinked no longer signs in, until the link undoes it', async () => {
    const who = newVisitor()
    const { token, id: accountId } = await enter(who)
    const [google, ...others] = await list(token)
    assert.deepEqual([google!.provider, others], ['Google', []])
    assert.deepEqual((await remove(token, google!.id)).body.data, {})
    assert.deepEqual(await list(token), [])
    refused(await remove(token, google!.id), 404, 'not_found')
    const [mail] = await db.query<{ body: string }>(
      'select body from outbox where recipient = $1 order by id desc limit 1',
      [who.email],
    )
    const undo = /undo#([\w-]{22})/.exec(mail!.body)![1]
    assert.equal((await app.call('POST /v1/auth/undo', { body: { token: undo } })).status, 200)
    const back = (await byMobile(who)).body.data
    assert.equal(back.user.id, accountId)
    assert.equal((await list(back.access_token))[0]!.id, google!.id)
  })

  it('403 with a session that signed in long ago: whoever stole it cannot unlink', async () => {
    const { token, id } = await enter(newVisitor())
    await age(id)
    const [google] = await list(token)
    refused(await remove(token, google!.id), 403, 'forbidden')
    assert.equal((await list(token)).length, 1)
  })

  it('409: not the last way in', async () => {
    const token = (await byPartner({ sub: uuidv7() })).body.data.access_token
    const [only] = await list(token)
    assert.equal(only!.provider, 'partner')
    refused(await remove(token, only!.id), 409, 'conflict')
  })

  it("404: another account's, and nonsense", async () => {
    const [asha, juma] = [await enter(newVisitor()), await enter(newVisitor())]
    const [theirs] = await list(juma.token)
    for (const id of [theirs!.id, uuidv7(), 'nonsense']) {
      refused(await remove(asha.token, id), 404, 'not_found')
    }
    assert.equal((await list(juma.token)).length, 1)
  })
})

async function enter(who: Visitor): Promise<{ token: string; id: string }> {
  const { access_token: token, user } = (await byMobile(who)).body.data
  return { token, id: user.id }
}
