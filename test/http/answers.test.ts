import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { drain } from '../../src/http/drain.ts'
import { ProcessCounter } from '../../src/http/limits/process-counter.ts'
import { route, type Call, type Result } from '../../src/http/route.ts'
import { jwtHeaders, keyHeaders, startServer } from '../support/server.ts'
import { eventually } from '../support/eventually.ts'

const plain = {
  summary: 'A test',
  tag: 'Test',
  credential: 'none',
  limit: 'none',
  dialect: 'envelope',
} as const

const get = (
  path: string,
  handle: (call: Call<undefined, undefined, undefined>) => Promise<Result>,
  extra: object = {},
) => route({ ...plain, method: 'GET', path, handle, ...extra })

let seen: AbortSignal | undefined
let finished = 0

/** Waits until its signal fires, as a call to an upstream would. */
const slow = get('/v1/slow', async (call) => {
  seen = call.signal
  await once(call.signal, 'abort').catch(() => {})
  finished++
  throw call.signal.reason
})

const routes = [
  slow,
  get('/v1/bytes', async () => ({
    status: 200,
    headers: { 'content-type': 'audio/mpeg' },
    body: Buffer.from([0, 1, 255]),
  })),
  get('/v1/stream', async (call) => {
    seen = call.signal
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Readable.from(ticks()),
    }
  }),
  get('/v1/broken-stream', async () => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: Readable.from(
      (async function* () {
        yield 'data: 1\n\n'
        throw new Error('broke')
      })(),
    ),
  })),
  get('/v1/short', async () => {
    await pause(300)
    return { data: {} }
  }),
  get('/v1/limited', async () => ({ data: {} }), {
    credential: 'either',
    limit: 'principal',
    dialect: 'both',
  }),
  get('/v1/own', async () => ({ data: {} }), { credential: 'either', limit: 'principal' }),
  get('/v1/auth/try', async () => ({ data: {} }), { limit: 'auth' }),
]

async function* ticks() {
  for (let i = 0; ; i++) {
    yield `data: ${i}\n\n`
    await pause(20)
  }
}

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({
    routes,
    settings: {
      FRONTEND_URL: 'https://console.example/app',
      CORS_ORIGINS: ['http://localhost:5173'],
      PUBLIC_URL: 'https://api.example',
      RATE_LIMIT_RPM: 5,
      RATE_LIMIT_JWT_RPM: 3,
      RATE_LIMIT_ACCOUNT_RPM: 2,
      AUTH_RATE_LIMIT_RPM: 4,
    },
    limiter: new ProcessCounter({ now: () => new Date('2026-01-01T00:00:00Z') }),
  })
})
after(() => service.close())

const at = (path: string) => service.url + path

test('security headers are on every answer, HSTS where the address is https', async () => {
  for (const path of ['/healthz', '/v1/nothing', '/v1/bytes']) {
    const { headers } = await fetch(at(path))
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/)
    assert.match(headers.get('strict-transport-security')!, /max-age/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('x-request-id')!, /^req_/)
  }
})

/** What a browser asks before a call of an official SDK, and after it. */
const SDK_HEADERS =
  'authorization,content-type,x-stainless-lang,anthropic-dangerous-direct-browser-access'

async function browserSees(url: string, path: string, origin: string, method = 'GET') {
  const asked = {
    'access-control-request-method': method,
    'access-control-request-headers': SDK_HEADERS,
  }
  const preflight = await fetch(url + path, { method: 'OPTIONS', headers: { origin, ...asked } })
  const { headers } = preflight
  const mayAsk = [origin, '*'].includes(headers.get('access-control-allow-origin') ?? '')
  const mayUse = headers.get('access-control-allow-methods')?.includes(method) ?? false
  const maySend = headers.get('access-control-allow-headers')?.replaceAll(' ', '') === SDK_HEADERS
  const authorization = 'Bearer key-9'
  const answer = await fetch(url + path, { method, headers: { origin, authorization } })
  assert.equal(answer.headers.get('access-control-allow-credentials'), null)
  const allowed = answer.headers.get('access-control-allow-origin')
  return { sends: preflight.ok && mayAsk && mayUse && maySend, allowed, answer }
}

test('CORS: each origin that is set may call, and reads what a client needs', async () => {
  for (const origin of ['https://console.example', 'http://localhost:5173']) {
    const { sends, allowed, answer } = await browserSees(service.url, '/v1/limited', origin)
    assert.deepEqual([sends, allowed], [true, origin])
    const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(', ')
    for (const name of READ_BY_CLIENTS) assert.ok(exposed.includes(name), name)
  }
  const stranger = await browserSees(service.url, '/v1/limited', 'http://localhost:5174')
  assert.deepEqual([stranger.sends, stranger.allowed], [false, null])
})

