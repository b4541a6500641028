import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { assertAgreement } from '../support/money/agreement.ts'
import { ANTHROPIC_UPSTREAM, CLAUDE_DOOR } from '../support/models/claude-door.ts'
import { startApp } from '../support/app.ts'
import { watch } from '../support/money/paid.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Messages = Anthropic.MessageParam[]

const question: Messages = [{ role: 'user', content: 'Habari ya asubuhi, Asha!' }]
const town = { type: 'object' as const, properties: { town: { type: 'string' } } }
const tools: Anthropic.Tool[] = [
  { name: 'get_weather', description: 'Weather of a town', input_schema: town },
  { name: 'get_time', description: 'Time in a town', input_schema: town },
]

/** The same clients, by a model behind a chat and by one that speaks their dialect. */
const WAYS = [
  { way: 'converted', model: 'sim/hekima', route: '/chat/completions', upstream: {} },
  { way: 'native', model: CLAUDE_DOOR.id, route: '/messages', upstream: ANTHROPIC_UPSTREAM },
]

for (const { way, model, route, upstream } of WAYS) {
  describe(`Anthropic's SDK, ${way}`, () => {
    let app: App
    let asha: Awaited<ReturnType<App['customer']>>
    let client: Anthropic
    const base = { model, max_tokens: 500 }
    const faulty = (fault: string) => `${model.split('/')[0]}/fault-${fault}`

    before(async () => {
      const timeouts = { first_byte_ms: 2_000, idle_ms: 2_000 }
      app = await startApp({ upstream: { ...upstream, timeouts } })
      asha = await app.customer('500')
      client = new Anthropic({ baseURL: app.url, apiKey: asha.key, maxRetries: 0 })
    })
    after(() => app.close())
    afterEach(() => assertAgreement(app.db))

    const lastSent = () => app.models.log.find({ route }).at(-1)!.body as Record<string, never>

    test('a message, whole', async () => {
      const { data, request_id } = await client.messages
        .create({ ...base, messages: question })
        .withResponse()
      assert.match(data.id, /^msg_/)
      assert.deepEqual([data.type, data.role, data.model], ['message', 'assistant', model])
      assert.deepEqual([data.stop_reason, data.stop_sequence], ['end_turn', null])
      assert.ok(data.content[0]?.type === 'text' && data.content[0].text.includes('Asha'))
      assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0)
      assert.match(request_id!, /^req_/)
    })

    test('a message, streamed: it starts with an estimate and ends with the truth', async () => {
      const whole = await client.messages.create({ ...base, messages: question })
      const stream = client.messages.stream({ ...base, messages: question })
      const types = new Set<string>()
      let estimate = 0
      stream.on('streamEvent', (event) => {
        types.add(event.type)
        if (event.type === 'message_start') estimate = event.message.usage.input_tokens
      })
      const message = await stream.finalMessage()
      assert.deepEqual(message.content, whole.content)
      assert.equal(message.usage.input_tokens, whole.usage.input_tokens)
      assert.equal(message.usage.output_tokens, whole.usage.output_tokens)
      assert.ok(estimate > 0)
      assert.ok(types.has('content_block_delta') && types.has('message_stop'))
    })

    for (const streamed of [false, true]) {
      test(`two tools at once and their results, streamed ${streamed}`, async () => {
        const ask = (messages: Messages) => {
          const params = { ...base, messages, tools }
          return streamed
            ? client.messages.stream(params).finalMessage()
            : client.messages.create(params)
        }
        const first: Messages = [{ role: 'user', content: 'Call get_weather and get_time, Asha.' }]
        const called = await ask(first)
        assert.equal(called.stop_reason, 'tool_use')
        const calls = called.content.filter((block) => block.type === 'tool_use')
        assert.deepEqual(
          calls.map(({ name }) => name),
          ['get_weather', 'get_time'],
        )
        for (const { id, input } of calls) {
          assert.match(id, /^toolu_[0-9A-Za-z]{24}$/)
          assert.equal(typeof input, 'object')
        }
        const results = calls.toReversed().map(({ id, name }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: `result of ${name}`,
        }))
        const answer = await ask([
          ...first,
          { role: 'assistant', content: called.content },
          { role: 'user', content: results },
        ])
        assert.equal(answer.stop_reason, 'end_turn')
        assert.ok(answer.content[0]?.type === 'text')
      })

      test(`thinking before a call comes back as it was, streamed ${streamed}`, async () => {
        const params = { ...base, max_tokens: 4_000, tools, thinking: THINKING }
        const first: Messages = [{ role: 'user', content: 'Call get_weather now.' }]
        const called = streamed
          ? await client.messages.stream({ ...params, messages: first }).finalMessage()
          : await client.messages.create({ ...params, messages: first })
        const [thinking] = called.content
        assert.ok(thinking?.type === 'thinking' && thinking.thinking.includes('get_weather'))
        const use = called.content.find((block) => block.type === 'tool_use')!
        const result = { type: 'tool_result' as const, tool_use_id: use.id, content: '31' }
        await client.messages.create({
          ...params,
          messages: [
            ...first,
            { role: 'assistant', content: called.content },
            { role: 'user', content: [result] },
          ],
        })
        const { messages } = lastSent() as unknown as { messages: { content: unknown }[] }
        // Bound to its exact text: a changed one would be refused.
        if (way === 'native') assert.deepEqual(messages[1]!.content, called.content)
      })
    }

    test('pictures and documents', async () => {
      const image = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG }
      const message = await client.messages.create({
        ...base,
        model: way === 'native' ? model : 'sim/macho',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: image },
              { type: 'text', text: 'What is this?' },
            ],
          },
        ],
      })
      assert.match(JSON.stringify(message.content), /1 image/)
    })

    test('an answer that is cut off says so', async () => {
      const message = await client.messages.create({ ...base, max_tokens: 3, messages: question })
      assert.equal(message.stop_reason, 'max_tokens')
      // The SDK sends so high a limit only with a stream.
      const params = { ...base, max_tokens: 32_000, messages: question }
      const huge = await client.messages.stream(params).finalMessage()
      assert.equal(huge.stop_reason, 'end_turn')
    })

    test('an answer ends at a stop sequence', async () => {
      const params = { ...base, messages: question, stop_sequences: ['ni jibu'] }
      const message = await client.messages.create(params)
      const [text] = message.content
      assert.ok(text?.type === 'text' && text.text.endsWith('Hili '))
      // Behind a chat nobody says which one it was.
      const known = ['stop_sequence', 'ni jibu']
      const told = [message.stop_reason, message.stop_sequence]
      assert.deepEqual(told, way === 'native' ? known : ['end_turn', null])
    })

    test('an answer in the shape of a schema', async () => {
      const schema = {
        type: 'object',
        properties: { town: { type: 'string' } },
        required: ['town'],
        additionalProperties: false,
      }
      const format = { type: 'json_schema' as const, schema }
      const params = { ...base, messages: question, output_config: { format } }
      const [text] = (await client.messages.create(params)).content
      assert.ok(text?.type === 'text')
      assert.deepEqual(Object.keys(JSON.parse(text.text)), ['town'])
    })

    test('the model may be named as clients have it built in; the name is given back', async () => {
      const names = way === 'native' ? ['claude-door-4-5-20250929', 'claude-door-4-5[1m]'] : []
      for (const name of [`${model}[1m]`, ...names]) {
        const message = await client.messages.create({ ...base, model: name, messages: question })
        assert.equal(message.model, name)
      }
    })

    test('tokens are counted for nothing', async () => {
      const { spent, result } = await watch(app, asha.accountId).during(() =>
        client.messages.countTokens({ model, messages: question, tools }),
      )
      assert.ok(result.input_tokens > 10)
      assert.equal(spent, 0)
    })

    test('models are listed as this SDK reads them', async () => {
      const ids: string[] = []
      for await (const one of client.models.list({ limit: 1_000 })) {
        assert.equal(one.type, 'model')
        assert.ok(one.display_name !== '' && !Number.isNaN(Date.parse(one.created_at)))
        assert.ok(one.lifecycle === 'active' && one.max_tokens !== 0)
        ids.push(one.id)
      }
      assert.ok(ids.includes(model))
      const paged: string[] = []
      for await (const one of client.models.list({ limit: 7 })) paged.push(one.id)
      assert.deepEqual(paged, ids)
      assert.equal((await client.models.retrieve(model)).id, model)
    })

    test('a search of the upstream is left out beside tools, refused alone', async () => {
      const search = { type: 'web_search_20250305' as const, name: 'web_search' as const }
      await client.messages.create({ ...base, messages: question, tools: [search, ...tools] })
      assert.equal((lastSent() as unknown as { tools: unknown[] }).tools.length, 2)
      const alone = client.messages.create({ ...base, messages: question, tools: [search] })
      await assert.rejects(alone, BadRequestError)
    })

    test('a retry with the same key gets the same message, and costs nothing', async () => {
      const options = { headers: { 'Idempotency-Key': `once-${way}` } }
      const params = { ...base, messages: question }
      const first = await client.messages.create(params, options)
      const { spent, result } = await watch(app, asha.accountId).during(() =>
        client.messages.create(params, options),
      )
      assert.deepEqual([result, spent], [first, 0])
    })

    test('every class of error', async () => {
      const ask = (more: object = {}, by = client) =>
        by.messages.create({ ...base, messages: question, ...more })
      const stranger = new Anthropic({ baseURL: app.url, apiKey: 'sk-ant-x', maxRetries: 0 })
      await assert.rejects(ask({}, stranger), AuthenticationError)
      await assert.rejects(ask({ model: 'claude-nobody' }), NotFoundError)
      await assert.rejects(ask({ max_tokens: 0 }), BadRequestError)
      const poor = await app.customer('0')
      const broke = new Anthropic({ baseURL: app.url, apiKey: poor.key })
      await assert.rejects(ask({}, broke), isError(402, 'billing_error'))
      const faults: [string, new (...args: never[]) => Error, string][] = [
        ['429-7', RateLimitError, 'rate_limit_error'],
        ['status-529', InternalServerError, 'overloaded_error'],
        ['status-500', InternalServerError, 'api_error'],
        ['context-length', BadRequestError, 'invalid_request_error'],
      ]
      for (const [fault, kind, type] of faults) {
        const { spent } = await watch(app, asha.accountId).during(() =>
          assert.rejects(ask({ model: faulty(fault) }), (error) => {
            assert.ok(error instanceof kind && error instanceof APIError, fault)
            assert.equal(error.type, type)
            const compacts = error.message.includes('prompt is too long')
            assert.equal(compacts, fault === 'context-length')
            assert.doesNotMatch(error.message, /SimProvider|provider\.sim/)
            return true
          }),
        )
        assert.equal(spent, 0)
      }
    })

    test('a stream that breaks ends with an error and is not charged', async () => {
      const params = { ...base, model: faulty('reset'), messages: question }
      const { spent, records } = await watch(app, asha.accountId).during(() =>
        assert.rejects(
          client.messages.stream(params).finalMessage(),
          (error) => error instanceof APIError && error.type === 'api_error',
        ),
      )
      assert.deepEqual([spent, records[0]?.status], [0, 'failed'])
    })

    test('a reader who leaves', async () => {
      const { spent, records } = await watch(app, asha.accountId).during(async () => {
        const params = { ...base, model: faulty('stall'), messages: question }
        const stream = client.messages.stream(params)
        await stream.withResponse()
        stream.abort()
        await assert.rejects(stream.done())
      })
      assert.deepEqual([spent, records[0]?.status], [0, 'cancelled'])
    })
  })
}

const THINKING = { type: 'enabled' as const, budget_tokens: 2_000 }
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function isError(status: number, type: string): (error: unknown) => boolean {
  return (error) => error instanceof APIError && error.status === status && error.type === type
}
