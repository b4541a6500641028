import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { z } from 'zod'
import { limitConnections } from '../../src/http/limits/connections.ts'
import { route } from '../../src/http/route.ts'
import { startServer } from '../support/server.ts'
import { statusesOf } from '../support/raw-http.ts'
import { eventually } from '../support/eventually.ts'

const MB = 1_000_000
const waiting: (() => void)[] = []
const plain = { summary: 'A test', tag: 'Test', credential: 'either', limit: 'principal' } as const

const routes = [
  route({
    ...plain,
    method: 'POST',
    path: '/v1/held',
    dialect: 'compatible',
    bodyLimitBytes: 30 * MB,
    body: z.looseObject({}),
    handle: async () => {
      await new Promise<void>((done) => waiting.push(done))
      return { data: {} }
    },
  }),
  route<{ a?: unknown } | undefined>({
    ...plain,
    method: 'POST',
    path: '/v1/form',
    dialect: 'compatible',
    bodyKind: 'json-or-multipart',
    bodyLimitBytes: 30 * MB,
    body: z.looseObject({}),
    handle: async (call) => {
      await call.form?.()
      return { data: {} }
    },
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/large',
    dialect: 'compatible',
    handle: async () => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'a'.repeat(8 * MB),
    }),
  }),
]

let service: Awaited<ReturnType<typeof startServer>>
const sockets = new Set<Socket>()
before(async () => {
  service = await startServer({
    routes,
    settings: {
      TRUST_PROXY: true,
      MAX_RUNNING_CALLS: 80,
      MAX_BODIES_MB: 50,
      ACCOUNT_SHARE_PERCENT: 25,
      ADDRESS_SHARE_PERCENT: 50,
    },
  })
})
after(() => service.close())
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  for (const done of waiting.splice(0)) done()
  await until(() => running() === 0)
  assert.equal(held(), 0, 'everything was given back')
})

const held = () => service.server.context.capacity.heldBytes
const running = () => service.server.context.running.count
const until = (is: () => boolean) => eventually(is.toString(), is)

type From = { key?: number; address?: string }

function headersOf({ key = 1, address = '10.0.0.1' }: From) {
  return { authorization: `Bearer key-${key}`, 'x-forwarded-for': address }
}

const post = (from: From, bytes: number, path = '/v1/held') => {
  const body = Buffer.alloc(bytes, ' ')
  body.write('{}')
  return fetch(service.url + path, {
    method: 'POST',
    headers: { ...headersOf(from), 'content-type': 'application/json' },
    body,
  })
}

