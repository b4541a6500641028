import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Failure } from '../../src/lib/failure.ts'
import { newCourse } from '../../src/gateway/bill/rows.ts'
import { silentLog } from '../../src/lib/log.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import { openUpstreams } from '../../src/upstream/upstreams.ts'
import type { ChatStream } from '../../src/upstream/work.ts'
import { itemsOf } from './sources.ts'
import {
  chunk,
  LAST_CHUNK,
  response,
  sse,
  SSE_HEAD,
  wireServer,
  type Behave,
} from './wire-server.ts'
import { eventually } from '../support/eventually.ts'

const KEY = 'sk-or-v1-very-secret'
const ours = { id: 'chatcmpl-ours', model: 'lab/model', created: 1 }
const chatRequest = (stream: boolean) => ({
  body: { messages: [{ role: 'user', content: 'hi' }], provider: { only: ['x'] }, top_k: 3 },
  stream,
  ours,
})
const film = { prompt: 'x', extra: {}, idempotencyKey: 'video-1' }
const ANSWER = JSON.stringify({
  id: 'gen-1',
  model: 'up/model',
  provider: 'Acme',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.0001 },
})
const EVENTS = sse(
  '{"id":"gen-1","choices":[{"index":0,"delta":{"content":"y"},"finish_reason":null}]}',
  '{"id":"gen-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}',
  '[DONE]',
)

const closing: (() => Promise<void>)[] = []
after(() => Promise.all(closing.map((close) => close())))

async function app(...behaviours: Behave[]) {
  const servers = await Promise.all(behaviours.map((behave) => wireServer(behave)))
  let now = 1_000_000
  const upstreams = openUpstreams({
    upstreams: readUpstreams(
      {
        upstreams: servers.map(({ url }, index) => ({
          name: `u${index}`,
          type: 'openrouter',
          base_url: url,
          api_key_env: 'KEY',
          priority: index,
          timeouts: { connect_ms: 500, first_byte_ms: 300, idle_ms: 200, total_ms: 2000 },
        })),
      },
      { KEY },
    ),
    log: silentLog,
    nowMs: () => now,
    random: () => 0,
  })
  closing.push(async () => {
    await upstreams.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const targets = servers.map((_, index) => ({ upstream: `u${index}`, model: 'up/model' }))
  return { upstreams, servers, targets, tick: (ms: number) => (now += ms) }
}

const well: Behave = (socket, { body }) => {
  if (!body.includes('"stream":true')) socket.write(response(ANSWER))
  else socket.write(Buffer.concat([Buffer.from(SSE_HEAD), chunk(EVENTS), Buffer.from(LAST_CHUNK)]))
}
const status =
  (code: number, headers = {}, body = '{"error":{"message":"Acme says no","code":1}}'): Behave =>
  (socket) =>
    socket.write(response(body, { status: code, headers }))

async function failing(work: Promise<unknown>): Promise<Failure> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error
  }
  throw new assert.AssertionError({ message: 'it did not fail' })
}

async function drained(stream: ChatStream): Promise<string[]> {
  const all: string[] = []
  for await (const batch of itemsOf(stream)) all.push(...batch)
  return all
}

