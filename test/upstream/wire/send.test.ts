import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { HttpCall } from '../../../src/upstream/contract/contract.ts'
import {
  UpstreamError,
  SLOW_READER,
  StatusError,
  type UpstreamErrorKind,
} from '../../../src/upstream/contract/upstream-error.ts'
import { createHttpSender, gather } from '../../../src/upstream/wire/send.ts'
import type { Source } from '../../../src/upstream/wire/source.ts'
import { eventually } from '../../support/eventually.ts'
import { itemsOf, nextOf } from '../sources.ts'
import {
  chunk,
  LAST_CHUNK,
  response,
  sse,
  SSE_HEAD,
  wireServer,
  type Behave,
} from '../wire-server.ts'

const TOO_DEEP = '['.repeat(65) + ']'.repeat(65)
const KEY = 'sk-very-secret'
/** Long enough for a busy machine to answer in, where an answer is expected. */
const LIMITS = { connectMs: 1_500, firstByteMs: 800, idleMs: 500, totalMs: 2_500 }
const sender = createHttpSender(LIMITS)
const closing: (() => Promise<void>)[] = [() => sender.close()]
after(() => Promise.all(closing.map((close) => close())))

async function endpoint(behave: Behave) {
  const server = await wireServer(behave)
  closing.push(server.close)
  const url = new URL(server.url)
  const headers = { authorization: `Bearer ${KEY}` }
  return { server, endpoint: { origin: url.origin, basePath: url.pathname, headers } }
}

const get = (expects: HttpCall['expects'], more: Partial<HttpCall> = {}): HttpCall => ({
  method: 'GET',
  path: '/x',
  expects,
  ...more,
})

async function errorOf(work: () => Promise<unknown>): Promise<UpstreamError> {
  try {
    await work()
  } catch (error) {
    assert.ok(error instanceof UpstreamError, String(error))
    assert.doesNotMatch(`${error.message} ${error.stack}`, /127\.0\.0\.1|secret/)
    return error
  }
  throw new assert.AssertionError({ message: 'no error' })
}

async function drain(source: Source<unknown>): Promise<void> {
  for await (const _ of itemsOf(source));
}

