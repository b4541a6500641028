import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { route } from '../../src/http/route.ts'
import { startServer } from '../support/server.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

let handled = 0
const routes = [
  route({
    method: 'POST',
    path: '/v1/things',
    summary: 'A test',
    tag: 'Test',
    credential: 'either',
    dialect: 'compatible',
    limit: 'none',
    replay: true,
    body: z.object({ n: z.number() }),
    handle: async () => {
      handled++
      return { data: {} }
    },
  }),
]

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes })
})
after(() => service.close())

const HEAD = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-1\r\n'
const TYPE = 'Content-Type: application/json\r\n'
const whole = (extra: string, body = '{"n":1}') =>
  `${HEAD}${TYPE}${extra}Content-Length: ${body.length}\r\n\r\n${body}`

/** What is sent, and the statuses that are lawful. An empty answer is a closed connection. */
const cases: Record<string, [string, number[]]> = {
  'not HTTP': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc', [400]],
  'a lone line': ['GET\r\n\r\n', [400]],
  'two Content-Lengths': [
    `${HEAD}${TYPE}Content-Length: 7\r\nContent-Length: 8\r\n\r\n{"n":1}`,
    [400],
  ],
  'length and chunks': [
    `${HEAD}${TYPE}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  'unknown transfer coding': [`${HEAD}${TYPE}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [400]],
  'negative length': [`${HEAD}${TYPE}Content-Length: -1\r\n\r\n`, [400]],
  'huge length': [`${HEAD}${TYPE}Content-Length: 99999999999999999999999\r\n\r\n`, [400, 413]],
  'chunk size overflow': [
    `${HEAD}${TYPE}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\n`,
    [400],
  ],
  'bad chunk': [`${HEAD}${TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [400]],
  'folded header': [`${HEAD}X-A: b\r\n  c\r\n${TYPE}Content-Length: 0\r\n\r\n`, [400]],
  'header flood': [`${HEAD}${'X-A: b\r\n'.repeat(3000)}\r\n`, [431, 400]],
  'large header': [`${HEAD}X-A: ${'b'.repeat(20_000)}\r\n\r\n`, [431]],
  'NUL in a header': [`${HEAD}X-A: a\0b\r\n\r\n`, [400]],
  'space before the colon': [`${HEAD}X-A : b\r\n\r\n`, [400]],
  'two credentials': [whole('Authorization: Bearer key-2\r\n'), [401]],
  'the same credential twice': [whole('authorization: Bearer key-1\r\n'), [401]],
  'two idempotency keys': [whole('Idempotency-Key: a\r\nIdempotency-Key: b\r\n'), [400]],
  'an empty idempotency key': [whole('Idempotency-Key:\r\n'), [400]],
  'a long idempotency key': [whole(`Idempotency-Key: ${'k'.repeat(256)}\r\n`), [400]],
  'a key beyond ASCII': [whole('Idempotency-Key: caf\xe9\r\n'), [400]],
  'header named __proto__': [whole('__proto__: x\r\nconstructor: y\r\n'), [200]],
  'bad escape': ['GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
  'no host': ['GET /healthz HTTP/1.1\r\n\r\n', [400]],
  'absolute form': ['GET http://evil/healthz HTTP/1.1\r\nHost: x\r\n\r\n', [200, 404]],
  'an unknown method': ['BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
  'a rare method': ['PROPFIND /healthz HTTP/1.1\r\nHost: x\r\n\r\n', [404, 405]],
  TRACE: ['TRACE /healthz HTTP/1.1\r\nHost: x\r\n\r\n', [405]],
}

for (const [name, [bytes, lawful]] of Object.entries(cases)) {
  test(`raw: ${name}`, async () => {
    const answer = await sendRaw(service.port, [bytes], { answers: 1 })
    const statuses = statusesOf(answer)
    assert.equal(statuses.length, 1, answer)
    assert.ok(lawful.includes(statuses[0]!), answer)
    assert.match(answer, /\r\nx-request-id: req_\w{24}\r\n/i)
    if (statuses[0]! >= 400) {
      const reply = JSON.parse(answer.split('\r\n\r\n')[1]!) as { code?: number }
      if (reply.code !== undefined) assert.equal(reply.code, statuses[0])
    }
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  })
}

test('CONNECT and an upgrade get no tunnel', async () => {
  for (const text of [
    'CONNECT evil:80 HTTP/1.1\r\nHost: evil\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    assert.doesNotMatch(await sendRaw(service.port, [text]), /HTTP\/1.1 101/)
  }
})

test('a truncated body never reaches the handler, and pipelined requests each get theirs', async () => {
  const before = handled
  await sendRaw(service.port, [`${HEAD}${TYPE}Content-Length: 100\r\n\r\n{"n":`], { end: true })
  assert.equal(handled, before)
  const answer = await sendRaw(service.port, [whole('') + whole('') + whole('', '{"n":"x"}')], {
    answers: 3,
  })
  assert.deepEqual(statusesOf(answer), [200, 200, 400])
  assert.equal(handled, before + 2)
})

test('so many requests may wait behind one another, then the connection is closed', async () => {
  const before = handled
  await sendRaw(service.port, [whole('').repeat(500)], { answers: 500 })
  assert.ok(handled - before <= 33, `${handled - before} of them were looked at`)
  await eventually('nothing is left', () => service.server.context.running.count === 0)
  const answer = await sendRaw(service.port, [whole('').repeat(33)], { answers: 33 })
  assert.equal(statusesOf(answer).length, 33)
})

test('resets at any moment leave nothing behind', async () => {
  const text = whole('')
  for (let cut = 1; cut < text.length; cut += 7) {
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    socket.write(text.slice(0, cut), () => socket.resetAndDestroy())
    await pause(2)
  }
  await eventually('nothing runs any more', () => service.server.context.running.count === 0)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
})
