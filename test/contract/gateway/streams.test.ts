import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { BEFORE_THE_STREAM, BROKEN_STREAMS, TYPES } from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* Streams of chats and of Responses: the same situations, told in each dialect's own words. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('200')
})
after(() => app.close())
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

function send(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${app.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/hekima', stream: true, ...body }),
    ...(signal === undefined ? {} : { signal }),
  })
}

const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const lastRecord = async () =>
  (await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data[0]
const keptResponse = (id: string) => app.call(`GET /v1/responses/${id}`, { token: asha.key })

async function paidCalls(): Promise<number> {
  const [row] = await app.db.query(
    `select count(*)::int as paid from activity_records where status = 'completed'`,
  )
  return row!.paid as number
}

async function assertNothingPaid(start: Loose, status: 'failed' | 'cancelled'): Promise<void> {
  await noHolds(app)
  assert.deepEqual(await balance(), start)
  const record = await lastRecord()
  assert.deepEqual([record.status, record.cost_credits], [status, 0])
}

type Dialect = {
  open(more?: object, signal?: AbortSignal): Promise<Response>
  /** Of a stream that was read to its end. */
  whole(answer: Response): Promise<{ record: Loose }>
  /** Of a stream that broke, and said so. */
  broken(answer: Response): Promise<void>
  /** What is told before a stream begins. */
  before: typeof BEFORE_THE_STREAM
  /** After readers who left at any moment; so many calls were paid for before this dialect's. */
  afterLeaving(paidBefore: number): Promise<void>
}

const openChat: Dialect['open'] = (more, signal) => {
  const messages = [{ role: 'user', content: 'Habari, nieleze kuhusu Kilimanjaro.' }]
  return send('chat/completions', { messages, ...more }, signal)
}

async function chunksOf(answer: Response): Promise<{ data: Loose[]; done: boolean }> {
  const text = await answer.text()
  const lines = text.split('\n\n').filter((line) => line.startsWith('data: '))
  const done = lines.at(-1) === 'data: [DONE]'
  const data = lines.filter((line) => line !== 'data: [DONE]').map((l) => JSON.parse(l.slice(6)))
  return { data, done }
}

const openResponse: Dialect['open'] = (more, signal) =>
  send('responses', { input: 'Habari?', ...more }, signal)

/** Each event under its own name, numbered from 0; then the end. */
async function eventsOf(answer: Response): Promise<Loose[]> {
  assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
  const [events, rest] = (await answer.text()).split('data: [DONE]\n\n')
  assert.equal(rest, '')
  const frames = events!.split('\n\n').slice(0, -1)
  return frames.map((frame, i) => {
    const [name, data] = frame.split('\n')
    const event: Loose = JSON.parse(data!.slice('data: '.length))
    assert.equal(name, `event: ${event.type}`)
    assert.equal(event.sequence_number, i)
    return event
  })
}

/** Codex would try again, or not shorten the conversation. */
const ENDS_A_TURN = new Map([
  ['context-length', 'context_length_exceeded'],
  ['status-400', 'invalid_prompt'],
  ['status-422', 'invalid_prompt'],
])

const DIALECTS: Record<string, Dialect> = {
  chat: {
    open: openChat,
    async whole(answer) {
      const { data, done } = await chunksOf(answer)
      assert.ok(done)
      assert.ok(data.length > 3)
      assert.equal(new Set(data.map((one) => one.id)).size, 1)
      for (const chunk of data) {
        assert.equal(chunk.object, 'chat.completion.chunk')
        assert.equal(chunk.model, 'sim/hekima')
        assert.equal(chunk.usage ?? null, null)
        assert.equal(chunk.provider, undefined)
      }
      return { record: await lastRecord() }
    },
    async broken(answer) {
      const { data, done } = await chunksOf(answer)
      assert.equal(done, false, 'no [DONE]')
      assert.equal(data.at(-1)!.error.type, 'server_error')
      assert.ok(data.at(-1)!.error.code)
    },
    before: BEFORE_THE_STREAM,
    async afterLeaving() {},
  },
  responses: {
    open: openResponse,
    async whole(answer) {
      const all = await eventsOf(answer)
      const begin = all.slice(0, 2).map(({ type }) => type)
      assert.deepEqual(begin, ['response.created', 'response.in_progress'])
      const { type, response } = all.at(-1)!
      assert.equal(type, 'response.completed')
      assert.equal(all.filter((one) => one.response?.id === response.id).length, 3)
      const record = await lastRecord()
      assert.equal(response.usage.total_tokens, record.total_tokens)
      assert.deepEqual((await keptResponse(response.id)).body, response)
      const text = all.filter((one) => one.type === 'response.output_text.delta')
      assert.equal(text.map(({ delta }) => delta).join(''), response.output.at(-1).content[0].text)
      return { record }
    },
    async broken(answer) {
      const { type, response } = (await eventsOf(answer)).at(-1)!
      assert.deepEqual([type, response.status], ['response.failed', 'failed'])
      assert.equal(response.error.code, 'server_error')
      assert.equal((await keptResponse(response.id)).status, 404, 'nothing is kept')
    },
    before: BEFORE_THE_STREAM.filter(([fault]) => !ENDS_A_TURN.has(fault)),
    /** What is kept was paid for, and the reverse. */
    async afterLeaving(paidBefore) {
      const [row] = await app.db.query('select count(*)::int as kept from stored_responses')
      assert.equal(row!.kept, (await paidCalls()) - paidBefore)
    },
  },
}

for (const [name, { open, ...told }] of Object.entries(DIALECTS)) {
  describe(name, () => {
    let paidBefore = 0
    before(async () => {
      paidBefore = await paidCalls()
    })

    test('a stream: our names, one end, settled and kept before it is sent', async () => {
      const start = await balance()
      const answer = await open()
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
      assert.match(answer.headers.get('x-request-id')!, /^req_/)
      const { record } = await told.whole(answer)
      assert.equal(record.status, 'completed')
      const now = await balance()
      assert.equal(now.reserved_credits, 0)
      const spent = Math.round((start.balance_credits - now.balance_credits) * 1e6)
      assert.equal(spent, Math.round(record.cost_credits * 1e6))
      assert.ok(spent > 0)
    })

    for (const fault of BROKEN_STREAMS) {
      test(`${fault} after the first byte: told in the stream, nothing charged`, async () => {
        const start = await balance()
        const answer = await open({ model: `sim/fault-${fault}` })
        if (answer.status === 200) await told.broken(answer)
        else assert.equal(answer.status, 502)
        await assertNothingPaid(start, 'failed')
      })
    }

    for (const [fault, status] of told.before) {
      test(`${fault} before the first byte: an ordinary ${status}, nothing charged`, async () => {
        const start = await balance()
        const answer = await open({ model: `sim/fault-${fault}` })
        assert.equal(answer.status, status)
        assert.match(answer.headers.get('content-type')!, /^application\/json/)
        const { error } = (await answer.json()) as Loose
        assert.ok(error.message)
        assert.equal(error.type, TYPES.get(status))
        await assertNothingPaid(start, 'failed')
      })
    }

    test('a reader who leaves: upstream aborted, hold released, record cancelled, no charge', async () => {
      const start = await balance()
      const leave = new AbortController()
      app.models.log.clear()
      const answer = await open({ model: 'sim/fault-endless' }, leave.signal)
      await answer.body!.getReader().read()
      leave.abort()
      await app.models.log.until({ route: '/chat/completions', outcome: 'left' })
      await assertNothingPaid(start, 'cancelled')
    })

    test('a reader who leaves at any moment pays for all or for nothing', async () => {
      for (let i = 0; i < 20; i++) {
        const leave = new AbortController()
        const opened = open({}, leave.signal).then((answer) => answer.text())
        setTimeout(() => leave.abort(), Math.random() * 60)
        await opened.catch(() => {})
      }
      // One more, to its end: by then all that were left have been read.
      await (await open()).text()
      await noHolds(app)
      await told.afterLeaving(paidBefore)
    })
  })
}

describe('chat alone', () => {
  test('the usage chunk comes last, and only when it is requested', async () => {
    const asked = { stream_options: { include_usage: true } }
    const { data, done } = await chunksOf(await openChat(asked))
    assert.ok(done)
    const last = data.at(-1)!
    assert.deepEqual(last.choices, [])
    assert.equal(last.usage.total_tokens, last.usage.prompt_tokens + last.usage.completion_tokens)
    const record = await lastRecord()
    assert.equal(record.total_tokens, last.usage.total_tokens)
  })

  for (const [code, type] of [
    [429, 'rate_limit_exceeded'],
    [502, 'server_error'],
  ] as const) {
    test(`an error ${code} inside a stream has the type it would have outside`, async () => {
      app.models.fail({ fault: `stream-error-${code}`, times: 1, model: 'sim/hekima' })
      const { data, done } = await chunksOf(await openChat())
      const { error } = data.at(-1)!
      assert.equal(done, false)
      assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
      assert.equal(error.type, type)
      await noHolds(app)
      assert.equal((await lastRecord()).status, 'failed')
    })
  }
})

describe('responses alone', () => {
  for (const [fault, estimated] of [
    ['usage-missing', true],
    ['usage-with-choices', false],
  ] as const) {
    test(`${fault}: what is told is what was charged for`, async () => {
      const all = await eventsOf(await openResponse({ model: `sim/fault-${fault}` }))
      const [row] = await app.db.query(
        `select estimated, prompt_tokens, completion_tokens from activity_records
         order by created_at desc, id desc limit 1`,
      )
      assert.equal(row!.estimated, estimated)
      const { input_tokens: p, output_tokens: c } = all.at(-1)!.response.usage
      assert.deepEqual([Number(row!.prompt_tokens), Number(row!.completion_tokens)], [p, c])
    })
  }

  test('a limit inside a stream tells how long to wait', async () => {
    app.models.fail({ fault: 'stream-error-429', times: 1, model: 'sim/hekima' })
    const { response } = (await eventsOf(await openResponse())).at(-1)!
    assert.equal(response.error.code, 'rate_limit_exceeded')
    assert.match(response.error.message, /try again in \d+s/)
  })

  for (const [fault, code] of ENDS_A_TURN) {
    test(`${fault} is told inside the stream, as ${code}: clients act by it there`, async () => {
      const start = await balance()
      const answer = await openResponse({ model: `sim/fault-${fault}` })
      assert.equal(answer.status, 200)
      const all = await eventsOf(answer)
      assert.deepEqual(
        all.map(({ type }) => type),
        ['response.created', 'response.in_progress', 'response.failed'],
      )
      assert.equal(all.at(-1)!.response.error.code, code)
      assert.deepEqual(await balance(), start)
      assert.equal((await lastRecord()).status, 'failed')
    })
  }
})
