import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Failure, type FailureKind } from '../../src/lib/failure.ts'
import type { Log } from '../../src/lib/log.ts'
import { PROVIDERS, readUpstreams, type ProviderType } from '../../src/upstream/upstreams-file.ts'
import { openUpstreams } from '../../src/upstream/upstreams.ts'
import {
  chunk,
  LAST_CHUNK,
  response,
  sse,
  SSE_HEAD,
  wireServer,
  type Behave,
} from './wire-server.ts'

const KEY = 'key-that-nobody-may-see'
const ACME = 'Acme Cloud at https://api.acme.example says sk-acme-123'
const closing: (() => Promise<void>)[] = []
after(() => Promise.all(closing.map((close) => close())))

type Expected = {
  kind: FailureKind
  code?: string
  retryAfterS?: number
  problem?: string
}
type Row = [name: string, behave: Behave, expected: Expected]

const failed: Expected = { kind: 'upstream_failed' }
const rejected: Expected = { kind: 'upstream_rejected' }
const write =
  (bytes: string | Buffer): Behave =>
  (socket) =>
    socket.write(bytes)
const status = (code: number, body: unknown, headers = {}): Behave =>
  write(response(typeof body === 'string' ? body : JSON.stringify(body), { status: code, headers }))

/** An error body as each provider writes it. */
const ERRORS: Record<ProviderType, (status: number, type: string, message?: string) => unknown> = {
  openrouter: (code, type, message = ACME) => ({
    error: { code, message, metadata: { error_type: type, provider_name: 'Acme', raw: ACME } },
    user_id: 'org_acme',
  }),
  openai: (_code, type, message = ACME) => ({ error: { message, type, param: null, code: type } }),
  anthropic: (_code, type, message = ACME) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_acme',
  }),
  gemini: (code, type, message = ACME) => ({ error: { code, message, status: type, details: [] } }),
}

const COMMON: Row[] = [
  ['never answers', () => {}, failed],
  ['closes at once', (socket) => socket.destroy(), failed],
  ['headers, then silence', write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'), failed],
  ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'), failed],
  ['HTML with 200', write(response(`<html>${ACME}</html>`)), failed],
  ['an empty body', write(response('')), failed],
  ['no JSON', write(response('{"a":')), failed],
  ['JSON of another shape', write(response('{"hello":"world"}')), failed],
  ['a list', write(response('[]')), failed],
  ['invalid UTF-8', write(response(Buffer.from([0x7b, 0xff, 0x7d]))), failed],
  ['a redirect', status(302, '', { location: 'http://169.254.169.254/' }), failed],
  ['gzip', write(response('x', { headers: { 'content-encoding': 'gzip' } })), failed],
  ['500 with a page', status(500, `<html>${ACME}</html>`), failed],
  ['400 with a page', status(400, `<html>${ACME}</html>`), rejected],
]

function rows(type: ProviderType): Row[] {
  const error = (code: number, word: string, message?: string, headers = {}) =>
    status(code, ERRORS[type](code, word, message), headers)
  const inside200 = JSON.stringify(
    ERRORS[type](500, type === 'anthropic' ? 'api_error' : 'server', ACME),
  )
  return [
    ...COMMON,
    ['an error inside a 200', write(response(inside200)), failed],
    ['400', error(400, 'x'), rejected],
    ['404', error(404, 'x'), rejected],
    ['422', error(422, 'x'), rejected],
    [
      '400, too long',
      error(
        400,
        type === 'gemini' ? 'INVALID_ARGUMENT' : 'x',
        'The input token count exceeds the maximum context length of 8192 tokens',
      ),
      { kind: 'unsuitable', code: 'context_length_exceeded' },
    ],
    ['401', error(401, 'x'), { ...failed, problem: 'key_refused' }],
    ['402', error(402, 'x'), { ...failed, problem: 'out_of_money' }],
    ['403', error(403, 'x'), { ...failed, problem: 'forbidden' }],
    ['413', error(413, 'x'), rejected],
    ['429', error(429, 'x'), { kind: 'rate_limited', retryAfterS: 5 }],
    [
      '429 with seconds',
      error(429, 'x', ACME, { 'retry-after': '7' }),
      { kind: 'rate_limited', retryAfterS: 7 },
    ],
    [
      '429 with nonsense',
      error(429, 'x', ACME, { 'retry-after': '-1' }),
      { kind: 'rate_limited', retryAfterS: 5 },
    ],
    [
      '429 for years',
      error(429, 'x', ACME, { 'retry-after': '9999999999' }),
      { kind: 'rate_limited', retryAfterS: 3600 },
    ],
    ['500', error(500, 'x'), failed],
    ['502', error(502, 'x'), failed],
    ['504', error(504, 'x'), failed],
    ['503', error(503, 'x'), { kind: 'unavailable', retryAfterS: 5 }],
    [
      '503 with seconds',
      error(503, 'x', ACME, { 'retry-after': '9' }),
      { kind: 'unavailable', retryAfterS: 9 },
    ],
    ['529', error(529, 'overloaded_error'), { kind: 'unavailable', retryAfterS: 5 }],
    ...OWN[type],
  ]
}

const policy: Expected = { kind: 'unsuitable', code: 'content_policy_violation' }
const noMoney: Expected = { ...failed, problem: 'out_of_money' }

/** What only one of them says. */
const OWN: Record<ProviderType, Row[]> = {
  openrouter: [
    [
      'a code for the context',
      status(400, ERRORS.openrouter(400, 'context_length_exceeded')),
      { kind: 'unsuitable', code: 'context_length_exceeded' },
    ],
    ['a content policy', status(400, ERRORS.openrouter(400, 'content_policy_violation')), policy],
    [
      'moderation as 403',
      status(403, { error: { code: 403, message: ACME, metadata: { reasons: ['violence'] } } }),
      policy,
    ],
    [
      'a model away, with its time',
      status(429, {
        error: { message: ACME, http_status: 429, availability: { retry_after: 12 } },
      }),
      { kind: 'rate_limited', retryAfterS: 12 },
    ],
    [
      '429 inside a 200',
      write(response('{"error":{"code":429,"message":"x"}}')),
      { kind: 'rate_limited' },
    ],
    [
      'finish_reason error',
      write(response('{"choices":[{"message":{"content":"par"},"finish_reason":"error"}]}')),
      failed,
    ],
  ],
  openai: [
    ['no money as 429', status(429, ERRORS.openai(429, 'insufficient_quota')), noMoney],
    ['a content policy', status(400, ERRORS.openai(400, 'content_policy_violation')), policy],
    ['an error in a list', status(400, [ERRORS.openai(400, 'content_filter')]), policy],
    ['an error that is a text', status(400, { error: ACME }), rejected],
  ],
  anthropic: [
    [
      'no money as 400',
      status(400, ERRORS.anthropic(400, 'invalid_request_error', 'Your credit balance is too low')),
      noMoney,
    ],
    [
      'a spend limit as 429',
      status(429, {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: ACME,
          details: { error_code: 'enforced_spend_limit_reached' },
        },
      }),
      noMoney,
    ],
    [
      'overloaded inside a 200',
      write(response(JSON.stringify(ERRORS.anthropic(529, 'overloaded_error')))),
      { kind: 'unavailable' },
    ],
  ],
  gemini: [
    [
      'a bad key as 400',
      status(400, {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: ACME,
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      }),
      { ...failed, problem: 'key_refused' },
    ],
    [
      'a precondition',
      status(400, ERRORS.gemini(400, 'FAILED_PRECONDITION')),
      { ...failed, problem: 'forbidden' },
    ],
    [
      'a retry delay in the details',
      status(429, {
        error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '23s' }] },
      }),
      { kind: 'rate_limited', retryAfterS: 23 },
    ],
    ['a blocked prompt', write(response('{"promptFeedback":{"blockReason":"SAFETY"}}')), policy],
  ],
}