/** UPS-01 to UPS-14, as far as one exchange goes. */
const TABLE: [string, Behave, UpstreamErrorKind, string?][] = [
  ['accepts, never answers', () => {}, 'timeout', 'first_byte'],
  [
    'headers, then silence',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n'),
    'timeout',
    'first_byte',
  ],
  [
    'some bytes, then silence',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{'),
    'timeout',
    'idle',
  ],
  [
    'one byte now and then, without end',
    (socket) => {
      socket.write(SSE_HEAD.replace('text/event-stream', 'application/json'))
      const timer = setInterval(() => socket.write(chunk(' ')), 60)
      socket.on('close', () => clearInterval(timer))
    },
    'timeout',
    'total',
  ],
  ['closes at once', (socket) => socket.destroy(), 'reset'],
  [
    'reset in the middle of the body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":')
      setTimeout(() => socket.resetAndDestroy(), 10)
    },
    'reset',
  ],
  [
    'short content-length',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}'),
    'reset',
  ],
  [
    'chunked without its end',
    (socket) =>
      socket.end(`${SSE_HEAD.replace('text/event-stream', 'application/json')}2\r\n{}\r\n`),
    'reset',
  ],
  ['not HTTP at all', (socket) => socket.end('220 smtp ready\r\n'), 'garbage'],
  ['HTML with 200', (socket) => socket.write(response('<html>hello</html>')), 'garbage'],
  ['an empty body', (socket) => socket.write(response('')), 'garbage'],
  ['JSON that is too deep', (socket) => socket.write(response(TOO_DEEP)), 'garbage'],
  ['half a JSON', (socket) => socket.write(response('{"a":')), 'garbage'],
  [
    'invalid UTF-8',
    (socket) => socket.write(response(Buffer.from([0x22, 0xc3, 0x28, 0x22]))),
    'garbage',
  ],
  [
    'gzip that was not requested',
    (socket) => socket.write(response(gzipSync('{}'), { headers: { 'content-encoding': 'gzip' } })),
    'garbage',
  ],
  [
    'gzip two thousand times over',
    (socket) =>
      socket.write(
        response('x', { headers: { 'content-encoding': 'gzip, '.repeat(2000) + 'gzip' } }),
      ),
    'garbage',
  ],
  [
    'a header block of a megabyte',
    (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${`x-a: ${'y'.repeat(1000)}\r\n`.repeat(1000)}\r\n{}`),
    'too_large',
  ],
  [
    'a redirect to a private host',
    (socket) =>
      socket.write(response('', { status: 302, headers: { location: 'http://169.254.169.254/' } })),
    'redirect',
  ],
  [
    'a storm of 100 Continue',
    (socket) => socket.write('HTTP/1.1 100 C\r\n\r\n'.repeat(50)),
    'reset',
  ],
]

describe('the HTTP client', () => {
  for (const [name, behave, kind, at] of TABLE) {
    it(`${name}: ${kind}`, async () => {
      const there = await endpoint(behave)
      const found = await errorOf(() => sender.json(there.endpoint, get('json')))
      assert.equal(found.kind, kind)
      if (at) assert.equal(found.at, at)
    })
  }

  it('a flood of early hints ends with the clock', async () => {
    const there = await endpoint((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 E\r\n\r\n'.repeat(20)), 5)
      socket.on('close', () => clearInterval(timer))
    })
    assert.equal((await errorOf(() => sender.json(there.endpoint, get('json')))).at, 'first_byte')
  })

  it('no server listens: refused', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    await new Promise((done) => server.close(done))
    const where = { origin: `http://127.0.0.1:${port}`, basePath: '', headers: {} }
    assert.equal((await errorOf(() => sender.json(where, get('json')))).kind, 'refused')
    const nowhere = { origin: 'http://nobody.invalid', basePath: '', headers: {} }
    assert.equal((await errorOf(() => sender.json(nowhere, get('json')))).kind, 'refused')
  })

  it('TLS to a server that speaks plain HTTP: refused or reset', async () => {
    const there = await endpoint((socket) => socket.end('no tls'))
    const origin = there.endpoint.origin.replace('http:', 'https:')
    const found = await errorOf(() => sender.json({ ...there.endpoint, origin }, get('json')))
    assert.match(found.kind, /refused|reset|timeout/)
  })

  it('white space before the JSON is keep-alive', async () => {
    const there = await endpoint((socket) => socket.write(response('\n\n  \n{"a":1}')))
    assert.deepEqual((await sender.json(there.endpoint, get('json'))).json, { a: 1 })
  })

  it('keeps only known headers, asks for no compression, carries the key', async () => {
    const there = await endpoint((socket) =>
      socket.write(response('{}', { headers: { 'set-cookie': 'a', server: 'acme', via: 'acme' } })),
    )
    const answer = await sender.json(there.endpoint, get('json'))
    assert.deepEqual(Object.keys(answer.headers).toSorted(), ['content-length', 'content-type'])
    const [request] = there.server.requests
    assert.equal(request!.headers['accept-encoding'], 'identity')
    assert.equal(request!.headers.authorization, `Bearer ${KEY}`)
  })

  it('an error status carries its body and a sane Retry-After', async () => {
    const cases: [string | undefined, number | undefined][] = [
      ['7', 7],
      [new Date(Date.now() + 30_000).toUTCString(), 30],
      ['-1', undefined],
      ['9999999999', 3600],
      ['soon', undefined],
      [undefined, undefined],
    ]
    for (const [value, seconds] of cases) {
      const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value }
      const there = await endpoint((socket) =>
        socket.write(response('{"error":{"code":429}}', { status: 429, headers })),
      )
      const found = await errorOf(() => sender.json(there.endpoint, get('json')))
      assert.ok(found instanceof StatusError)
      assert.deepEqual([found.status, found.body], [429, { error: { code: 429 } }])
      if (seconds === undefined) assert.equal(found.retryAfterS, undefined)
      else assert.ok(Math.abs(found.retryAfterS! - seconds) <= 1, `${value}: ${found.retryAfterS}`)
    }
  })

  it('an error page of gigabytes is cut at its cap', async () => {
    const there = await endpoint((socket) => endless(socket, 'HTTP/1.1 500 X\r\n'))
    const found = await errorOf(() => sender.json(there.endpoint, get('json')))
    assert.ok(found instanceof StatusError)
    assert.equal(found.status, 500)
  })

  it('a body without end is cut at the cap, with little memory', async () => {
    const there = await endpoint((socket) => endless(socket, 'HTTP/1.1 200 X\r\n'))
    const before = process.memoryUsage().rss
    const call = get('json', { maxBytes: 4 * 1024 * 1024, timeouts: { totalMs: 10_000 } })
    assert.equal((await errorOf(() => sender.json(there.endpoint, call))).kind, 'too_large')
    assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024)
    await eventually('the socket is closed', () => there.server.open === 0)
  })

  it('a line without end in a stream is cut at the cap', async () => {
    const there = await endpoint((socket) => endless(socket, SSE_HEAD.slice(0, -2), 'data: '))
    const answer = await sender.events(
      there.endpoint,
      get('sse', { timeouts: { totalMs: 10_000, idleMs: 5000 } }),
    )
    assert.equal((await errorOf(() => drain(answer.events))).kind, 'too_large')
  })

  it('a stream that falls silent, and one of comments only, are cut', async () => {
    const silent = await endpoint((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(sse('1')))
    })
    const first = await sender.events(silent.endpoint, get('sse'))
    assert.equal((await errorOf(() => drain(first.events))).at, 'idle')
    const comments = await endpoint((socket) => {
      socket.write(SSE_HEAD)
      const timer = setInterval(() => socket.write(chunk(': still here\n\n')), 50)
      socket.on('close', () => clearInterval(timer))
    })
    const second = await sender.events(comments.endpoint, get('sse'))
    assert.equal((await errorOf(() => drain(second.events))).at, 'total')
  })

  it('silence is measured from the last bytes on', async () => {
    const there = await endpoint((socket) => {
      socket.write(SSE_HEAD)
      // Many small steps, each far below the limit: a busy machine may delay any of them.
      let left = 30
      const timer = setInterval(() => {
        if (left-- > 0) socket.write(chunk(sse('1')))
        else clearInterval(timer)
      }, LIMITS.idleMs / 10)
    })
    const answer = await sender.events(
      there.endpoint,
      get('sse', { timeouts: { totalMs: 60_000 } }),
    )
    const began = Date.now()
    assert.equal((await errorOf(() => drain(answer.events))).at, 'idle')
    const tookMs = Date.now() - began
    assert.ok(tookMs > LIMITS.idleMs * 3, `${tookMs} ms`)
  })

  it('a web page and a JSON error are no stream', async () => {
    const page = await endpoint((socket) =>
      socket.write(response('<html>', { headers: { 'content-type': 'text/html' } })),
    )
    assert.equal((await errorOf(() => sender.events(page.endpoint, get('sse')))).kind, 'garbage')
    const json = await endpoint((socket) => socket.write(response('{"error":{"code":503}}')))
    const found = await errorOf(() => sender.events(json.endpoint, get('sse')))
    assert.ok(found instanceof StatusError)
    assert.deepEqual(found.body, { error: { code: 503 } })
  })

  it('waits for a slow reader: the upstream is paused, and is not called silent', async () => {
    let written = 0
    const there = await endpoint((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\nconnection: close\r\n\r\n')
      const block = Buffer.alloc(64 * 1024)
      const more = () => {
        while (written < 64 * 1024 * 1024) {
          written += block.length
          if (!socket.write(block)) return
        }
        socket.end()
      }
      socket.on('drain', more)
      more()
    })
    const call = get('bytes', { timeouts: { totalMs: 20_000 } })
    const answer = await sender.bytes(there.endpoint, call)
    await nextOf(answer.bytes)
    await new Promise((done) => setTimeout(done, LIMITS.idleMs * 3))
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were read ahead`)
    const rest = await gather(answer.bytes)
    assert.ok(rest.length > 60 * 1024 * 1024)
  })

  it('while our reader has no room no clock runs, and afterwards they go on', async () => {
    const there = await endpoint((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(sse('1')))
      const timer = setInterval(() => socket.write(chunk(': still here\n\n')), 50)
      socket.on('close', () => clearInterval(timer))
    })
    const answer = await sender.events(there.endpoint, get('sse'))
    await nextOf(answer.events)
    answer.events.rest()
    answer.events.rest()
    await new Promise((done) => setTimeout(done, LIMITS.totalMs * 1.5))
    assert.equal(there.server.open, 1)
    for (let i = 0; i < 3; i++) await nextOf(answer.events)
    assert.equal((await errorOf(() => drain(answer.events))).at, 'total')
  })

  it('an upstream that gives up on a slow reader is not to blame', async () => {
    for (const [idleMs, kind] of [
      [LIMITS.idleMs, 'aborted'],
      [LIMITS.idleMs * 100, 'reset'],
    ] as const) {
      let upstream: Socket
      const there = await endpoint((socket) => {
        upstream = socket
        socket.write(SSE_HEAD)
        socket.write(chunk(sse('1')))
      })
      const answer = await sender.events(there.endpoint, get('sse', { timeouts: { idleMs } }))
      await nextOf(answer.events)
      answer.events.rest()
      await new Promise((done) => setTimeout(done, LIMITS.idleMs))
      upstream!.resetAndDestroy()
      const found = await errorOf(() => drain(answer.events))
      assert.deepEqual([found.kind, found.at === SLOW_READER], [kind, kind === 'aborted'])
    }
  })

  it('the signal closes the socket at once', async () => {
    const there = await endpoint((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(sse('1')))
    })
    const leaving = new AbortController()
    const answer = await sender.events(there.endpoint, get('sse'), leaving.signal)
    await nextOf(answer.events)
    leaving.abort()
    assert.equal((await errorOf(() => drain(answer.events))).kind, 'aborted')
    await eventually('the socket is closed', () => there.server.open === 0)
  })

  it('JSON and pieces say what they are and how long', async () => {
    const there = await endpoint((socket) => socket.write(response('{}')))
    const post = get('json', { method: 'POST' })
    await sender.json(there.endpoint, { ...post, json: { name: 'Juma', none: undefined } })
    const body = { length: 3, read: () => [Buffer.from('a'), Buffer.from('bc')] }
    const headers = { 'content-type': 'text/plain' }
    await sender.json(there.endpoint, { ...post, headers, body })
    await sender.json(there.endpoint, get('json'))
    const sent = there.server.requests.map((one) => [
      one.headers['content-type'],
      one.headers['content-length'],
      one.body,
    ])
    assert.deepEqual(sent, [
      ['application/json', '15', '{"name":"Juma"}'],
      ['text/plain', '3', 'abc'],
      [undefined, undefined, ''],
    ])
  })

  it('an unsolicited response is not passed to the next caller', async () => {
    const there = await endpoint((socket, request) => {
      socket.write(response(`{"for":"${request.headers['x-caller']}"}`))
      setTimeout(() => socket.write(response('{"for":"nobody"}')), 5)
    })
    for (const caller of ['a', 'b', 'c']) {
      const answer = await sender.json(
        there.endpoint,
        get('json', { headers: { 'x-caller': caller } }),
      )
      assert.deepEqual(answer.json, { for: caller })
      await new Promise((done) => setTimeout(done, 20))
    }
  })

  it('connections are kept and used again', async () => {
    const there = await endpoint((socket) => socket.write(response('{}')))
    for (let i = 0; i < 5; i += 1) await sender.json(there.endpoint, get('json'))
    assert.ok(there.server.open <= 2)
    const stream = await endpoint((socket) =>
      socket.write(
        Buffer.concat([Buffer.from(SSE_HEAD), chunk(sse('1')), Buffer.from(LAST_CHUNK)]),
      ),
    )
    for (let i = 0; i < 5; i += 1) {
      await drain((await sender.events(stream.endpoint, get('sse'))).events)
    }
    assert.ok(stream.server.open <= 2)
  })
})

function endless(socket: Parameters<Behave>[0], head: string, start = '"'): void {
  socket.write(
    head.includes('chunked') ? `${head}\r\n` : `${head}transfer-encoding: chunked\r\n\r\n`,
  )
  const block = chunk('x'.repeat(64 * 1024))
  socket.write(chunk(start))
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on('drain', more)
  more()
}