/** A caller who sends a head and then what the test says. */
async function open(from: From, lines: string, path = '/v1/held') {
  const socket = connect(service.port, '127.0.0.1').on('error', () => {})
  sockets.add(socket)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  await once(socket, 'connect')
  const headers = Object.entries(headersOf(from)).map(([name, value]) => `${name}: ${value}\r\n`)
  const type = lines.includes('Content-Type') ? '' : 'Content-Type: application/json\r\n'
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers.join('')}${type}${lines}\r\n`)
  return { socket, answer: () => text, answered: () => until(() => text.includes('\r\n\r\n{')) }
}

const announce = (from: From, bytes = 14 * MB) => open(from, `Content-Length: ${bytes}\r\n`)

test('sockets that announce bodies and send none take no memory, and stop nobody', async () => {
  const from = (i: number) => ({ key: 1 + (i % 9), address: `10.1.0.${i}` })
  const idle = await Promise.all(Array.from({ length: 18 }, (_, i) => announce(from(i), 5 * MB)))
  for (const { socket } of idle) socket.write('{')
  await until(() => running() === 18 && held() === 18)
  const answer = post({ key: 1, address: '10.0.0.2' }, 10 * MB)
  await until(() => waiting.length === 1)
  assert.equal(held(), 10 * MB + 18)
  waiting.pop()!()
  assert.equal((await answer).status, 200)
})

test('what arrives is what is held, up to the whole; then bodies are refused, known and unknown', async () => {
  const rest = [1, 2, 3, 4].map((n) => post({ key: n, address: `10.0.1.${n}` }, 12 * MB))
  await until(() => waiting.length === 4)
  assert.equal(held(), 48 * MB)
  const from = { key: 5, address: '10.0.2.1' }
  const known = await announce(from, 3 * MB)
  await known.answered()
  assert.deepEqual(statusesOf(known.answer()), [503])
  const growing = await open(from, 'Transfer-Encoding: chunked\r\n')
  growing.socket.write(`${(3 * MB).toString(16)}\r\n${'a'.repeat(3 * MB)}\r\n`)
  await growing.answered()
  assert.deepEqual(statusesOf(growing.answer()), [503])
  assert.ok(held() <= 50 * MB)
  for (const done of waiting.splice(0)) done()
  for (const one of rest) assert.equal((await one).status, 200)
})

test('an account has a share of the memory, and one body in any case', async () => {
  const first = post({ key: 1 }, 20 * MB)
  await until(() => waiting.length === 1)
  const second = await post({ key: 1 }, 1 * MB)
  assert.equal(second.status, 429)
  assert.equal(second.headers.get('retry-after'), '2')
  assert.match(await second.text(), /Your account has too many requests in progress, or too large/)
  const other = post({ key: 2, address: '10.0.0.2' }, 10 * MB)
  await until(() => waiting.length === 2)
  for (const done of waiting.splice(0)) done()
  for (const one of [first, other]) assert.equal((await one).status, 200)
})

test('an address has a share of the memory, whatever accounts it uses; it is the forwarded one', async () => {
  const taken = [1, 2].map((key) => post({ key, address: '10.0.0.1' }, 12 * MB))
  await until(() => waiting.length === 2)
  const third = await post({ key: 3, address: '10.0.0.1' }, 2 * MB)
  assert.equal(third.status, 429)
  assert.match(await third.text(), /Your network address has too many/)
  const elsewhere = post({ key: 3, address: '10.0.0.9' }, 2 * MB)
  await until(() => waiting.length === 3)
  for (const done of waiting.splice(0)) done()
  for (const one of [...taken, elsewhere]) assert.equal((await one).status, 200)
})

test('an account and an address have a share of the calls; liveness is always answered', async () => {
  for (let i = 0; i < 20; i++) await announce({ key: 1 })
  await until(() => running() === 20)
  const account = await post({ key: 1 }, 10)
  assert.equal(account.status, 429)
  assert.match(await account.text(), /Your account/)
  for (let i = 0; i < 20; i++) await announce({ key: 2 })
  await until(() => running() === 40)
  const address = await post({ key: 3 }, 10)
  assert.equal(address.status, 429)
  assert.match(await address.text(), /Your network address/)
  const alive = await fetch(`${service.url}/healthz`, { headers: headersOf({}) })
  assert.equal(alive.status, 200)
  const other = post({ key: 3, address: '10.0.0.2' }, 10)
  await until(() => waiting.length === 1)
  waiting.pop()!()
  assert.equal((await other).status, 200)
})

const FORM = 'Content-Type: multipart/form-data; boundary=edge\r\n'
const PART = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'

const stalling: [string, string, string][] = [
  ['JSON', '/v1/held', 'Content-Length: 5000000\r\n'],
  ['JSON in chunks', '/v1/held', 'Transfer-Encoding: chunked\r\n'],
  ['a form', '/v1/form', `${FORM}Content-Length: 5000000\r\n`],
]
for (const [what, path, lines] of stalling) {
  test(`${what} that comes too slowly is answered 408, and the connection ends`, async () => {
    const { slowBodies } = service.server.context
    const slow = await open({ key: 1 }, lines, path)
    slow.socket.write(what === 'JSON in chunks' ? '1\r\n{\r\n' : what === 'JSON' ? '{' : PART)
    await until(() => held() > 0)
    slowBodies.look(0)
    slowBodies.look(19_000)
    assert.equal(slow.answer(), '')
    slowBodies.look(20_000)
    await slow.answered()
    assert.deepEqual(statusesOf(slow.answer()), [408])
    assert.match(slow.answer(), /The request body arrived too slowly/)
    assert.match(slow.answer(), /\r\nconnection: close\r\n/i)
    assert.equal(held(), 0)
  })
}

test('a body at 20 kB a second is let through, however long it takes', async () => {
  const { slowBodies } = service.server.context
  const upload = await announce({ key: 1 }, 4 * MB)
  // Ahead of the server's own clock: what that sees in between is no stall.
  const beganMs = performance.now()
  for (let sent = 0; sent < 4 * MB; sent += 100_000) {
    upload.socket.write(sent === 0 ? `{}${' '.repeat(99_998)}` : ' '.repeat(100_000))
    await until(() => held() === sent + 100_000)
    slowBodies.look(beganMs + (sent / 20_000) * 1_000)
  }
  await until(() => waiting.length === 1)
  slowBodies.look(1e9)
  slowBodies.look(1e9 + 60_000)
  waiting.pop()!()
  await upload.answered()
  assert.deepEqual(statusesOf(upload.answer()), [200])
})

test('a form that goes on before its first part is cut at its cap', async () => {
  const endless = await open({ key: 1 }, `${FORM}Transfer-Encoding: chunked\r\n`, '/v1/form')
  const chunk = `${MB.toString(16)}\r\n${'x'.repeat(MB)}\r\n`
  for (let i = 0; i < 31; i++) endless.socket.write(chunk)
  await endless.answered()
  assert.deepEqual(statusesOf(endless.answer()), [413])
})

test('answers that nobody reads are held for their account, which gets no more until they go', async () => {
  const unread = Array.from({ length: 2 }, () => {
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    sockets.add(socket)
    const headers = `Authorization: Bearer key-1\r\nX-Forwarded-For: 10.0.0.1\r\n`
    socket.pause().write(`GET /v1/large HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
    return socket
  })
  await until(() => held() === 16 * MB)
  const more = await fetch(`${service.url}/v1/large`, { headers: headersOf({}) })
  assert.equal(more.status, 429)
  const other = await fetch(`${service.url}/v1/large`, {
    headers: headersOf({ key: 2, address: '10.0.0.2' }),
  })
  assert.equal((await other.text()).length, 8 * MB)
  unread[0]!.destroy()
  await until(() => held() === 8 * MB)
  const again = await fetch(`${service.url}/v1/large`, { headers: headersOf({}) })
  assert.equal((await again.text()).length, 8 * MB)
})

