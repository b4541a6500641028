import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OpenApi } from '../../src/http/docs/openapi-document.ts'
import type { Route } from '../../src/http/route.ts'
import { startApp } from '../support/app.ts'

/** The contract's endpoint map, by hand: method, path, credential, dialect of failures. */
const MAP = `
POST   /v1/auth/register                 none    envelope
POST   /v1/auth/otp/verify               none    envelope
POST   /v1/auth/otp/resend               none    envelope
POST   /v1/auth/login                    none    envelope
POST   /v1/auth/refresh                  none    envelope
POST   /v1/auth/logout                   jwt     envelope
POST   /v1/auth/step-up                  jwt     envelope
POST   /v1/auth/step-up/passkey/options  jwt     envelope
POST   /v1/auth/step-up/passkey          jwt     envelope
POST   /v1/auth/passkeys/options         none    envelope
POST   /v1/auth/passkeys/verify          none    envelope
POST   /v1/auth/password/forgot          none    envelope
POST   /v1/auth/password/reset           none    envelope
POST   /v1/auth/undo                     none    envelope
GET    /v1/auth/google/start             none    envelope
GET    /v1/auth/google/callback          none    envelope
GET    /v1/auth/github/start             none    envelope
GET    /v1/auth/github/callback          none    envelope
POST   /v1/auth/google/mobile            none    envelope
POST   /v1/auth/partner                  none    envelope
GET    /v1/auth/jwks.json                none    envelope
GET    /v1/console                       none    envelope
GET    /v1/me                            jwt     envelope
PATCH  /v1/me                            jwt     envelope
DELETE /v1/me                            jwt     envelope
POST   /v1/me/phone                      jwt     envelope
POST   /v1/me/email                      jwt     envelope
POST   /v1/me/email/verify               jwt     envelope
POST   /v1/me/password                   jwt     envelope
GET    /v1/me/sessions                   jwt     envelope
DELETE /v1/me/sessions/:id               jwt     envelope
GET    /v1/me/security-events            jwt     envelope
GET    /v1/me/mfa                        jwt     envelope
GET    /v1/me/passkeys                   jwt     envelope
POST   /v1/me/passkeys/options           jwt     envelope
POST   /v1/me/passkeys                   jwt     envelope
PATCH  /v1/me/passkeys/:id               jwt     envelope
DELETE /v1/me/passkeys/:id               jwt     envelope
GET    /v1/me/identities                 jwt     envelope
DELETE /v1/me/identities/:id             jwt     envelope
GET    /v1/me/notification-preferences   jwt     envelope
PATCH  /v1/me/notification-preferences   jwt     envelope
GET    /v1/workspaces                    jwt     envelope
POST   /v1/workspaces                    jwt     envelope
GET    /v1/workspaces/:slug              jwt     envelope
PATCH  /v1/workspaces/:slug              jwt     envelope
DELETE /v1/workspaces/:slug              jwt     envelope
GET    /v1/api-keys                      jwt     envelope
GET    /v1/key                           key     envelope
POST   /v1/api-keys                      jwt     envelope
PATCH  /v1/api-keys/:id                  jwt     envelope
DELETE /v1/api-keys/:id                  jwt     envelope
GET    /v1/models                        key     both
GET    /v1/models/*                      key     both
GET    /v1/catalog                       none    both
POST   /v1/chat/completions              either  compatible
POST   /v1/completions                   either  compatible
POST   /v1/messages                      either  messages
POST   /v1/messages/count_tokens         either  messages
POST   /v1/responses                     either  compatible
GET    /v1/responses                     either  compatible
POST   /v1/responses/compact             either  compatible
POST   /v1/responses/input_tokens        either  compatible
POST   /v1/responses/:response_id/cancel either  compatible
GET    /v1/responses/:response_id        either  compatible
DELETE /v1/responses/:response_id        either  compatible
GET    /v1/responses/:response_id/input_items either compatible
POST   /v1/embeddings                    either  compatible
POST   /v1/audio/transcriptions          either  compatible
POST   /v1/audio/speech                  either  compatible
POST   /v1/voice/responses               either  compatible
POST   /v1/documents/analyze             either  both
POST   /v1/vision/analyze                either  both
POST   /v1/video/analyze                 either  both
POST   /v1/images/generations            either  both
POST   /v1/videos                        either  both
GET    /v1/videos                        either  both
GET    /v1/videos/:job_id                either  both
GET    /v1/videos/:job_id/content        either  both
GET    /v1/gateway/health                none    envelope
GET    /v1/gateway/health/history        none    envelope
GET    /v1/billing/balance               either  envelope
GET    /v1/credits                       either  envelope
POST   /v1/billing/quote                 either  envelope
GET    /v1/billing/transactions          jwt     envelope
POST   /v1/payments/topup                jwt     envelope
GET    /v1/payments                      jwt     envelope
GET    /v1/payments/:id                  jwt     envelope
POST   /v1/payments/:id/check            jwt     envelope
POST   /v1/payments/callbacks/:provider  none    envelope
GET    /v1/activity                      jwt     envelope
GET    /v1/activity/summary              jwt     envelope
GET    /v1/generation                    either  envelope
GET    /v1/activity/daily                jwt     envelope
GET    /v1/activity.csv                  jwt     envelope
GET    /v1/notifications                 jwt     envelope
PATCH  /v1/notifications/:id/read        jwt     envelope
POST   /v1/notifications/read-all        jwt     envelope
GET    /v1/operator/me                   operator envelope
GET    /v1/operator/operators            operator envelope
GET    /v1/operator/actions              operator envelope
GET    /v1/operator/refusals operator envelope
GET    /v1/operator/accounts             operator envelope
GET    /v1/operator/accounts/:id         operator envelope
GET    /v1/operator/accounts/:id/transactions operator envelope
GET    /v1/operator/accounts/:id/activity operator envelope
GET    /v1/operator/accounts/:id/payments operator envelope
POST   /v1/operator/accounts/:id/suspension operator envelope
DELETE /v1/operator/accounts/:id/suspension operator envelope
DELETE /v1/operator/accounts/:id/sessions operator envelope
DELETE /v1/operator/accounts/:id/api-keys/:key_id operator envelope
POST   /v1/operator/accounts/:id/codes   operator envelope
POST   /v1/operator/accounts/:id/adjustments operator envelope
GET    /v1/operator/requests             operator envelope
POST   /v1/operator/requests/:id/decision operator envelope
GET    /v1/operator/payments             operator envelope
GET    /v1/operator/payments/:id         operator envelope
POST   /v1/operator/payments/:id/check   operator envelope
POST   /v1/operator/payments/:id/resolution operator envelope
GET    /v1/operator/overview operator envelope
GET    /v1/operator/series operator envelope
GET    /v1/operator/fx operator envelope
PUT    /v1/operator/fx/:day operator envelope
GET    /v1/operator/attention operator envelope
GET    /v1/operator/upstreams operator envelope
GET    /v1/operator/upstreams/:name/minutes operator envelope
POST   /v1/operator/upstreams/:name/drain operator envelope
DELETE /v1/operator/upstreams/:name/drain operator envelope
GET    /v1/operator/models operator envelope
PATCH  /v1/operator/models/* operator envelope
GET    /v1/operator/models/:id/prices operator envelope
POST   /v1/operator/models/:id/try operator envelope
GET    /v1/operator/margins operator envelope
PATCH  /v1/operator/margins/:modality operator envelope
POST   /v1/operator/catalog/sync operator envelope
GET    /v1/operator/prices/waiting operator envelope
POST   /v1/operator/prices/approval operator envelope
GET    /v1/operator/outbox operator envelope
POST   /v1/operator/outbox/:id/resend operator envelope
POST   /v1/operator/payments/statement operator envelope
POST   /v1/operator/audits              operator envelope
GET    /v1/operator/audits              operator envelope
GET    /v1/operator/audits/:id          operator envelope
GET    /v1/operator/exports/ledger.csv  operator envelope
GET    /v1/operator/exports/payments.csv operator envelope
GET    /v1/operator/exports/sums        operator envelope
GET    /v1/operator/webhooks            operator envelope
POST   /v1/operator/webhooks            operator envelope
PATCH  /v1/operator/webhooks/:id        operator envelope
DELETE /v1/operator/webhooks/:id        operator envelope
POST   /v1/operator/webhooks/:id/secret operator envelope
GET    /v1/operator/webhooks/:id/deliveries operator envelope
POST   /v1/operator/webhooks/:id/deliveries/:event_id/replay operator envelope
GET    /healthz                          none    envelope
GET    /readyz                           none    envelope
GET    /v1/openapi.json                  none    envelope
GET    /docs                             none    envelope
`