const STREAMS: Row[] = [
  ['never answers', () => {}, failed],
  ['a JSON answer without a stream', write(response('{"a":1}')), failed],
  ['a page', write(response('<html>', { headers: { 'content-type': 'text/html' } })), failed],
  ['no event at all', write(SSE_HEAD + LAST_CHUNK), failed],
  ['garbage in an event', write(Buffer.concat([Buffer.from(SSE_HEAD), chunk(sse('<x>'))])), failed],
  [
    'a line without end',
    (socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(`data: ${'x'.repeat(33 * 1024 * 1024)}`))
    },
    failed,
  ],
]

/** Only what is never answered may run into a time-out: an answer must not, on a machine however busy. */
const SILENT = new Set(['never answers', 'headers, then silence'])
const SHORT = { connect_ms: 500, first_byte_ms: 150, idle_ms: 100, total_ms: 3_000 }

async function oneUpstream(type: ProviderType, name: string, behave: Behave) {
  const server = await wireServer(behave)
  const lines: string[] = []
  const note = (message: string, fields?: unknown) => lines.push(message + JSON.stringify(fields))
  const log: Log = { debug: note, info: note, warn: note, error: note, flush: async () => {} }
  const timeouts = SILENT.has(name) ? SHORT : {}
  const upstreams = openUpstreams({
    upstreams: readUpstreams(
      { upstreams: [{ name: 'one', type, base_url: server.url, api_key_env: 'K', timeouts }] },
      { K: KEY },
    ),
    log,
  })
  closing.push(async () => {
    await upstreams.close()
    await server.close()
  })
  return { upstreams, lines, url: server.url }
}

for (const type of Object.keys(PROVIDERS) as ProviderType[]) {
  describe(`faults of ${type}`, () => {
    const check = async ([name, behave, expected]: Row, stream: boolean) => {
      const { upstreams, lines, url } = await oneUpstream(type, name, behave)
      const request = {
        body: { messages: [{ role: 'user', content: 'hi' }] },
        stream,
        ours: { id: 'chatcmpl-1', model: 'lab/door', created: 1 },
      }
      const targets = [{ upstream: 'one', model: 'door-1' }]
      const failure = await upstreams
        .call(targets, stream ? 'chatStream' : 'chat', request)
        .then(() => assert.fail(`${name}: it was answered`))
        .catch((error: unknown) => error)
      assert.ok(failure instanceof Failure, String(failure))
      assert.equal(failure.kind, expected.kind)
      if (expected.code) assert.equal(failure.code, expected.code)
      if (expected.retryAfterS) assert.equal(failure.retryAfterS, expected.retryAfterS)
      const problems = upstreams.problems().filter(({ why }) => why !== 'circuit_open')
      assert.deepEqual(
        problems.map(({ why }) => why),
        expected.problem ? [expected.problem] : [],
      )
      const { message, code, param, headers } = failure
      const shown = JSON.stringify({ message, code, param, headers })
      const secrets = new RegExp(
        `acme|${KEY}|${type}|127\\.0\\.0\\.1|${new URL(url).port}|sk-`,
        'i',
      )
      assert.doesNotMatch(shown, secrets)
      assert.doesNotMatch(lines.join('\n'), new RegExp(`acme|${KEY}|127\\.0\\.0\\.1|sk-`, 'i'))
    }
    for (const row of rows(type)) it(row[0], () => check(row, false))
    for (const row of STREAMS) it(`stream: ${row[0]}`, () => check(row, true))
  })
}