const READ_BY_CLIENTS = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'ratelimit',
  'ratelimit-policy',
  'x-credits-charged',
  'x-credits-remaining',
  'x-generation-id',
  'x-ignored-parameters',
  'idempotency-replayed',
]

test('CORS: * is for calls by key, and for nothing else', async () => {
  const any = await startServer({ routes: ROUTES_BY_CREDENTIAL, settings: { CORS_ORIGINS: ['*'] } })
  const see = (path: string) => browserSees(any.url, path, 'https://anybody.example')
  for (const path of ['/v1/by-key', '/v1/by-either']) {
    const { sends, allowed, answer } = await see(path)
    assert.deepEqual([sends, allowed, answer.status], [true, '*', 200], path)
  }
  for (const path of ['/v1/by-jwt', '/v1/by-none', '/healthz', '/v1/nothing']) {
    const { sends, allowed } = await see(path)
    assert.deepEqual([sends, allowed], [false, null], path)
  }
  const wrong = await browserSees(any.url, '/v1/v1/by-key', 'https://anybody.example', 'POST')
  assert.deepEqual([wrong.sends, wrong.allowed, wrong.answer.status], [true, '*', 404])
  await any.close()
})

const ROUTES_BY_CREDENTIAL = (['key', 'either', 'jwt', 'none'] as const).map((credential) =>
  get(`/v1/by-${credential}`, async () => ({ data: {} }), {
    credential,
    dialect: credential === 'key' ? 'both' : 'envelope',
  }),
)

test('CORS: the front end may, others may not', async () => {
  const origin = 'https://console.example'
  const ask = {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers':
        'idempotency-key, x-stainless-os,anthropic-dangerous-direct-browser-access, x mlango, *',
    },
  }
  const preflight = await fetch(at('/v1/limited'), ask)
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
  assert.equal(
    preflight.headers.get('access-control-allow-headers'),
    'idempotency-key, x-stainless-os, anthropic-dangerous-direct-browser-access',
  )
  assert.match(preflight.headers.get('access-control-allow-methods')!, /GET/)
  const proper = await fetch(at('/v1/nothing'), { headers: { origin } })
  assert.equal(proper.headers.get('access-control-allow-origin'), origin)
  assert.match(proper.headers.get('access-control-expose-headers')!, /X-Request-Id/)
  assert.equal(proper.headers.get('vary'), 'Origin')
  for (const other of ['https://evil.example', 'null', 'https://console.example.evil']) {
    const { headers } = await fetch(at('/healthz'), { headers: { origin: other } })
    assert.equal(headers.get('access-control-allow-origin'), null)
    const answer = await fetch(at('/v1/limited'), {
      ...ask,
      headers: { ...ask.headers, origin: other },
    })
    assert.equal(answer.headers.get('access-control-allow-methods'), null)
  }
})

test('bytes are sent unchanged; HEAD of a stream starts none', async () => {
  const bytes = await fetch(at('/v1/bytes'))
  assert.equal(bytes.headers.get('content-type'), 'audio/mpeg')
  assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), Buffer.from([0, 1, 255]))
  const head = await fetch(at('/v1/stream'), { method: 'HEAD' })
  assert.equal(head.headers.get('content-type'), 'text/event-stream')
  assert.equal(head.headers.get('content-length'), null, 'GET of it says none either')
})

test('the signal fires when the caller leaves, before the answer and within a stream', async () => {
  for (const path of ['/v1/slow', '/v1/stream']) {
    seen = undefined
    const leaving = new AbortController()
    const asking = fetch(at(path), { signal: leaving.signal })
    if (path === '/v1/stream') {
      const response = await asking
      assert.match(response.headers.get('x-request-id')!, /^req_/)
    } else await eventually('the handler runs', () => seen !== undefined)
    assert.equal(seen!.aborted, false)
    leaving.abort()
    await asking.catch(() => {})
    await eventually('the handler is told', () => seen!.aborted)
    assert.equal(seen!.aborted, true, path)
  }
  await eventually('nothing runs', () => service.server.context.running.count === 0)
  assert.equal(service.server.context.running.count, 0)
})

test('a stream that breaks ends the connection, not the process', async () => {
  const response = await fetch(at('/v1/broken-stream'))
  assert.equal(response.status, 200)
  await assert.rejects(response.text())
  assert.equal((await fetch(at('/healthz'))).status, 200)
})

