import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Db } from '../../../src/db/db.ts'
import { freshEmail, freshPhone } from '../../support/accounts.ts'
import { freshDb } from '../../support/databases.ts'
import { naughtyStrings } from '../../support/samples/naughty.ts'
import { insertPerson } from '../../support/people.ts'
import { AUDIENCE, CLIENT, SCOPE, startOidcPeer } from '../../support/peers/oidc.ts'
import type { OidcPeer } from '../../support/peers/oidc.ts'
import { openBrowser, startSignIn } from '../../support/sign-in.ts'

const APP = 'https://app.partner.example/back'

let db: Db
let peer: OidcPeer
let app: Awaited<ReturnType<typeof startSignIn>>
before(async () => {
  db = await freshDb()
  peer = await startOidcPeer([APP])
  app = await startSignIn(db, {
    GOOGLE_ISSUER: peer.issuer,
    GOOGLE_CLIENT_ID: CLIENT.id,
    GOOGLE_CLIENT_SECRET: CLIENT.secret,
    GOOGLE_ANDROID_AUDIENCES: 'server-client',
    PARTNER_IDENTITY_SLUG: 'kitambulisho',
    PARTNER_ISSUER: peer.issuer,
    PARTNER_AUDIENCE: AUDIENCE,
    PARTNER_REQUIRED_SCOPE: SCOPE,
    PARTNER_CLIENT_IDS: CLIENT.id,
  })
})
after(async () => {
  await app.close()
  await peer.close()
  await db.close()
})

const now = () => Math.floor(Date.now() / 1000)
const mobile = (id_token: unknown, nonce?: string) =>
  app.call('POST /v1/auth/google/mobile', { body: { id_token, nonce } })
const partner = (access_token: unknown) =>
  app.call('POST /v1/auth/kitambulisho', { body: { access_token } })

const idToken = (over: Record<string, unknown> = {}, header = {}) =>
  peer.mint(
    {
      iss: peer.issuer,
      aud: 'server-client',
      azp: 'android-client',
      sub: `m-${Math.random()}`,
      iat: now(),
      exp: now() + 3600,
      name: 'Asha',
      ...over,
    },
    header,
  )
const accessToken = (over: Record<string, unknown> = {}, header = {}) =>
  idToken(
    { aud: AUDIENCE, azp: undefined, client_id: CLIENT.id, scope: SCOPE, ...over },
    { typ: 'at+jwt', ...header },
  )