/** Honour `Idempotency-Key`. */
const REPLAYED = new Set([
  'POST /v1/payments/topup',
  'POST /v1/chat/completions',
  'POST /v1/completions',
  'POST /v1/messages',
  'POST /v1/responses',
  'POST /v1/responses/compact',
  'POST /v1/embeddings',
  'POST /v1/videos',
  'POST /v1/images/generations',
  'POST /v1/documents/analyze',
  'POST /v1/vision/analyze',
  'POST /v1/video/analyze',
])

/** Acts whose answer has a secret in it: it is not kept anywhere. */
const SHOWN_ONCE = new Set(['POST /v1/operator/webhooks', 'POST /v1/operator/webhooks/:id/secret'])

type Row = { credential: string; dialect: string }

const contract = new Map<string, Row>(
  MAP.trim()
    .split('\n')
    .map((line) => line.split(/ +/))
    .map(([method, path, credential, dialect]) => [
      `${method} ${path}`,
      { credential: credential!, dialect: dialect! },
    ]),
)

let app: Awaited<ReturnType<typeof startApp>>
let routes: readonly Route[]
before(async () => {
  app = await startApp()
  routes = app.rooms.server.context.routes
})
after(() => app.close())

const nameOf = (route: Route) => `${route.method} ${route.path}`
const addressOf = (route: Route) => route.path.replace(/:\w+|\*/g, 'x')