describe('calling upstreams', () => {
  it('answers in our names, without provider and price', async () => {
    const { upstreams, servers, targets } = await app(well)
    const result = await upstreams.call(targets, 'chat', chatRequest(false))
    assert.deepEqual(JSON.parse(JSON.stringify(result.body)), {
      id: 'chatcmpl-ours',
      object: 'chat.completion',
      created: 1,
      model: 'lab/model',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' },
      ],
    })
    const sent = servers[0]!.requests[0]!
    assert.equal(sent.path, '/api/v1/chat/completions')
    assert.equal(sent.headers.authorization, `Bearer ${KEY}`)
    assert.equal(sent.headers['accept-encoding'], 'identity')
    assert.deepEqual(JSON.parse(sent.body), {
      messages: [{ role: 'user', content: 'hi' }],
      top_k: 3,
      model: 'up/model',
    })
  })

  it('streams ready chunks and remembers usage and finish', async () => {
    const { upstreams, targets } = await app(well)
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true))
    const chunks = await drained(result)
    assert.deepEqual(
      chunks.map((text) => JSON.parse(text)),
      [
        {
          ...ours,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { content: 'y' }, finish_reason: null }],
        },
      ],
    )
    assert.deepEqual(
      result.last.map((text) => JSON.parse(text)),
      [
        {
          ...ours,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        },
      ],
    )
    assert.equal(result.finished, true)
    assert.equal(result.finishReason, 'stop')
    assert.equal(result.outputBytes, 1)
    assert.deepEqual(result.usage, {
      kind: 'reported',
      usage: { promptTokens: 3, completionTokens: 2 },
    })
  })

  it('tries the next upstream for faults that are not the caller’s', async () => {
    for (const bad of [status(500), status(401), status(429), status(404)]) {
      const { upstreams, servers, targets } = await app(bad, well)
      await upstreams.call(targets, 'chat', chatRequest(false))
      assert.deepEqual([servers[0]!.requests.length, servers[1]!.requests.length], [1, 1])
      const stream = await upstreams.call(targets, 'chatStream', chatRequest(true))
      assert.equal(servers[1]!.requests.length, 2)
      stream.cancel()
    }
  })

  it('does not try another for a request that was refused', async () => {
    const { upstreams, servers, targets } = await app(status(400), well)
    const failure = await failing(upstreams.call(targets, 'chat', chatRequest(false)))
    assert.equal(failure.kind, 'upstream_rejected')
    assert.equal(servers[1]!.requests.length, 0)
  })

  it('fails over when the first event of a stream is an error', async () => {
    const { upstreams, servers, targets } = await app((socket) => {
      socket.write(SSE_HEAD)
      socket.write(
        chunk(`: OPENROUTER PROCESSING\n\n${sse('{"error":{"code":502},"choices":[]}')}`),
      )
    }, well)
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true))
    assert.deepEqual([servers[0]!.requests.length, servers[1]!.requests.length], [1, 1])
    result.cancel()
  })

  it('notes whom it asked, how often, and when the first byte came', async () => {
    const { upstreams, targets } = await app(status(500), well)
    const [whole, stream] = [newCourse(), newCourse()]
    await upstreams.call(targets, 'chat', chatRequest(false), { course: whole })
    assert.deepEqual([whole.upstream, whole.attempts, whole.firstByteMs], ['u1', 2, undefined])
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true), {
      course: stream,
    })
    assert.equal(stream.upstream, 'u1')
    assert.ok(stream.firstByteMs! > 0)
    result.cancel()
    const alone = await app(status(500))
    const failed = newCourse()
    const asking = { course: failed }
    await failing(alone.upstreams.call(alone.targets, 'chat', chatRequest(false), asking))
    assert.deepEqual([failed.upstream, failed.attempts], ['u0', 1])
  })

  it('a stream that breaks later throws a failure', async () => {
    const { upstreams, targets } = await app((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(EVENTS.slice(0, EVENTS.indexOf('\n\n') + 2)))
      setTimeout(() => socket.destroy(), 20)
    }, well)
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true))
    const failure = await failing(drained(result))
    assert.equal(failure.kind, 'upstream_failed')
  })

  it('a stream is over with its final event, though the socket stays open', async () => {
    const { upstreams, servers, targets } = await app((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(EVENTS))
    })
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true))
    assert.equal((await drained(result)).length, 1)
    await eventually('the socket is closed', () => servers[0]!.open === 0)
  })

  it('cancel closes the socket, also before the first pull', async () => {
    const { upstreams, servers, targets } = await app((socket) => {
      socket.write(SSE_HEAD)
      socket.write(chunk(EVENTS.slice(0, EVENTS.indexOf('\n\n') + 2)))
    })
    const result = await upstreams.call(targets, 'chatStream', chatRequest(true))
    assert.equal(servers[0]!.open, 1)
    result.cancel()
    await eventually('the socket is closed', () => servers[0]!.open === 0)
  })

  it('the caller’s signal reaches the socket while nothing has come', async () => {
    const { upstreams, servers, targets } = await app(() => {}, well)
    const leaving = new AbortController()
    setTimeout(() => leaving.abort(), 30)
    await failing(upstreams.call(targets, 'chat', chatRequest(false), { signal: leaving.signal }))
    await eventually('the socket is closed', () => servers[0]!.open === 0)
    assert.equal(servers[1]!.requests.length, 0)
    assert.deepEqual(upstreams.problems(), [])
  })

  it('opens the circuit after failures in a row, and closes it by a probe', async () => {
    let broken = true
    const flap: Behave = (socket, request) => (broken ? status(500) : well)(socket, request)
    const { upstreams, servers, targets, tick } = await app(flap)
    for (let i = 0; i < 5; i += 1) {
      const failure = await failing(upstreams.call(targets, 'chat', chatRequest(false)))
      assert.equal(failure.kind, 'upstream_failed')
    }
    const fast = await failing(upstreams.call(targets, 'chat', chatRequest(false)))
    assert.equal(fast.kind, 'unavailable')
    assert.equal(fast.retryAfterS, 5)
    assert.equal(servers[0]!.requests.length, 5)
    assert.deepEqual(upstreams.health(), {
      healthy: false,
      upstreams_total: 1,
      upstreams_healthy: 0,
    })
    tick(5_001)
    broken = false
    await upstreams.call(targets, 'chat', chatRequest(false))
    await upstreams.call(targets, 'chat', chatRequest(false))
    assert.deepEqual(upstreams.problems(), [])
    assert.equal(upstreams.health().healthy, true)
  })

  it('reports a refused key and an empty account to the operator, not to the caller', async () => {
    for (const [code, why] of [
      [401, 'key_refused'],
      [402, 'out_of_money'],
      [403, 'forbidden'],
    ] as const) {
      const { upstreams, targets } = await app(status(code))
      const failure = await failing(upstreams.call(targets, 'chat', chatRequest(false)))
      assert.equal(failure.kind, 'upstream_failed')
      assert.deepEqual(
        upstreams.problems().map((problem) => problem.why),
        [why],
      )
      assert.equal(upstreams.health().upstreams_healthy, 0)
    }
  })

  it('honours Retry-After: no call is made meanwhile', async () => {
    const { upstreams, servers, targets, tick } = await app(status(429, { 'retry-after': '7' }))
    assert.equal(
      (await failing(upstreams.call(targets, 'chat', chatRequest(false)))).retryAfterS,
      7,
    )
    tick(2_000)
    const failure = await failing(upstreams.call(targets, 'chat', chatRequest(false)))
    assert.deepEqual([failure.kind, failure.retryAfterS], ['rate_limited', 5])
    assert.equal(servers[0]!.requests.length, 1)
    tick(5_001)
    await failing(upstreams.call(targets, 'chat', chatRequest(false)))
    assert.equal(servers[0]!.requests.length, 2)
  })

  it('a video start that may have been accepted is not sent to another upstream', async () => {
    const { upstreams, servers, targets } = await app((socket) => socket.destroy(), well)
    await failing(upstreams.call(targets, 'videoStart', film))
    assert.equal(servers[1]!.requests.length, 0)
  })

  it('a video start that was surely not accepted is sent to the next upstream', async () => {
    for (const refusal of [status(500), status(302, { location: 'http://169.254.169.254/' })]) {
      const { upstreams, targets } = await app(refusal, well)
      const job = await upstreams.call(targets, 'videoStart', film)
      assert.equal(job.jobId, 'gen-1')
    }
  })
})
