import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { ANTHROPIC_UPSTREAM, CLAUDE_DOOR } from '../../support/models/claude-door.ts'
import { BEFORE_THE_STREAM, BROKEN_STREAMS, FAULTS } from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Customer = Awaited<ReturnType<App['customer']>>
type Headers = Record<string, string>

const hello = (more: object = {}) => ({
  model: 'sim/hekima',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Habari, naitwa Asha.' }],
  ...more,
})

function ask(app: App, body: object, headers: Headers, path = '/v1/messages') {
  return fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

function eventsIn(text: string): Loose[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(/^event: \w+\ndata: (.*)$/.exec(block)![1]!))
}

/** Statuses and types as clients of this dialect know them. */
const OVERLOADED = 529
const TYPES = new Map([
  [400, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [502, 'api_error'],
  [OVERLOADED, 'overloaded_error'],
])

/** A retry cannot help, whatever the status. */
const REFUSED_FIELDS = new Set(['status-400', 'status-404', 'status-413', 'status-422'])

const WAYS = [
  { way: 'converted', model: 'sim/hekima', upstream: {}, refused: 502 },
  { way: 'native', model: CLAUDE_DOOR.id, upstream: ANTHROPIC_UPSTREAM, refused: 400 },
]

for (const { way, model, upstream, refused } of WAYS) {
  describe(`Messages, ${way}`, () => {
    let app: App
    let asha: Customer
    let key: Headers
    const faulty = (fault: string) => `${model.split('/')[0]}/fault-${fault}`

    before(async () => {
      const timeouts = { first_byte_ms: 1_500, idle_ms: 1_500 }
      app = await startApp({ upstream: { ...upstream, timeouts } })
      asha = await app.customer('1000')
      key = { 'x-api-key': asha.key }
    })
    after(() => app.close())
    afterEach(() => assertAgreement(app.db))

    test('headers: both ids of the request, limits, what it cost', async () => {
      const answer = await ask(app, hello({ model }), key, '/v1/messages?beta=true')
      assert.equal(answer.status, 200)
      const { headers } = answer
      assert.match(headers.get('request-id')!, /^req_/)
      assert.equal(headers.get('request-id'), headers.get('x-request-id'))
      assert.ok(Number(headers.get('x-credits-charged')) > 0)
      assert.ok(Number(headers.get('anthropic-ratelimit-requests-limit')) > 0)
      assert.ok(!Number.isNaN(Date.parse(headers.get('anthropic-ratelimit-requests-reset')!)))
      assert.equal(headers.has('x-ratelimit-limit-requests'), false)
    })

    test('a stream: one block at a time, the end only after the charge', async () => {
      const { result, spent } = await watch(app, asha.accountId).during(async () => {
        const answer = await ask(app, hello({ model, stream: true }), key)
        assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
        assert.equal(answer.headers.has('x-credits-charged'), false)
        return eventsIn(await answer.text())
      })
      assert.ok(spent > 0)
      assert.equal(result[0]!.type, 'message_start')
      assert.equal(result[0]!.message.model, model)
      assert.deepEqual(
        result.slice(-2).map(({ type }) => type),
        ['message_delta', 'message_stop'],
      )
      const usage = result.at(-2)!.usage
      for (const name of ['input_tokens', 'output_tokens', 'cache_read_input_tokens']) {
        assert.equal(typeof usage[name], 'number')
      }
    })

    test('a summary in the history goes on as words, and what was before it does not', async () => {
      const block = { type: 'compaction', content: 'Mahindi ya Dodoma', encrypted_content: 'x' }
      const messages = [
        { role: 'user', content: 'Zamani sana' },
        { role: 'assistant', content: [block, { type: 'text', text: 'Ndiyo.' }] },
        { role: 'user', content: 'Na bei?' },
      ]
      const beta = { 'anthropic-beta': 'compact-2026-09-04' }
      const answer = await ask(app, hello({ model, messages }), { ...key, ...beta })
      assert.equal(answer.status, 200)
      const sent = app.models.log.entries.at(-1)!
      const said = JSON.stringify(sent.body)
      assert.match(said, /in summary:\\n\\nMahindi ya Dodoma/)
      assert.doesNotMatch(said, /Zamani|compaction|encrypted_content/)
      assert.equal(sent.headers['anthropic-beta'], undefined)
      const { stop_details, container, diagnostics, content } = (await answer.json()) as Loose
      assert.deepEqual([stop_details, container, diagnostics], [null, null, null])
      assert.equal(content[0].citations, null)
    })

    const statusOf = (fault: string, told: number) => {
      if (fault === 'status-400') return refused
      return told === 503 ? OVERLOADED : told
    }
    for (const stream of [false, true]) {
      for (const [fault, told] of stream ? BEFORE_THE_STREAM : FAULTS) {
        const status = statusOf(fault, told)
        test(`fault ${fault}, stream ${stream}: ${status}, nothing charged`, async () => {
          const { result, spent, records } = await watch(app, asha.accountId).during(() =>
            ask(app, hello({ model: faulty(fault), stream }), key),
          )
          const text = await result.text()
          assert.equal(result.status, status, text)
          const { type: kind, error } = JSON.parse(text)
          const refusedFields = REFUSED_FIELDS.has(fault)
          const type = refusedFields ? 'invalid_request_error' : TYPES.get(status)
          assert.deepEqual([kind, error.type], ['error', type])
          if (refusedFields) assert.equal(result.headers.get('x-should-retry'), 'false')
          assert.doesNotMatch(text, /simulator|127\.0\.0\.1|sim-key|provider\.sim/i)
          assert.deepEqual([spent, records[0]!.status], [0, 'failed'])
          const wait = result.headers.get('retry-after')
          if (status === 429) assert.ok(Number(wait) >= 1 && Number(wait) <= 60)
          if (fault === 'context-length') assert.match(error.message, /^prompt is too long/)
        })
      }
    }

    for (const fault of BROKEN_STREAMS) {
      test(`a stream that breaks (${fault}) ends with an error event, and is not charged`, async () => {
        const { result, spent, records } = await watch(app, asha.accountId).during(async () => {
          const answer = await ask(app, hello({ model: faulty(fault), stream: true }), key)
          if (answer.status === 200) return eventsIn(await answer.text())
          assert.equal(answer.status, 502)
          return [await answer.json()] as Loose[]
        })
        assert.equal(result.at(-1)!.type, 'error')
        assert.match(result.at(-1)!.request_id, /^req_/)
        assert.equal(
          result.some(({ type }) => type === 'message_stop' || type === 'message_delta'),
          false,
        )
        assert.deepEqual([spent, records[0]!.status], [0, 'failed'])
      })
    }

    for (const fault of ['usage-missing', 'usage-with-choices', 'usage-negative']) {
      test(`${fault}: the totals are those that are charged for`, async () => {
        const { result, spent, records } = await watch(app, asha.accountId).during(async () => {
          const answer = await ask(app, hello({ model: faulty(fault), stream: true }), key)
          return eventsIn(await answer.text())
        })
        assert.ok(spent > 0)
        assert.equal(records[0]!.estimated, fault !== 'usage-with-choices')
        const { usage } = result.at(-2)
        assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0)
        assert.ok(result[0]!.message.usage.input_tokens > 0)
      })
    }

    test('402 stops clients from trying again', async () => {
      const poor = await app.customer('0')
      const answer = await ask(app, hello({ model }), { 'x-api-key': poor.key })
      assert.equal(answer.status, 402)
      assert.equal(answer.headers.get('x-should-retry'), 'false')
      assert.equal(((await answer.json()) as Loose).error.type, 'billing_error')
    })

    test('of two keys the one that is ours counts', async () => {
      const { key: other } = await app.customer('0')
      const statuses = async (headers: Headers) =>
        (await ask(app, hello({ model }), headers)).status
      const ours = `Bearer ${asha.key}`
      assert.equal(await statuses({ 'x-api-key': 'sk-ant-x', authorization: ours }), 200)
      assert.equal(await statuses({ ...key, authorization: 'Bearer sk-ant-oat' }), 200)
      assert.equal(await statuses({ ...key, authorization: ours }), 200)
      assert.equal(await statuses({ 'x-api-key': other, authorization: ours }), 401)
      assert.equal(await statuses({ 'x-api-key': 'sk-ant-x' }), 401)
    })

    test('bad requests name the field, and cost nothing', async () => {
      const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
      const link = { type: 'image', source: { type: 'url', url: 'http://127.0.0.1/a.png' } }
      const cases: [object, RegExp][] = [
        [{ max_tokens: undefined }, /^max_tokens /],
        [{ messages: [] }, /^messages /],
        [{ messages: [{ role: 'robot', content: 'x' }] }, /^messages\[0\]\.role /],
        [user([{ type: 'image', source: { type: 'file', file_id: 'f' } }]), /^messages\[0\]\.con/],
        [{ system: 'x', ...user([link]) }, /^messages\[0\] |^model: /],
        [{ temperature: 'hot' }, /^temperature /],
      ]
      for (const [more, words] of cases) {
        const { result, records } = await watch(app, asha.accountId).during(() =>
          ask(app, hello({ model, ...more }), key),
        )
        const { error } = (await result.json()) as Loose
        assert.equal(result.status, 400, JSON.stringify(more))
        assert.match(error.message, words)
        assert.equal(records.length, 0)
      }
    })

    test('unknown fields and betas never fail a request', async () => {
      const body = hello({ model, brand_new: { a: [1] }, service_tier: 'auto', mcp_servers: [] })
      const headers = {
        ...key,
        'anthropic-beta': 'x-2027,fast-mode-2026',
        'anthropic-version': '1',
      }
      assert.equal((await ask(app, body, headers)).status, 200)
    })

    test('tokens are counted without max_tokens', async () => {
      const { max_tokens: _most, ...body } = hello({ model })
      const answer = await ask(app, body, key, '/v1/messages/count_tokens')
      assert.equal(answer.status, 200)
      const { input_tokens: tokens } = (await answer.json()) as Loose
      assert.ok(Number.isInteger(tokens) && tokens > 5)
    })
  })
}