test('a reader who takes nothing of a large answer for a minute is left', async () => {
  const arriving = once(service.server.http, 'connection') as Promise<[Socket]>
  const socket = connect(service.port, '127.0.0.1').on('error', () => {})
  sockets.add(socket)
  const [theirs] = await arriving
  const headers = `Authorization: Bearer key-1\r\nX-Forwarded-For: 10.0.0.1\r\n`
  socket.pause().write(`GET /v1/large HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
  await until(() => held() === 8 * MB)
  assert.equal(theirs.timeout, 60_000)
  theirs.emit('timeout')
  await until(() => held() === 0)
  assert.ok(theirs.destroyed)
})

test('one address cannot take all connections, and idle ones keep nobody out', async () => {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => void answers.push(response))
  limitConnections(server, { most: 10, perAddress: 6 })
  await new Promise<void>((done) => server.listen(0, done))
  const { port } = server.address() as AddressInfo
  const visit = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    socket.resume()
    sockets.add(socket)
    await once(socket, 'connect')
    return socket
  }
  const six = await Promise.all(Array.from({ length: 6 }, () => visit('127.0.0.1')))
  for (const socket of six) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => answers.length === 6)
  const seventh = await visit('127.0.0.1')
  await until(() => seventh.destroyed)
  for (const answer of answers.splice(0, 3)) answer.end()
  const others = await Promise.all(Array.from({ length: 4 }, () => visit('127.0.0.2')))
  await until(() => six.filter((socket) => socket.destroyed).length === 3)
  assert.ok(others.every((socket) => !socket.destroyed))
  const eighth = await visit('127.0.0.1')
  eighth.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => answers.length === 4)
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})
