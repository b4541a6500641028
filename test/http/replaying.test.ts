import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { drain } from '../../src/http/drain.ts'
import { route } from '../../src/http/route.ts'
import { Failure } from '../../src/lib/failure.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStoredAnswers } from '../../src/idempotency/replay-store.ts'
import { freshDb, freshDatabase } from '../support/databases.ts'
import { jwtHeaders, keyHeaders, startServer } from '../support/server.ts'
import { eventually } from '../support/eventually.ts'

type Wish = { fail?: boolean; waitMs?: number; stream?: boolean; bad?: boolean }

describe('one process', () => {
  let service: Awaited<ReturnType<typeof startServer>>
  let close: () => Promise<void>
  let runs = 0
  let gate: Promise<void> | undefined

  const thing = (path: string) =>
    route<Wish>({
      method: 'POST',
      path,
      summary: 'A test',
      tag: 'Test',
      credential: 'either',
      dialect: path === '/v1/things' ? 'envelope' : 'compatible',
      limit: 'none',
      replay: (body) => body.stream !== true,
      successStatus: 201,
      body: z.object({
        fail: z.boolean().optional(),
        waitMs: z.number().optional(),
        stream: z.boolean().optional(),
      }) as z.ZodType<Wish>,
      handle: async (call) => {
        runs++
        await gate
        const { signal } = call
        await pause(call.body.waitMs ?? 0, undefined, { signal })
        if (call.body.fail) throw new Failure('insufficient', 'No credits.')
        if (call.body.stream) {
          return { status: 200, headers: {}, body: Readable.from(['data: 1\n\n']) }
        }
        return { data: { run: runs }, headers: { 'x-credits-charged': '1.5' } }
      },
    })

  before(async () => {
    const db = await freshDb()
    service = await startServer({
      routes: [thing('/v1/things'), thing('/v1/others')],
      storedAnswers: openStoredAnswers({ db, processId: randomUUID() }),
    })
    close = async () => {
      await service.close()
      await db.close()
    }
  })
  after(() => close())

  async function post(key: string | undefined, wish: Wish = {}, path = '/v1/things', more = {}) {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        ...keyHeaders,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...more,
      },
      body: JSON.stringify(wish),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  test('a retry gets the same status, headers and bytes, and a mark', async () => {
    const key = randomUUID()
    const first = await post(key)
    const again = await post(key, { waitMs: 1 })
    assert.equal(first.status, 201)
    assert.equal(first.headers.get('idempotency-replayed'), null)
    assert.equal(again.status, 201)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    for (const name of ['content-type', 'x-credits-charged', 'x-request-id']) {
      assert.equal(again.headers.get(name), first.headers.get(name), name)
    }
    const reply = JSON.parse(again.text) as { request_id: string }
    assert.equal(reply.request_id, again.headers.get('x-request-id'))
    assert.notEqual((await post(undefined)).text, first.text)
  })

  test('accounts do not share keys; on another route the key is refused', async () => {
    const key = randomUUID()
    const first = await post(key)
    const other = await post(key, {}, '/v1/things', { authorization: 'Bearer key-2' })
    assert.notEqual(other.text, first.text)
    const same = await post(key, {}, '/v1/things', jwtHeaders)
    assert.equal(same.text, first.text, 'the account counts, not the credential')
    const elsewhere = await post(key, {}, '/v1/others')
    assert.equal(elsewhere.status, 409)
    assert.match(elsewhere.text, /"idempotency_conflict"/)
    assert.equal(elsewhere.headers.get('x-should-retry'), 'false')
  })

  test('while the first runs the second is refused at once', async () => {
    const key = randomUUID()
    const answered = Promise.withResolvers<void>()
    gate = answered.promise
    const before = runs
    const first = post(key)
    await eventually('the first runs', () => runs > before)
    const second = await post(key)
    answered.resolve()
    gate = undefined
    assert.equal(second.status, 409)
    assert.match(second.text, /"error_code":"idempotency_conflict"/)
    assert.equal(second.headers.get('retry-after'), '2')
    assert.equal((await first).status, 201)
    assert.equal((await post(key)).headers.get('idempotency-replayed'), 'true')
  })

  test('only good answers are kept; a refusal frees the key', async () => {
    const key = randomUUID()
    assert.equal((await post(key, { fail: true })).status, 402)
    assert.equal((await post(key, { bad: true, waitMs: 'x' as never })).status, 400)
    const nobody = await post(key, {}, '/v1/things', { authorization: 'Bearer x' })
    assert.equal(nobody.status, 401)
    assert.equal((await post(key)).status, 201)
  })

  test('a finished key is replayed whatever the body is now; on another route it is refused', async () => {
    const key = randomUUID()
    const first = await post(key)
    const before = runs
    const json = { ...keyHeaders, 'content-type': 'application/json', 'idempotency-key': key }
    const raw = async (path: string, body: string | Buffer, more = {}) => {
      const headers = { ...json, ...more }
      const response = await fetch(service.url + path, { method: 'POST', headers, body })
      return { response, text: await response.text() }
    }
    for (const [body, headers] of [
      ['{"waitMs":"x"}', {}],
      ['{nonsense', {}],
      ['', {}],
      ['[]', {}],
      ['{"stream":false,"fail":5}', {}],
      ['x', { 'content-type': 'text/plain' }],
      ['x', { 'content-encoding': 'gzip' }],
      [Buffer.alloc(6_000_000, 32), {}],
    ] as const) {
      const { response, text } = await raw('/v1/things', body, headers)
      assert.equal(response.status, 201, text)
      assert.equal(text, first.text)
      assert.equal(response.headers.get('idempotency-replayed'), 'true')
      assert.equal((await raw('/v1/others', body, headers)).response.status, 409)
    }
    const streamed = await raw('/v1/things', '{"stream":true,"fail":5}')
    assert.equal(streamed.response.status, 400, 'a stream ignores the key')
    for (const more of [{ authorization: 'Bearer x' }, { authorization: 'Bearer key-2' }]) {
      const { response } = await raw('/v1/things', '{nonsense', more)
      assert.ok([400, 401].includes(response.status), 'nobody else finds it')
    }
    assert.equal(runs, before)
  })

  test('a key that is new or at work: a body that is refused is told so', async () => {
    const key = randomUUID()
    const wrong = { waitMs: 'x' as never }
    assert.equal((await post(key, wrong)).status, 400)
    const answered = Promise.withResolvers<void>()
    gate = answered.promise
    const before = runs
    const first = post(key)
    await eventually('the first runs', () => runs > before)
    assert.equal((await post(key, wrong)).status, 400)
    answered.resolve()
    gate = undefined
    assert.equal((await first).status, 201)
    assert.equal((await post(key, wrong)).text, (await first).text)
  })

  test('a stream is never kept', async () => {
    const key = randomUUID()
    await post(key, { stream: true })
    const again = await post(key, { stream: true })
    assert.equal(again.headers.get('idempotency-replayed'), null)
  })

  test('a caller with a key who leaves finds the answer on return; without one the call ends', async () => {
    const key = randomUUID()
    const before = runs
    for (const headers of [{ 'idempotency-key': key }, {}]) {
      const leaving = new AbortController()
      const asking = fetch(`${service.url}/v1/things`, {
        method: 'POST',
        headers: { ...keyHeaders, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ waitMs: 300 }),
        signal: leaving.signal,
      })
      const already = runs
      await eventually('the call runs', () => runs > already)
      leaving.abort()
      await asking.catch(() => {})
    }
    await eventually('both have ended', () => service.server.context.running.count === 0)
    assert.equal(runs, before + 2)
    const again = await post(key)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(runs, before + 2)
    assert.equal(service.server.context.running.count, 0)
  })

  test('a drain waits for a call whose caller has left', async () => {
    const db = await freshDb()
    let done = false
    const leaving = new AbortController()
    const draining = await startServer({
      storedAnswers: openStoredAnswers({ db, processId: randomUUID() }),
      routes: [
        route({
          method: 'POST',
          path: '/v1/x',
          summary: 'A test',
          tag: 'Test',
          credential: 'either',
          dialect: 'envelope',
          limit: 'none',
          replay: true,
          handle: async () => {
            leaving.abort()
            await pause(400)
            done = true
            return { data: {} }
          },
        }),
      ],
    })
    const headers = { ...keyHeaders, 'idempotency-key': 'k' }
    await fetch(`${draining.url}/v1/x`, { method: 'POST', headers, signal: leaving.signal }).catch(
      () => {},
    )
    await drain(draining.server)
    assert.equal(done, true)
    await db.close()
  })
})

