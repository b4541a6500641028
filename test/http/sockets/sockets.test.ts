import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { drain } from '../../../src/http/drain.ts'
import { route, type SocketPeer } from '../../../src/http/route.ts'
import type { Outflow, Sink } from '../../../src/lib/answer.ts'
import { eventually } from '../../support/eventually.ts'
import type { Loose } from '../../support/loose.ts'
import { keyHeaders, startServer } from '../../support/server.ts'

/* What a connection is opened with, what it may take, and how it ends. The answers are the test's. */

const MINUTE_MS = 60_000
let sinks: Sink[] = []
let peers: SocketPeer[] = []
let left = 0

const place = {
  method: 'GET',
  path: '/v1/talk',
  summary: 'Talks.',
  tag: 'Test',
  credential: 'key',
  dialect: 'compatible',
  limit: 'principal',
} as const

/** Each message is answered by what the test writes into its sink. */
const talk = route({
  ...place,
  refusesAll: true,
  socket(peer) {
    peers.push(peer)
    return route({
      ...place,
      bodyLimitBytes: 14_500_000,
      body: z.looseObject({ n: z.number() }),
      handle: async () => ({ status: 200, headers: {}, body: told() }),
    })
  },
  handle: async () => ({ data: {} }),
})

function told(): Outflow {
  return {
    flow: (sink) => void sinks.push(sink),
    async left() {
      left += 1
    },
  }
}

const settings = { MAX_BODIES_MB: 64, ACCOUNT_SHARE_PERCENT: 50, SLOWEST_BODY_BYTES_PER_S: 1_000 }
const service = await startServer({ routes: [talk], settings })
const { sockets, context } = service.server
after(async () => {
  await service.close()
  await eventually('no memory is held', () => context.capacity.heldBytes === 0)
})