/** What an application of the partner would get for its visitor: both tokens, by the code flow. */
async function realTokens(subject: string, claims: OidcPeer['people'][string]) {
  peer.people[subject] = claims
  peer.visitor = subject
  const server = await discovery(
    new URL(peer.issuer),
    CLIENT.id,
    {},
    ClientSecretPost(CLIENT.secret),
    // oxlint-disable-next-line typescript/no-deprecated -- the peer is on this machine
    { execute: [allowInsecureRequests] },
  )
  const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()]
  const address = buildAuthorizationUrl(server, {
    redirect_uri: APP,
    scope: `openid email profile ${SCOPE}`,
    resource: AUDIENCE,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  const back = new URL(await openBrowser(app.url).walk(address.href, APP))
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  const tokens = await authorizationCodeGrant(server, back, checks, { resource: AUDIENCE })
  return { idToken: tokens.id_token!, accessToken: tokens.access_token, nonce }
}

async function forgeries(
  make: (over?: Record<string, unknown>, header?: object) => Promise<string>,
) {
  const { privateKey } = await generateKeyPair('RS256')
  const claims = JSON.parse(
    Buffer.from((await make()).split('.')[1]!, 'base64url').toString(),
  ) as Record<string, unknown>
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const typ = decodeProtectedHeader(await make()).typ!
  const stolen = `${part({ alg: 'HS256', kid: 'k1', typ })}.${part(claims)}`
  const jwks = await (await fetch(`${peer.issuer}/jwks`)).text()
  const foreign = (header: object) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ, ...header }).sign(privateKey)
  const whole = await make()
  return {
    'another key under the same name': await foreign({ kid: 'k1' }),
    'an unknown key': await foreign({ kid: 'k2' }),
    'a key that the token brings along': await foreign({
      kid: 'k2',
      jku: 'https://evil.example/k',
    }),
    'no algorithm': `${part({ alg: 'none', typ })}.${part(claims)}.`,
    'the public key as a secret': `${stolen}.${createHmac('sha256', jwks).update(stolen).digest('base64url')}`,
    'a changed claim': whole.replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'admin' })}.`),
    'no signature': whole.split('.').slice(0, 2).join('.') + '.',
    'another issuer': await make({ iss: 'https://evil.example' }),
    'another audience': await make({ aud: 'someone-else' }),
    'an expired one': await make({ exp: now() - 60, iat: now() - 120 }),
    'no expiry': await make({ exp: undefined }),
    'no subject': await make({ sub: undefined }),
    'an empty subject': await make({ sub: '' }),
    'one from the future': await make({ nbf: now() + 600 }),
    'no token at all': 'nonsense',
    'three dots': '...',
    'a huge one': `${'a'.repeat(4000)}.${'b'.repeat(2000)}.${'c'.repeat(2000)}`,
  }
}

describe('POST /v1/auth/google/mobile', () => {
  it('200: a session for a real ID token, once', async () => {
    const email = freshEmail()
    const tokens = await realTokens('real-1', { email, email_verified: true, name: 'Asha' })
    const response = await mobile(tokens.idToken, tokens.nonce)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    const { created, user, token_type } = response.body.data
    assert.deepEqual(
      [created, user.email, user.status, token_type],
      [true, email, 'active', 'Bearer'],
    )
    assert.equal((await mobile(tokens.idToken, tokens.nonce)).status, 401, 'a replay')
    const bent = tokens.idToken.slice(0, -1)
    assert.equal((await mobile(bent, tokens.nonce)).status, 401)
    const again = await realTokens('real-1', peer.people['real-1']!)
    const second = await mobile(again.idToken, again.nonce)
    assert.deepEqual([second.body.data.created, second.body.data.user.id], [false, user.id])
  })

  it('200 and 401: of two requests at once with one token, one succeeds', async () => {
    const token = await idToken()
    const response = await Promise.all([mobile(token), mobile(token)])
    assert.deepEqual(new Set(response.map(({ status }) => status)), new Set([200, 401]))
  })

  it('200: for the web client too, with the nonce plain or hashed', async () => {
    assert.equal((await mobile(await idToken({ aud: CLIENT.id }))).status, 200)
    assert.equal((await mobile(await idToken({ nonce: 'n-1' }), 'n-1')).status, 200)
    const hashed = createHash('sha256').update('n-2').digest('hex')
    assert.equal((await mobile(await idToken({ nonce: hashed }), 'n-2')).status, 200)
  })

  it('401: forged, foreign, stale', async () => {
    for (const [what, token] of Object.entries(await forgeries(idToken))) {
      const response = await mobile(token)
      assert.deepEqual([response.status, response.body.error_code], [401, 'unauthorized'], what)
    }
    for (const [what, token] of Object.entries({
      'an old one': await idToken({ iat: now() - 700 }),
      'an access token': await idToken({}, { typ: 'at+jwt' }),
      'for several readers': await idToken({ aud: ['server-client', 'other'] }),
    })) {
      assert.equal((await mobile(token)).status, 401, what)
    }
  })

  it('401: a nonce that is missing, unexpected or wrong', async () => {
    assert.equal((await mobile(await idToken({ nonce: 'a' }))).status, 401)
    assert.equal((await mobile(await idToken(), 'a')).status, 401)
    assert.equal((await mobile(await idToken({ nonce: 'a' }), 'b')).status, 401)
  })

  it('200, but another account: an unverified address that someone else owns', async () => {
    const email = freshEmail()
    const owner = await insertPerson(db, { email })
    for (const email_verified of [false, 'true', undefined]) {
      const response = await mobile(await idToken({ email, email_verified }))
      assert.equal(response.body.data.created, true)
      assert.notEqual(response.body.data.user.id, owner)
    }
    const response = await mobile(await idToken({ email, email_verified: true }))
    assert.deepEqual([response.body.data.created, response.body.data.user.id], [false, owner])
  })

  it('400: no token, or not a string', async () => {
    for (const bad of [undefined, '', 7, null, 'x'.repeat(9000)]) {
      assert.equal((await mobile(bad)).status, 400)
    }
  })
})

describe('POST /v1/auth/{partner}', () => {
  it('200: a session for a real access token, once', async () => {
    const email = freshEmail()
    const tokens = await realTokens('p-1', { email, email_verified: true, name: 'Asha' })
    assert.equal(decodeProtectedHeader(tokens.accessToken).typ, 'at+jwt')
    const response = await partner(tokens.accessToken)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    assert.deepEqual([response.body.data.created, response.body.data.user.email], [true, email])
    assert.equal((await partner(tokens.accessToken)).status, 401, 'a replay')
    assert.equal((await partner(tokens.idToken)).status, 401, 'an ID token is no access token')
    const next = await realTokens('p-1', peer.people['p-1']!)
    const again = await partner(next.accessToken)
    assert.deepEqual([again.status, again.body.data.created], [200, false])
  })

  it('200: a token whose header calls it a JWT; its jti names it, however it is encoded', async () => {
    for (const typ of ['JWT', 'jwt', 'application/at+jwt']) {
      assert.equal((await partner(await accessToken({}, { typ }))).status, 200, typ)
    }
    const [sub, jti] = [`j-${Math.random()}`, `${Math.random()}`]
    const first = await partner(await accessToken({ sub, jti, typ: 'Bearer', exp: 1e15 }))
    assert.equal(first.status, 200, JSON.stringify(first.body))
    assert.equal((await partner(await accessToken({ sub, jti, exp: now() + 99 }))).status, 401)
  })

  it('401: a type that PARTNER_TOKEN_TYPES leaves out', async () => {
    const strict = await startSignIn(db, {
      PARTNER_ISSUER: peer.issuer,
      PARTNER_AUDIENCE: AUDIENCE,
      PARTNER_TOKEN_TYPES: 'at+jwt',
    })
    const send = async (typ: string) => {
      const body = { access_token: await accessToken({}, { typ }) }
      return (await strict.call('POST /v1/auth/partner', { body })).status
    }
    assert.deepEqual([await send('JWT'), await send('at+jwt')], [401, 200])
    await strict.close()
  })

  it('messages of a new account are in the language that the device asks for', async () => {
    for (const [header, locale] of [
      ['en-GB,en;q=0.9,sw;q=0.8', 'en'],
      ['*', 'sw'],
    ]) {
      const response = await app.call('POST /v1/auth/kitambulisho', {
        body: { access_token: await accessToken() },
        headers: { 'accept-language': header! },
      })
      assert.equal(response.body.data.user.locale, locale)
    }
  })

  it('200: a verified phone number is taken over, unless another account has it', async () => {
    const phone_number = freshPhone()
    const proven = { phone_number, phone_number_verified: true }
    const first = await partner(await accessToken(proven))
    assert.deepEqual(
      [first.body.data.user.phone_number, first.body.data.user.phone_verified],
      [phone_number, true],
    )
    const second = await partner(await accessToken(proven))
    assert.equal(second.body.data.created, true)
    assert.equal('phone_number' in second.body.data.user, false)
    const unproven = await partner(await accessToken({ phone_number: freshPhone() }))
    assert.equal('phone_number' in unproven.body.data.user, false)
  })

  it('401: forged, foreign, stale, or another kind of token', async () => {
    for (const [what, token] of Object.entries(await forgeries(accessToken))) {
      const response = await partner(token)
      assert.deepEqual([response.status, response.body.error_code], [401, 'unauthorized'], what)
    }
    for (const [what, token] of Object.entries({
      'another typ': await accessToken({}, { typ: 'dpop+jwt' }),
      'an ID token by its claim': await accessToken({ typ: 'ID' }, { typ: 'JWT' }),
      'a logout token': await accessToken({ events: {} }, { typ: 'JWT' }),
      'no typ': await accessToken({}, { typ: undefined }),
      'with a nonce': await accessToken({ nonce: 'x' }),
      'with at_hash': await accessToken({ at_hash: 'x' }),
    })) {
      assert.equal((await partner(token)).status, 401, what)
    }
  })

  it('claims that no table can keep: 401 for the subject, and the others are left out', async () => {
    for (const text of ['\0', 'a\0b', '\ud800']) {
      const nobody = await partner(await accessToken({ sub: text }))
      assert.deepEqual([nobody.status, nobody.body.error_code], [401, 'unauthorized'])
      const picture = `https://example.com/${text}`
      const odd = { name: `Asha ${text}`, picture, email: text, email_verified: true }
      const { status, body } = await partner(await accessToken(odd))
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal('avatar_url' in body.data.user || 'email' in body.data.user, false)
    }
  })

  it('403: a valid token without our scope, or of an application that may not', async () => {
    for (const over of [{ scope: 'openid' }, { scope: undefined }, { client_id: 'other-app' }]) {
      const response = await partner(await accessToken(over))
      assert.deepEqual([response.status, response.body.error_code], [403, 'forbidden'])
    }
  })

  it('503, not 401, while the partner cannot be reached', async () => {
    const cold = await startSignIn(db, {
      PARTNER_ISSUER: peer.issuer,
      PARTNER_AUDIENCE: AUDIENCE,
      GOOGLE_ISSUER: peer.issuer,
      GOOGLE_ANDROID_AUDIENCES: 'server-client',
    })
    peer.down = true
    const body = { access_token: await accessToken() }
    const response = await cold.call('POST /v1/auth/partner', { body })
    assert.deepEqual([response.status, response.body.error_code], [503, 'server_error'])
    assert.ok(response.headers.get('retry-after'))
    const id = { id_token: await idToken() }
    assert.equal((await cold.call('POST /v1/auth/google/mobile', { body: id })).status, 503)
    peer.down = false
    assert.equal((await cold.call('POST /v1/auth/partner', { body })).status, 200)
    await cold.close()
  })
})

it('naughty strings are refused like any other wrong token', async () => {
  // A sample: the contract tests of accounts walk through all of them.
  for (const text of naughtyStrings.filter((_, n) => n % 7 === 0)) {
    const answers = await Promise.all([mobile(text), mobile('x', text), partner(text)])
    for (const { status } of answers)
      assert.ok(status === 400 || status === 401, JSON.stringify(text))
  }
})