describe('two processes on one server', () => {
  const linesPath = join(mkdtempSync(join(tmpdir(), 'replay-')), 'lines')
  const children: ChildProcess[] = []
  let databaseUrl: string
  let ports: number[]

  before(async () => {
    writeFileSync(linesPath, '')
    databaseUrl = await freshDatabase()
    ports = await Promise.all([start(), start()])
  })
  after(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  async function start(): Promise<number> {
    const script = new URL('./children/server-process.ts', import.meta.url).pathname
    const child = fork(script, [databaseUrl, linesPath])
    children.push(child)
    const [port] = (await once(child, 'message')) as [number]
    return port
  }

  async function post(port: number, key: string, waitMs: number) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/things`, {
      method: 'POST',
      headers: { ...keyHeaders, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ waitMs }),
    })
    const text = await response.text()
    return { status: response.status, text, replayed: response.headers.get('idempotency-replayed') }
  }

  const runsOf = (key: string) =>
    readFileSync(linesPath, 'utf8')
      .split('\n')
      .filter((line) => line === key).length

  test('fifty parallel requests with one key run the handler once', async () => {
    for (let round = 0; round < 3; round++) {
      const key = `fifty-${round}`
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => post(ports[i % 2]!, key, 700)),
      )
      assert.equal(runsOf(key), 1)
      const good = answers.filter((answer) => answer.status === 200)
      assert.equal(good.filter((answer) => answer.replayed === null).length, 1)
      assert.equal(answers.filter((answer) => answer.status === 409).length, 50 - good.length)
      const later = await Promise.all(ports.map((port) => post(port, key, 0)))
      for (const answer of later) {
        assert.equal(answer.text, good[0]!.text)
        assert.equal(answer.replayed, 'true')
      }
      assert.equal(runsOf(key), 1)
    }
  })

  test('a killed process frees its key once its heartbeat is old', async () => {
    const first = post(ports[0]!, 'killed', 60_000).catch(() => 'cut')
    await eventually('it runs', () => runsOf('killed') > 0)
    children[0]!.kill('SIGKILL')
    assert.equal(await first, 'cut')
    assert.equal((await post(ports[1]!, 'killed', 0)).status, 409)
    const db = openDatabase({ url: databaseUrl, poolSize: 2, log: silentLog })
    await db.query(`update processes set beat_at = now() - interval '21 seconds'
      where id = (select process_id from idempotency_keys where key = 'killed')`)
    await db.close()
    assert.equal((await post(ports[1]!, 'killed', 0)).status, 200)
    assert.equal(runsOf('killed'), 2)
  })
})