describe('Messages to a model behind a chat', () => {
  let app: App
  let asha: Customer
  before(async () => {
    app = await startApp()
    asha = await app.customer('1000')
  })
  after(() => app.close())
  afterEach(() => assertAgreement(app.db))

  const tools = [{ name: 'f', input_schema: { type: 'object', properties: { a: {} } } }]

  test('a call with broken arguments is a failure of the upstream, and is not charged', async () => {
    const body = hello({ model: 'sim/fault-bad-arguments', tools })
    const { result, spent, records } = await watch(app, asha.accountId).during(() =>
      ask(app, body, { 'x-api-key': asha.key }),
    )
    assert.equal(result.status, 502)
    assert.equal(((await result.json()) as Loose).error.type, 'api_error')
    assert.deepEqual([spent, records[0]!.status], [0, 'failed'])
  })

  test('what the model wants to see of its reasoning again travels with the client', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    const body = hello({ model: 'sim/hekima', tools, thinking, max_tokens: 3_000 })
    const first = await ask(app, body, { 'x-api-key': asha.key })
    const { content } = (await first.json()) as Loose
    assert.match(content[0].signature, /^mlg1\./)
    const use = content.find((block: Loose) => block.type === 'tool_use')
    const results = [{ type: 'tool_result', tool_use_id: use.id, content: 'ok' }]
    const messages = [
      ...body.messages,
      { role: 'assistant', content },
      { role: 'user', content: results },
    ]
    for (const [model, details] of [
      ['sim/hekima', SIGNED],
      ['sim/hekima-mini', undefined],
    ] as const) {
      await ask(app, { ...body, model, messages }, { 'x-api-key': asha.key })
      const sent = app.models.log.find({ route: '/chat/completions' }).at(-1)!.body as Loose
      const said = sent.messages.find((one: Loose) => one.role === 'assistant')
      assert.deepEqual(said.reasoning_details?.[0].signature, details)
    }
  })
})

