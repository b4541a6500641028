import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { FILM } from '../../simulator/models/film.ts'
import type { OpenApi } from '../../src/http/docs/openapi-document.ts'
import { ageCodes, freshEmail, freshPhone, PASSWORD } from '../support/accounts.ts'
import { startApp } from '../support/app.ts'
import { codeSentTo, undoSentTo } from '../support/customer.ts'
import { eventually } from '../support/eventually.ts'
import type { Loose } from '../support/loose.ts'
import { newOperator } from '../support/operators.ts'
import { softPasskey } from '../support/peers/passkey.ts'
import { startGithub, type GithubPeer } from '../support/peers/github.ts'
import { AUDIENCE, CLIENT, SCOPE, startOidcPeer, type OidcPeer } from '../support/peers/oidc.ts'
import { makePdf } from '../support/samples/pdf.ts'
import { SOUNDS } from '../support/samples/sounds.ts'
import { openBrowser, PAGE, PUBLIC_URL } from '../support/sign-in.ts'

/* A good answer of every route. The app holds each against the OpenAPI document when it closes. */

let google: OidcPeer
let github: GithubPeer
let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  google = await startOidcPeer([`${PUBLIC_URL}/v1/auth/google/callback`])
  github = await startGithub({ id: 'gh', secret: 'gh-secret' })
  app = await startApp({
    env: {
      PUBLIC_URL,
      FRONTEND_URL: new URL(PAGE).origin,
      OAUTH_REDIRECT_ALLOWLIST: PAGE,
      GOOGLE_ISSUER: google.issuer,
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
      GOOGLE_ANDROID_AUDIENCES: 'server-client',
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.url,
      GITHUB_CLIENT_ID: 'gh',
      GITHUB_CLIENT_SECRET: 'gh-secret',
      PARTNER_ISSUER: google.issuer,
      PARTNER_AUDIENCE: AUDIENCE,
      PARTNER_REQUIRED_SCOPE: SCOPE,
      PARTNER_CLIENT_IDS: CLIENT.id,
    },
  })
})
after(async () => {
  await app.close()
  await google.close()
  await github.close()
})