test('limits: per key, per account, and per address before the credential', async () => {
  const statuses = async (path: string, headers: Record<string, string>, times: number) => {
    const all: number[] = []
    for (let i = 0; i < times; i++) all.push((await fetch(at(path), { headers })).status)
    return all
  }
  assert.deepEqual(await statuses('/v1/limited', keyHeaders, 6), [200, 200, 200, 200, 200, 429])
  assert.deepEqual(await statuses('/v1/limited', jwtHeaders, 4), [200, 200, 200, 429])
  // Routes of the account are counted by themselves.
  assert.deepEqual(await statuses('/v1/own', jwtHeaders, 3), [200, 200, 429])
  assert.deepEqual(await statuses('/v1/limited', { authorization: 'Bearer key-2' }, 1), [200])
  const reply = await fetch(at('/v1/limited'), { headers: keyHeaders })
  assert.equal(reply.headers.get('x-ratelimit-limit-requests'), '5')
  assert.equal(reply.headers.get('x-ratelimit-remaining-requests'), '0')
  assert.match(reply.headers.get('x-ratelimit-reset-requests')!, /^\d+s$/)
  assert.ok(Number(reply.headers.get('retry-after')) >= 1)
  assert.deepEqual(fieldOf(reply, 'ratelimit-policy'), ['default', { q: 5, w: 60 }])
  const t = Number(reply.headers.get('retry-after'))
  assert.deepEqual(fieldOf(reply, 'ratelimit'), ['default', { r: 0, t }])
  const fresh = await fetch(at('/v1/limited'), { headers: { authorization: 'Bearer key-3' } })
  const [name, left] = fieldOf(fresh, 'ratelimit')
  assert.deepEqual([name, left.r], ['default', 4])
  assert.ok(left.t! >= 60 && left.t! <= 120)
  // An address that a stranger writes into a header is not believed.
  const spoofed = (i: number) => ({ 'x-forwarded-for': `10.0.0.${i}` })
  const tries: number[] = []
  for (let i = 0; i < 5; i++) tries.push(...(await statuses('/v1/auth/try', spoofed(i), 1)))
  assert.deepEqual(tries, [200, 200, 200, 200, 429])
})

test('drain: what is short finishes, what is long is aborted and waited for', async () => {
  const draining = await startServer({ routes, settings: { DRAIN_SECONDS: 1 } })
  finished = 0
  const long = fetch(`${draining.url}/v1/slow`)
  const short = fetch(`${draining.url}/v1/short`)
  const stream = await fetch(`${draining.url}/v1/stream`)
  const reading = stream.text().then(
    () => 'ended',
    () => 'cut',
  )
  await eventually('all three run', () => draining.server.context.running.count === 3)
  const began = performance.now()
  const drained = drain(draining.server)
  // On a busy machine it goes on listening for up to a second.
  const goOnCalling = async () => {
    for (let tries = 0; tries < 40; tries++) {
      await pause(50)
      await (await fetch(`${draining.url}/healthz`)).text()
    }
  }
  await assert.rejects(goOnCalling, 'no new connections')
  const shortAnswer = await short
  assert.equal(shortAnswer.status, 200)
  assert.equal(shortAnswer.headers.get('connection'), 'close')
  const longAnswer = await long
  assert.equal(longAnswer.status, 503)
  assert.equal(longAnswer.headers.get('retry-after'), '1')
  await drained
  assert.equal(finished, 1)
  assert.equal(await reading, 'cut')
  const tookMs = performance.now() - began
  assert.ok(tookMs >= 950, `${tookMs} ms`)
})

test('drain: with nothing running it takes no time, with or without kept connections', async () => {
  const limitS = 600
  const idle = await startServer({ routes, settings: { DRAIN_SECONDS: limitS } })
  await (await fetch(`${idle.url}/healthz`)).text()
  const began = performance.now()
  await drain(idle.server)
  assert.ok(performance.now() - began < limitS * 100, 'it waited for nothing')
})

/** One item of a list of structured fields (RFC 9651): a string with whole numbers as parameters. */
function fieldOf(reply: Response, field: string): [name: string, more: Record<string, number>] {
  const text = reply.headers.get(field)!
  const found = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:;[a-z*][a-z0-9_.*-]*=-?\d{1,15})+)$/.exec(
    text,
  )
  assert.ok(found, text)
  const parameters = found[2]!.slice(1).split(';')
  return [
    found[1]!,
    Object.fromEntries(
      parameters.map((one) => one.split('=')).map(([key, value]) => [key, Number(value)]),
    ),
  ]
}