async function open(headers: Record<string, string> = keyHeaders) {
  sinks = []
  peers = []
  left = 0
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/talk`, { headers })
  const frames: Loose[] = []
  socket.on('error', () => {})
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())))
  const closed = new Promise<{ code: number; why: string }>((done) =>
    socket.once('close', (code, reason) => done({ code, why: reason.toString() })),
  )
  await once(socket, 'open')
  return {
    socket,
    frames,
    closed,
    /** A message whose answer the test writes. */
    async say(more: object = {}): Promise<Sink> {
      const known = sinks.length
      socket.send(JSON.stringify({ n: 1, ...more }))
      return eventually('the message is at work', () => sinks[known])
    },
    frame: (n: number): Promise<Loose> => eventually(`frame ${n}`, () => frames[n]),
  }
}

const event = (n: number) => `event: told\ndata: {"type":"told","n":${n}}\n\n`
const lookOften = () => {
  for (let look = 0; look < 16; look++) sockets.look(performance.now())
}

test('each event is a frame, without comments and the last mark', async () => {
  const client = await open()
  const sink = await client.say({ stream_id: 'a' })
  sink.write(`${event(1)}: keep-alive\n\n${event(2)}`)
  sink.end('data: [DONE]\n\n')
  const [first, second] = [await client.frame(0), await client.frame(1)]
  assert.match(first.request_id, /^req_/)
  assert.deepEqual([first.n, first.stream_id], [1, 'a'])
  assert.deepEqual(second, { type: 'told', n: 2, stream_id: 'a' })
  await eventually('the call has ended', () => left === 1 && context.running.count === 0)
  assert.equal(client.frames.length, 2)
  client.socket.close()
  await client.closed
})

test('a connection is closed after an hour once it is answered, and says so', async () => {
  const client = await open()
  const sink = await client.say()
  sockets.look(performance.now() + 61 * MINUTE_MS)
  client.socket.send('{"n":2}')
  const refused = await client.frame(0)
  assert.deepEqual(
    [refused.type, refused.status, refused.error.code],
    ['error', 400, 'websocket_connection_limit_reached'],
  )
  sink.end(event(1))
  assert.equal((await client.frame(1)).n, 1)
  assert.equal((await client.frame(2)).error.code, 'websocket_connection_limit_reached')
  assert.equal((await client.closed).code, 1000)
})

test('an idle connection is closed, one at work is not', async () => {
  const [idle, busy] = [await open(), await open()]
  const sink = await busy.say()
  sockets.look(performance.now() + 11 * MINUTE_MS)
  assert.match((await idle.closed).why, /Idle/)
  sink.end(event(1))
  assert.equal((await busy.frame(0)).n, 1)
  busy.socket.close()
  await busy.closed
})

test('a reader who takes nothing has left, whatever it sends meanwhile', async () => {
  const client = await open()
  const sink = await client.say()
  client.socket.pause()
  // More than the system's own buffers can hold.
  sink.write(event(1).replace('}', `,"x":"${'x'.repeat(64_000_000)}"}`))
  for (let look = 0; look < 20; look++) {
    sockets.look(performance.now())
    client.socket.ping()
    await new Promise(setImmediate)
  }
  await eventually('its call is told', () => left === 1)
  await eventually('nothing runs', () => context.running.count === 0)
  client.socket.terminate()
})

test('a message that comes too slowly ends its connection, and its memory is given back', async () => {
  const client = await open()
  // The first of two fragments: the other never comes.
  client.socket.send('{"n":', { fin: false })
  await eventually('it is counted', () => context.capacity.heldBytes > 0)
  lookOften()
  assert.equal((await client.closed).code, 1006)
  await eventually('nothing is held', () => context.capacity.heldBytes === 0)
})

test('what the calls keep between them is counted, and given back at the end', async () => {
  const client = await open()
  assert.equal(peers[0]!.hold(1_000_000), true)
  assert.equal(context.capacity.heldBytes, 1_000_000)
  assert.equal(peers[0]!.hold(100_000_000), false)
  client.socket.close()
  await client.closed
  await eventually('nothing is held', () => context.capacity.heldBytes === 0)
})

test('a message for which there is no room is refused before it is whole', async () => {
  const client = await open()
  assert.equal(peers[0]!.hold(30_000_000), true)
  client.socket.send(JSON.stringify({ n: 1, text: 'x'.repeat(14_000_000) }))
  assert.deepEqual([(await client.frame(0)).status, sinks.length], [429, 0])
  client.socket.terminate()
})

test('so many messages may wait for answers, then the connection is closed', async () => {
  const client = await open({ authorization: 'Bearer key-4' })
  for (let n = 0; n < 70; n++) client.socket.send('{"n":1}')
  const { code, why } = await client.closed
  assert.deepEqual([code, /at once/.test(why)], [1008, true])
  await eventually('all of them are let go', () => left === sinks.length && left <= 64)
})

test('so many connections may one account open', async () => {
  const third = { authorization: 'Bearer key-3' }
  const clients = await Promise.all(Array.from({ length: 50 }, () => open(third)))
  await assert.rejects(open(third), /429/)
  const other = await open({ authorization: 'Bearer key-2' })
  for (const client of [...clients, other]) client.socket.close()
  await Promise.all([...clients, other].map(({ closed }) => closed))
  const again = await eventually('there is room again', () => open(third).catch(() => undefined))
  again.socket.close()
  await again.closed
})

test('a handshake that is none is an ordinary refusal', async () => {
  const answer = await fetch(`${service.url}/v1/talk`, { headers: keyHeaders })
  assert.equal(answer.status, 200)
  const older = new WebSocket(`${service.url.replace('http', 'ws')}/v1/talk`, {
    headers: keyHeaders,
    protocolVersion: 8,
  })
  older.on('error', () => {})
  const [, refused] = await once(older, 'unexpected-response')
  assert.deepEqual([refused.statusCode, refused.headers['sec-websocket-version']], [400, '13'])
  refused.resume()
})

test('a drain waits for what is at work, refuses the rest, and closes each connection', async () => {
  const own = await startServer({ routes: [talk], settings })
  const url = `${own.url.replace('http', 'ws')}/v1/talk`
  const clients = [
    new WebSocket(url, { headers: keyHeaders }),
    new WebSocket(url, { headers: keyHeaders }),
  ]
  await Promise.all(clients.map((socket) => once(socket, 'open')))
  sinks = []
  const [busy, idle] = clients as [WebSocket, WebSocket]
  const closes = clients.map((socket) => once(socket, 'close'))
  busy.send('{"n":1}')
  await eventually('it is at work', () => sinks.length === 1)
  const frames: Loose[] = []
  busy.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())))
  const drained = drain(own.server)
  assert.equal((await closes[1]!)[0], 1012)
  assert.equal(idle.readyState, idle.CLOSED)
  busy.send('{"n":2}')
  const refused = await eventually('the second is refused', () => frames[0])
  assert.deepEqual([refused.status, refused.error.type], [503, 'server_error'])
  sinks[0]!.end(event(1))
  assert.equal((await closes[0]!)[0], 1012)
  assert.equal(frames.at(-1)!.n, 1)
  await drained
})