/** The answer, which must be good. */
async function good(line: string, token?: string, body?: unknown): Promise<Loose> {
  const [method, path] = line.split(' ') as [string, string]
  const answer = await fetch(app.url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.ok(answer.status < 300, `${line}: ${answer.status} ${text.slice(0, 300)}`)
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return isJson ? JSON.parse(text) : {}
}

test('an answer of every route in the document has been seen', async () => {
  const { key, token } = await app.customer('100000')
  const film = await good('POST /v1/videos', key, { model: 'sim/filamu', prompt: 'Simba' })
  await readWhatIsPublic()
  await callModels(key)
  await keepResponses(key)
  await buy(token)
  await organise(token)
  await signInThroughOthers()
  await changeOneself()
  await usePasskeys()
  await watchFilm(key, film.data.job_id as string)
  await readWhatHappened(token)

  const document = (await good('GET /v1/openapi.json')) as OpenApi
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const unseen = () => described.filter((name) => !app.answered().has(name))
  // An answer is noted when it has been sent, which its reader may know first.
  await eventually('every answer is noted', () => unseen().length === 0).catch(() => {
    assert.deepEqual(unseen(), [])
  })
})

async function readWhatIsPublic() {
  for (const path of ['auth/jwks.json', 'console', 'catalog']) await good(`GET /v1/${path}`)
  for (const path of ['health', 'health/history']) await good(`GET /v1/gateway/${path}`)
  for (const path of ['/healthz', '/readyz']) await good(`GET ${path}`)
}

async function callModels(key: string) {
  const messages = [{ role: 'user', content: 'Habari!' }]
  const said = { model: 'sim/hekima', max_tokens: 50, messages }
  await good('GET /v1/models', key)
  await good('GET /v1/models/sim/hekima', key)
  for (const path of ['billing/balance', 'credits', 'key']) await good(`GET /v1/${path}`, key)
  for (const stream of [false, true]) {
    await good('POST /v1/chat/completions', key, { ...said, stream })
    await good('POST /v1/messages', key, { ...said, stream })
    await good('POST /v1/completions', key, { model: 'sim/hekima', prompt: 'Habari!', stream })
  }
  const { id } = await good('POST /v1/chat/completions', key, { ...said, usage: { include: true } })
  await good(`GET /v1/generation?id=${id}`, key)
  await good('POST /v1/billing/quote', key, { path: '/v1/chat/completions', body: said })
  await good('POST /v1/messages/count_tokens', key, { model: 'sim/hekima', messages })
  await good('POST /v1/embeddings', key, { model: 'sim/vekta', input: 'Habari' })
  await good('POST /v1/images/generations', key, { model: 'sim/picha', prompt: 'Simba' })
  await good('POST /v1/audio/speech', key, { model: 'sim/sema', input: 'Habari', voice: 'asha' })
  const sound = SOUNDS.wav.toString('base64')
  const recording = { model: 'sim/sikia', input_audio: { data: sound, format: 'wav' } }
  await good('POST /v1/audio/transcriptions', key, recording)
  await good('POST /v1/voice/responses', key, { audio_data: sound, audio_format: 'wav' })
  const files = {
    documents: { document: { data: makePdf(1).toString('base64') } },
    vision: { image: { data: PIXEL } },
    video: { video: { data: FILM.toString('base64') } },
  }
  for (const [kind, file] of Object.entries(files)) {
    await good(`POST /v1/${kind}/analyze`, key, { model: 'sim/macho', prompt: 'Nini?', ...file })
  }
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function keepResponses(key: string) {
  const said = { model: 'sim/hekima', input: 'Habari!' }
  await good('POST /v1/responses', key, { ...said, stream: true })
  const { id } = await good('POST /v1/responses', key, said)
  await good(`GET /v1/responses/${id}`, key)
  await good('POST /v1/responses/compact', key, said)
  await good('POST /v1/responses/input_tokens', key, said)
  await good(`GET /v1/responses/${id}/input_items`, key)
  await good(`DELETE /v1/responses/${id}`, key)
  const later = await good('POST /v1/responses', key, { ...said, background: true })
  await good(`POST /v1/responses/${later.id}/cancel`, key)
}

async function verifyPhone(token: string) {
  const phone = freshPhone()
  await good('POST /v1/me/phone', token, { phone_number: phone })
  const code = await codeSentTo(app.dataDir, phone)
  const body = { identifier: phone, channel: 'phone', purpose: 'verify_phone', code }
  await good('POST /v1/auth/otp/verify', undefined, body)
}

/** The provider reports the payment to the callback. */
async function buy(token: string) {
  await verifyPhone(token)
  const { data } = await good('POST /v1/payments/topup', token, { amount_tzs: 1_000 })
  await eventually('the payment is completed', async () => {
    const payment = await good(`GET /v1/payments/${data.id}`, token)
    return payment.data.status === 'completed'
  })
  await good(`POST /v1/payments/${data.id}/check`, token)
  await good('GET /v1/payments', token)
  const [notice] = (await good('GET /v1/notifications', token)).data
  await good(`PATCH /v1/notifications/${notice.id}/read`, token)
  await good('POST /v1/notifications/read-all', token)
}

async function organise(token: string) {
  const shop = (await good('POST /v1/workspaces', token, { name: 'Duka', slug: 'duka' })).data
  await good('GET /v1/workspaces', token)
  await good('GET /v1/workspaces/duka', token)
  await good('PATCH /v1/workspaces/duka', token, { name: 'Duka la Asha' })
  const made = await good('POST /v1/api-keys', token, { name: 'shop', workspace_id: shop.id })
  await good('GET /v1/api-keys', token)
  await good(`PATCH /v1/api-keys/${made.data.id}`, token, { name: 'till' })
  await good(`DELETE /v1/api-keys/${made.data.id}`, token)
  await good('DELETE /v1/workspaces/duka', token)
  await good('GET /v1/me/notification-preferences', token)
  await good('PATCH /v1/me/notification-preferences', token, { email: { payments: false } })
}

async function signInThroughOthers() {
  const email = freshEmail()
  google.people['g-1'] = { email, email_verified: true, name: 'Asha' }
  google.visitor = 'g-1'
  github.emails = [{ email: freshEmail(), primary: true, verified: true, visibility: null }]
  for (const name of ['google', 'github']) {
    await openBrowser(app.url).walk(`${PUBLIC_URL}/v1/auth/${name}/start`, PAGE)
  }
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: google.issuer, sub: 'm-1', iat: now, exp: now + 600, name: 'Asha' }
  const proven = { email: freshEmail(), email_verified: true }
  const audience = { aud: 'server-client', azp: 'android-client' }
  const id_token = await google.mint({ ...claims, ...proven, ...audience })
  const entered = await good('POST /v1/auth/google/mobile', undefined, { id_token })
  const granted = { client_id: CLIENT.id, scope: SCOPE, aud: AUDIENCE, jti: randomUUID() }
  await good('POST /v1/auth/partner', undefined, {
    access_token: await google.mint({ ...claims, ...granted }, { typ: 'at+jwt' }),
  })
  const token = entered.data.access_token as string
  const [identity] = (await good('GET /v1/me/identities', token)).data as Loose[]
  await good(`DELETE /v1/me/identities/${identity!.id}`, token)
}

async function changeOneself() {
  const email = freshEmail()
  const person = { full_name: 'Asha', email, password: PASSWORD }
  await good('POST /v1/auth/register', undefined, person)
  const waiting = { identifier: email, channel: 'email', purpose: 'verify_email' }
  const first = await codeSentTo(app.dataDir, email)
  await ageCodes(app.db, 61)
  await good('POST /v1/auth/otp/resend', undefined, waiting)
  const code = await newerCode(email, first)
  await good('POST /v1/auth/otp/verify', undefined, { ...waiting, code })
  await good('POST /v1/auth/password/forgot', undefined, { identifier: email })
  const reset = { identifier: email, new_password: NEXT, code: await newerCode(email, code) }
  await good('POST /v1/auth/password/reset', undefined, reset)
  const login = { identifier: email, password: NEXT }
  await good('POST /v1/auth/login', undefined, login)
  const { refresh_token } = (await good('POST /v1/auth/login', undefined, login)).data
  const token = (await good('POST /v1/auth/refresh', undefined, { refresh_token })).data
    .access_token as string
  await good('GET /v1/me', token)
  await good('PATCH /v1/me', token, { full_name: 'Asha Juma' })
  const sessions = (await good('GET /v1/me/sessions', token)).data as Loose[]
  await good('GET /v1/me/security-events', token)
  await good(`DELETE /v1/me/sessions/${sessions.find(({ current }) => !current)!.id}`, token)
  await good('GET /v1/me/mfa', token)
  await good('POST /v1/me/password', token, { current_password: NEXT, new_password: PASSWORD })
  const next = freshEmail()
  await good('POST /v1/me/email', token, { email: next, password: PASSWORD })
  const change = { email: next, code: await codeSentTo(app.dataDir, next) }
  await good('POST /v1/me/email/verify', token, change)
  await good('POST /v1/auth/logout', token, {})
  await good('POST /v1/auth/undo', undefined, { token: await undoSentTo(app.dataDir, email) })
  const operator = await newOperator(app, 'owner')
  await good('POST /v1/auth/step-up', operator.token, { code: operator.code() })
  await good('DELETE /v1/me', (await app.signUp()).token)
}

/** On the page of FRONTEND_URL: PUBLIC_URL is a number here, to which browsers give no passkeys. */
async function usePasskeys() {
  const { token, email } = await app.signUp()
  const key = softPasskey()
  const here = { origin: new URL(PAGE).origin }
  const made = (await good('POST /v1/me/passkeys/options', token, { password: PASSWORD })).data
  const credential = key.create(made, here)
  const { id } = (await good('POST /v1/me/passkeys', token, { name: 'Simu', credential })).data
  await good('GET /v1/me/passkeys', token)
  await good(`PATCH /v1/me/passkeys/${id}`, token, { name: 'Simu yangu' })
  const login = { identifier: email, password: PASSWORD }
  const { challenge_id } = (await good('POST /v1/auth/login', undefined, login)).data
  const asked = (await good('POST /v1/auth/passkeys/options', undefined, { challenge_id })).data
  const signed = { challenge_id, credential: key.sign(asked, here) }
  await good('POST /v1/auth/passkeys/verify', undefined, signed)
  const again = (await good('POST /v1/auth/step-up/passkey/options', token)).data
  await good('POST /v1/auth/step-up/passkey', token, { credential: key.sign(again, here) })
  await good(`DELETE /v1/me/passkeys/${id}`, token, { password: PASSWORD })
}

const NEXT = 'twiga mrefu 77'

const newerCode = (to: string, known: string) =>
  eventually('a newer code is sent', async () => {
    const code = await codeSentTo(app.dataDir, to)
    return code !== known && code
  })

async function watchFilm(key: string, id: string) {
  await eventually('the film is there', async () => {
    const { data } = await good(`GET /v1/videos/${id}`, key)
    return data.status === 'completed'
  })
  await good('GET /v1/videos', key)
  await good(`GET /v1/videos/${id}/content`, key)
}

async function readWhatHappened(token: string) {
  for (const path of ['', '/summary', '/daily', '.csv'])
    await good(`GET /v1/activity${path}`, token)
  await good('GET /v1/billing/transactions', token)
}