const SIGNED = 'signed by the simulator'

describe('Messages to a model of Anthropic’s', () => {
  let app: App
  let asha: Customer
  before(async () => {
    app = await startApp({ upstream: ANTHROPIC_UPSTREAM })
    asha = await app.customer('1000')
  })
  after(() => app.close())
  afterEach(() => assertAgreement(app.db))

  const charged = async (body: object) => {
    const { result, spent } = await watch(app, asha.accountId).during(() =>
      ask(app, body, { 'x-api-key': asha.key }),
    )
    return { message: (await result.json()) as Loose, spent }
  }

  for (const ttl of ['5m', '1h']) {
    test(`what is cached for ${ttl} is charged at its price, written and read`, async () => {
      const mark = { type: 'ephemeral', ttl }
      const system = [{ type: 'text', text: `${ttl} `.repeat(900), cache_control: mark }]
      const body = hello({ model: CLAUDE_DOOR.id, system })
      const written = await charged(body)
      const { usage } = written.message
      assert.ok(usage.cache_creation_input_tokens > 100)
      const write = ttl === '1h' ? 0.000006 : 0.00000375
      close(written.spent, usage, write)
      const read = await charged(body)
      assert.ok(read.message.usage.cache_read_input_tokens > 100)
      close(read.spent, read.message.usage, write)
    })
  }

  function close(credits: number, usage: Loose, write: number): void {
    const usd =
      usage.input_tokens * 0.000003 +
      usage.cache_creation_input_tokens * write +
      usage.cache_read_input_tokens * 0.0000003 +
      usage.output_tokens * 0.000015
    assert.ok(Math.abs(credits - usd * CREDITS_PER_USD) < 0.000_01, `${credits} for ${usd} USD`)
  }

  test('a refusal keeps the words that clients act on', async () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'forged' }
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [thinking, { type: 'text', text: 'b' }] },
      { role: 'user', content: 'c' },
    ]
    const body = hello({ model: CLAUDE_DOOR.id, messages })
    const answer = await ask(app, body, { 'x-api-key': asha.key })
    assert.equal(answer.status, 400)
    const { error } = (await answer.json()) as Loose
    assert.match(error.message, /Invalid `signature` in `thinking` block/)
  })

  test('the upstream sees the model’s own name, our hash for the user, and no steering', async () => {
    const body = hello({ model: 'claude-door-4-5', metadata: { user_id: 'me' }, speed: 'fast' })
    const answer = await ask(app, body, {
      'x-api-key': asha.key,
      'anthropic-beta': 'fast-mode-2026-02-01,interleaved-thinking-2025-05-14',
    })
    const ignored = answer.headers.get('x-ignored-parameters')
    assert.equal(ignored, 'anthropic-beta=fast-mode-2026-02-01, speed')
    const sent = app.models.log.find({ route: '/messages' }).at(-1)!
    const { model, metadata, speed } = sent.body as Loose
    assert.deepEqual([model, speed], ['sim/hekima', undefined])
    assert.match(metadata.user_id, /^[0-9a-f]{32}$/)
    assert.equal(sent.headers['anthropic-beta'], 'interleaved-thinking-2025-05-14')
  })

  test('a tool that only this provider knows reaches it, and no other model', async () => {
    const bash = { type: 'bash_20250124', name: 'bash' }
    const answer = await ask(app, hello({ model: CLAUDE_DOOR.id, tools: [bash] }), {
      'x-api-key': asha.key,
    })
    const { content } = (await answer.json()) as Loose
    assert.equal(content[0].name, 'bash')
  })
})

/** 2,800 credits for a dollar and a margin, as the other tests of prices have them. */
const CREDITS_PER_USD = 3_000