test('every route is in the contract, with its credential, dialect and replay', () => {
  for (const route of routes) {
    const name = nameOf(route)
    const row = contract.get(name)
    assert.ok(row, `${name} is not in the contract`)
    assert.deepEqual({ credential: route.credential, dialect: route.dialect }, row, name)
    const replays = route.replay !== undefined && route.replay !== false
    const isAct = route.operator?.proof === 'fresh' && !SHOWN_ONCE.has(name)
    assert.equal(replays, isAct || REPLAYED.has(name), `${name}: replay`)
  }
  assert.equal(new Set(routes.map(nameOf)).size, routes.length, 'no route twice')
})

test('every row of the contract has its route', () => {
  const built = new Set(routes.map(nameOf))
  assert.deepEqual(
    [...contract.keys()].filter((name) => !built.has(name)),
    [],
  )
})

test('every guarded route refuses an unknown caller with 401 in its dialect, whatever the body', async () => {
  for (const route of routes.filter((one) => one.credential !== 'none')) {
    const response = await fetch(app.url + addressOf(route), {
      method: route.method,
      headers: { 'content-type': 'application/json' },
      ...(route.method === 'GET' ? {} : { body: '{broken' }),
    })
    const reply = (await response.json()) as Record<string, unknown>
    assert.equal(response.status, 401, nameOf(route))
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
    assert.equal('error' in reply, route.dialect !== 'envelope', nameOf(route))
    const enveloped = route.dialect === 'envelope' || route.dialect === 'both'
    assert.equal(reply.error_code === 'unauthorized', enveloped, nameOf(route))
    assert.equal(reply.type === 'error', route.dialect === 'messages', nameOf(route))
  }
})

test('every route for one kind of credential refuses the other with 403, and bad JSON with 400', async () => {
  const { token, key } = await app.customer('0')
  for (const route of routes) {
    if (route.credential === 'operator') continue
    const wrong = { jwt: key, key: token, either: undefined, none: undefined }[route.credential]
    const ask = async (credential: string, body?: string) => {
      const response = await fetch(app.url + addressOf(route), {
        method: route.method,
        headers: {
          authorization: `Bearer ${credential}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      await response.arrayBuffer()
      return response.status
    }
    if (wrong !== undefined) assert.equal(await ask(wrong), 403, nameOf(route))
    if (route.body === undefined || route.credential === 'none') continue
    const right = route.credential === 'key' ? key : token
    const expected = route.path.includes(':') ? [400, 404] : [400]
    for (const body of ['{broken', '[]', '"text"', 'null']) {
      const status = await ask(right, body)
      assert.ok(expected.includes(status), `${nameOf(route)} with ${body}: ${status}`)
    }
  }
})

test('the OpenAPI document holds every route but the documents, those of operators and those that only refuse', async () => {
  const document = (await (await fetch(`${app.url}/v1/openapi.json`)).json()) as OpenApi
  const reply = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const built = routes
    .filter((route) => route.tag !== 'Documents' && route.credential !== 'operator')
    .filter((route) => route.refusesAll !== true)
    .map(nameOf)
    .map((name) => name.replace(/:(\w+)/g, '{$1}').replace('*', '{id}'))
  assert.deepEqual(reply.sort(), built.sort())
  for (const [, name] of JSON.stringify(document).matchAll(
    /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
  )) {
    assert.ok(document.components.schemas[name!], name)
  }
  const page = await (await fetch(`${app.url}/docs`)).text()
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(page.includes(`id="${id}"`), id)
})
