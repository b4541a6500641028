import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { after, afterEach, before, test } from 'node:test'
import { z } from 'zod'
import { Capacity } from '../../src/http/limits/capacity.ts'
import { route } from '../../src/http/route.ts'
import { Failure } from '../../src/lib/failure.ts'
import { keyHeaders, startServer } from '../support/server.ts'
import { eventually } from '../support/eventually.ts'

const waiting: (() => void)[] = []
const stream = new Readable({ read() {} })
const plain = { summary: 'A test', tag: 'Test', credential: 'either', limit: 'principal' } as const

const routes = [
  route({
    ...plain,
    method: 'POST',
    path: '/v1/slow',
    dialect: 'compatible',
    bodyLimitBytes: 60_000_000,
    body: z.looseObject({}),
    handle: async () => {
      await new Promise<void>((done) => waiting.push(done))
      return { data: {} }
    },
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/stream',
    dialect: 'compatible',
    handle: async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: stream,
    }),
  }),
]

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes, settings: { MAX_RUNNING_CALLS: 10, MAX_BODIES_MB: 50 } })
})
after(() => {
  stream.destroy()
  return service.close()
})
afterEach(() => {
  for (const done of waiting.splice(0)) done()
})

const post = (body: string | Buffer = '{}') =>
  fetch(`${service.url}/v1/slow`, {
    method: 'POST',
    headers: { ...keyHeaders, 'content-type': 'application/json' },
    body,
  })

const capacity = () => service.server.context

async function isWaiting(count: number): Promise<void> {
  await eventually(`${count} calls wait`, () => waiting.length >= count)
}

async function assertShed(answer: Response): Promise<void> {
  assert.equal(answer.status, 503)
  assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  const { error } = (await answer.json()) as { error: { type: string } }
  assert.equal(error.type, 'server_error')
}

test('of calls that arrive at the same moment it takes as many as it has room for', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  const head = Object.entries({ host: hostname, ...keyHeaders, 'content-type': 'application/json' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.write(`POST /v1/slow HTTP/1.1\r\n${head}content-length: 2\r\n\r\n{}`.repeat(12))
  await isWaiting(10)
  for (const done of waiting.splice(0)) done()
  let text = ''
  for await (const piece of socket) {
    text += piece as string
    if (text.split('HTTP/1.1 ').length === 13 && text.endsWith('}')) break
  }
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
  assert.deepEqual(statuses, [...Array(10).fill('200'), '503', '503'])
})

test('beyond its calls it sheds, and what runs goes on: liveness, streams, running calls', async () => {
  stream.push('data: first\n\n')
  const flowing = await fetch(`${service.url}/v1/stream`, { headers: keyHeaders })
  const reader = flowing.body!.getReader()
  await reader.read()
  const running = Array.from({ length: 9 }, () => post())
  await isWaiting(9)
  const shed = await Promise.all(Array.from({ length: 200 }, () => post()))
  for (const answer of shed) await assertShed(answer)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  stream.push('data: still here\n\n')
  assert.match(Buffer.from((await reader.read()).value ?? []).toString(), /still here/)
  for (const done of waiting.splice(0)) done()
  for (const answer of await Promise.all(running)) assert.equal(answer.status, 200)
  stream.push(null)
  await reader.read()
  const later = post()
  await isWaiting(1)
  waiting.pop()!()
  assert.equal((await later).status, 200)
  assert.equal(capacity().running.count, 0)
})

test('beyond its memory for bodies it refuses on the header alone, and accepts them again later', async () => {
  const large = Buffer.alloc(20_000_000, ' ')
  large.write('{}')
  const running = [post(large), post(large)]
  await isWaiting(2)
  const asking = request(`${service.url}/v1/slow`, {
    method: 'POST',
    headers: {
      ...keyHeaders,
      'content-type': 'application/json',
      'content-length': 20_000_000,
      expect: '100-continue',
    },
  })
  asking.flushHeaders()
  const [answer] = (await once(asking, 'response')) as [{ statusCode: number }]
  assert.equal(answer.statusCode, 503)
  asking.destroy()
  const small = post()
  await isWaiting(3)
  for (const done of waiting.splice(0)) done()
  for (const one of [...running, small]) assert.equal((await one).status, 200)
  const again = post(large)
  await isWaiting(1)
  waiting.pop()!()
  assert.equal((await again).status, 200)
})

test('a body of unknown length is counted as it grows', async () => {
  const large = Buffer.alloc(40_000_000, ' ')
  large.write('{}')
  const running = post(large)
  await isWaiting(1)
  const growing = await fetch(`${service.url}/v1/slow`, {
    method: 'POST',
    headers: { ...keyHeaders, 'content-type': 'application/json' },
    body: Readable.toWeb(
      Readable.from([large.subarray(0, 6_000_000), large.subarray(0, 6_000_000)]),
    ),
    duplex: 'half',
  })
  await assertShed(growing)
  waiting.pop()!()
  assert.equal((await running).status, 200)
})

test('with a heap that is nearly full it refuses calls until there is memory again', async () => {
  let used = 0.5
  const full = new Capacity({
    calls: 10,
    bytes: 10,
    shares: { account: 1, address: 1 },
    heapUsed: () => used,
  })
  full.admit(1)
  used = 0.95
  await new Promise((done) => setTimeout(done, 300))
  assert.throws(() => full.admit(1), Failure)
  used = 0.5
  await new Promise((done) => setTimeout(done, 300))
  full.admit(1)
})
