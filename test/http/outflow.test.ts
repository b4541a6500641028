import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { route, type Result } from '../../src/http/route.ts'
import type { Outflow, Sink } from '../../src/lib/answer.ts'
import { eventually } from '../support/eventually.ts'
import { startServer } from '../support/server.ts'

/** What the last call flows into, and how often it was told that the reader left. */
let sink: Sink
let sinks: Sink[] = []
let reply = { left: 0 }
let begun = Promise.withResolvers<void>()
function outflow(): Outflow {
  const mine = reply
  return {
    flow(into) {
      sink = into
      sinks.push(into)
      begun.resolve()
    },
    left: async () => void (mine.left += 1),
  }
}
function fresh(): void {
  sinks = []
  reply = { left: 0 }
  begun = Promise.withResolvers()
}
const get = (path: string, headers: Record<string, string>) =>
  route({
    summary: 'A test',
    tag: 'Test',
    credential: 'none',
    limit: 'none',
    dialect: 'envelope',
    method: 'GET',
    path,
    handle: async (): Promise<Result> => ({ status: 200, headers, body: outflow() }),
  })
const routes = [
  get('/v1/flow', { 'content-type': 'text/event-stream' }),
  get('/v1/unwritable', { 'x-odd': 'a\nb' }),
]

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes })
})
after(() => service.close())

/** A connection that reads only when it is told to. */
async function call(path: string) {
  fresh()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return socket
}

/** Writes more than the system's own buffers can hold, and gives the wait for room. */
function fill(): Promise<void> {
  assert.equal(sink.write('x'.repeat(64_000_000)), false)
  return sink.room()
}

test('the head, the pieces and the end arrive as they are written', async () => {
  fresh()
  const response = fetch(`${service.url}/v1/flow`)
  await begun.promise
  assert.equal(sink.write('data: 1\n\n'), true)
  const answer = await response
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  assert.match(answer.headers.get('x-request-id')!, /^req_/)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  assert.equal((await reader.read()).value, 'data: 1\n\n')
  sink.write('data: 2\n\n')
  assert.equal((await reader.read()).value, 'data: 2\n\n')
  sink.end('data: 3\n\n')
  assert.equal((await reader.read()).value, 'data: 3\n\n')
  assert.equal((await reader.read()).done, true)
})

test('every letter arrives, and a piece without any is not the end', async () => {
  fresh()
  const response = fetch(`${service.url}/v1/flow`)
  await begun.promise
  for (const text of ['Karibu ', 'ñandú ', '', '你好 ', '👋🏾 ', 'x'.repeat(70_000)]) sink.write(text)
  sink.end('mwisho')
  const said = await (await response).text()
  assert.equal(said, `Karibu ñandú 你好 👋🏾 ${'x'.repeat(70_000)}mwisho`)
})

test('of two calls at once on one connection, the second is answered behind the first', async (t) => {
  fresh()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  let seen = ''
  socket.on('data', (data) => (seen += String(data)))
  socket.write('GET /v1/flow HTTP/1.1\r\nHost: test\r\n\r\n'.repeat(2))
  await eventually('two calls run', () => sinks.length === 2)
  const [first, second] = sinks as [Sink, Sink]
  for (const n of [1, 2]) second.write(`second ${n};`)
  for (const n of [1, 2]) first.write(`first ${n};`)
  second.write('second 3;')
  first.end('first 3;')
  await eventually('the second call speaks', () => seen.includes('second 3;'))
  second.end('second 4;')
  await eventually(
    'both answers have ended',
    () => seen.endsWith('0\r\n\r\n') && seen.includes('second 4;'),
  )
  const said = seen.match(/(?:first|second) \d/g)
  const inOrder = ['first 1', 'first 2', 'first 3', 'second 1', 'second 2', 'second 3', 'second 4']
  assert.deepEqual(said, inOrder)
  assert.equal(seen.match(/\r\n0\r\n\r\n/g)?.length, 2)
})

test('a client of HTTP/1.0 gets the text without chunks, up to the end of its connection', async () => {
  fresh()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let seen = ''
  socket.on('data', (data) => (seen += String(data)))
  socket.write('GET /v1/flow HTTP/1.0\r\n\r\n')
  await begun.promise
  for (const n of [1, 2, 3]) sink.write(`piece ${n};`)
  sink.end('end')
  await once(socket, 'close')
  assert.equal(seen.slice(seen.indexOf('\r\n\r\n') + 4), 'piece 1;piece 2;piece 3;end')
})

test('the last piece and the end of the body leave in one write', async () => {
  const socket = await call('/v1/flow')
  await begun.promise
  sink.write('data: 1\n\n')
  await once(socket, 'data')
  sink.end('data: 2\n\n')
  const [piece] = await once(socket, 'data')
  assert.equal(String(piece), '9\r\ndata: 2\n\n\r\n0\r\n\r\n')
  socket.destroy()
})

test('the buffer of a reader that does not read fills; there is room once it reads', async () => {
  const socket = await call('/v1/flow')
  socket.pause()
  await begun.promise
  const room = fill()
  socket.resume()
  await room
  socket.destroy()
})

test('a reader who leaves is reported once, also while the buffer is full', async () => {
  for (const full of [false, true]) {
    const socket = await call('/v1/flow')
    socket.pause()
    await begun.promise
    const room = full ? fill() : undefined
    socket.resetAndDestroy()
    await eventually('the reader is reported to have left', () => reply.left > 0)
    await room
    // What is said behind a reader who left goes nowhere, and breaks nothing.
    assert.equal(sink.write('late'), true)
    await sink.room()
    sink.end('too late')
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    assert.equal(reply.left, 1)
  }
})

test('a reader that takes nothing for a minute is given up; one that takes little is not', async (t) => {
  const response = nextResponse()
  const socket = await call('/v1/flow')
  t.after(() => socket.destroy())
  socket.pause()
  await begun.promise
  const raw = await response
  assert.equal(raw.socket!.timeout, 60_000)
  // One large piece: only its whole makes room.
  let roomy = false
  void fill().then(() => (roomy = true))
  raw.setTimeout(2_000)
  for (const began = Date.now(); Date.now() - began < 3_000;) {
    await pause(20)
    for (let i = 0; i < 4; i++) socket.read()
  }
  assert.deepEqual([reply.left, roomy], [0, false])
  await eventually('the reader is given up', () => reply.left === 1)
  assert.ok(raw.destroyed)
})

test('a stream that was read leaves no timer for the next call on its connection', async (t) => {
  const response = nextResponse()
  const socket = await call('/v1/flow')
  t.after(() => socket.destroy())
  await begun.promise
  const server = (await response).socket!
  sink.end('data: 1\n\n')
  await once(socket, 'data')
  await eventually('the timer is gone', () => server.timeout !== 60_000)
})

function nextResponse(): Promise<ServerResponse> {
  return new Promise((done) =>
    service.server.http.once('request', (_request, response: ServerResponse) => done(response)),
  )
}

test('a head that cannot be written is a failure, and the flow is ended', async () => {
  fresh()
  const answer = await fetch(`${service.url}/v1/unwritable`)
  assert.equal(answer.status, 500)
  assert.equal(reply.left, 1)
  assert.equal(answer.headers.get('x-odd'), null)
})
