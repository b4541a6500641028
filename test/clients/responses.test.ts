import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import OpenAI, { APIError, BadRequestError, NotFoundError, RateLimitError } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses'
import { z } from 'zod'
import { assertAgreement } from '../support/money/agreement.ts'
import { startApp } from '../support/app.ts'
import { DETAILS, toolModel } from '../support/models/tool-model.ts'

/* OpenAI's own client speaks Responses to the service; after each test the books are audited. */

let app: Awaited<ReturnType<typeof startApp>>
let client: OpenAI
const model = 'sim/hekima'
const input = 'Habari ya asubuhi, Asha!'

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 2_000 } } })
  client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: (await app.customer('500')).key })
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

test('a text, whole and streamed', async () => {
  const whole = await client.responses.create({ model, input })
  assert.match(whole.output_text, /\w/)
  assert.ok(whole.usage!.total_tokens > 0)
  const stream = client.responses.stream({ model, input })
  let text = ''
  stream.on('response.output_text.delta', ({ delta }) => void (text += delta))
  const final = await stream.finalResponse()
  assert.equal(final.output_text, text)
  assert.equal(final.output_text, whole.output_text)
  assert.equal(final.status, 'completed')
})

test('thoughts', async () => {
  const reasoning = { effort: 'high' as const, summary: 'auto' as const }
  const final = await client.responses.stream({ model, input, reasoning }).finalResponse()
  const [thought, message] = final.output
  assert.ok(thought?.type === 'reasoning' && /\w/.test(thought.summary[0]!.text))
  assert.equal(message?.type, 'message')
  assert.ok(final.usage!.output_tokens_details.reasoning_tokens > 0)
})

test('a picture', async () => {
  const picture = `data:image/png;base64,${Buffer.alloc(64).toString('base64')}`
  const content = [
    { type: 'input_text' as const, text: 'What is it?' },
    { type: 'input_image' as const, image_url: picture, detail: 'auto' as const },
  ]
  const seen = await client.responses.create({
    model: 'sim/macho',
    input: [{ role: 'user', content }],
  })
  assert.equal(seen.status, 'completed')
})

test('an answer in the shape of a schema', async () => {
  const Shape = z.object({ name: z.string(), count: z.number() })
  const format = zodTextFormat(Shape, 'shape')
  const parsed = await client.responses.parse({ model, input, text: { format } })
  assert.deepEqual(Object.keys(parsed.output_parsed!), ['name', 'count'])
})

test('kept: read, continued, listed, deleted', async () => {
  const first = await client.responses.create({ model, input })
  assert.equal((await client.responses.retrieve(first.id)).output_text, first.output_text)
  const next = await client.responses.create({ model, input, previous_response_id: first.id })
  assert.equal(next.previous_response_id, first.id)
  const items = []
  for await (const item of client.responses.inputItems.list(first.id)) items.push(item)
  assert.equal(items.length, 1)
  await client.responses.delete(first.id)
  await assert.rejects(client.responses.retrieve(first.id), NotFoundError)
})

test('a conversation is compacted and counted, a response answered in the background', async () => {
  const compacted = await client.responses.compact({ model, input })
  assert.equal(compacted.output.at(-1)!.type, 'compaction')
  const going = [...compacted.output, { role: 'user' as const, content: 'Na kesho?' }]
  const next = await client.responses.create({
    model,
    input: going as OpenAI.Responses.ResponseInput,
  })
  assert.equal(next.status, 'completed')
  const { input_tokens: counted } = await client.responses.inputTokens.count({ model, input })
  assert.ok(counted > 0)
  const events = []
  const asked = { model, input, background: true, stream: true } as const
  for await (const event of await client.responses.create(asked)) events.push(event)
  const [first] = events
  assert.ok(first?.type === 'response.created')
  assert.equal(events.at(-1)!.type, 'response.completed')
  const again = []
  const { id } = first.response
  const stream = await client.responses.retrieve(id, { stream: true, starting_after: 1 })
  for await (const event of stream) again.push(event)
  assert.deepEqual(again, events.slice(2))
  assert.equal((await client.responses.cancel(id)).status, 'completed')
})

test('errors are those of its classes', async () => {
  await assert.rejects(client.responses.create({ model: 'sim/none', input }), NotFoundError)
  await assert.rejects(
    client.responses.create({ model, input, conversation: 'c' }),
    BadRequestError,
  )
  const poor = new OpenAI({
    baseURL: `${app.url}/v1`,
    apiKey: (await app.customer('0')).key,
    maxRetries: 2,
  })
  await assert.rejects(
    poor.responses.create({ model, input }),
    (error) => error instanceof APIError && error.status === 402,
  )
  const once = { maxRetries: 0 }
  await assert.rejects(
    client.responses.create({ model: 'sim/fault-429-7', input }, once),
    RateLimitError,
  )
  const broken = client.responses.stream({ model: 'sim/fault-reset', input }, once)
  const end = await broken.finalResponse().catch((error: unknown) => error)
  assert.ok(end instanceof APIError || (end as { status: string }).status === 'failed')
})

test('a refusal is tried again by the client, with one charge', async () => {
  app.models.fail({ fault: 'status-500', times: 1, model })
  const answer = await client.responses.create({ model, input })
  assert.equal(answer.status, 'completed')
})

test('two tools at once, whole and streamed, and their results; thoughts go back', async () => {
  const upstream = await toolModel()
  const lab = await startApp({ upstream: upstream.entry })
  try {
    const { key } = await lab.customer('100')
    const api = new OpenAI({ baseURL: `${lab.url}/v1`, apiKey: key })
    const tool = (name: string) => ({
      type: 'function' as const,
      name,
      strict: false,
      parameters: { type: 'object', properties: { town: { type: 'string' } } },
    })
    const asked = {
      model: 'lab/zana',
      tools: [tool('weather'), tool('time')],
      store: false,
      include: ['reasoning.encrypted_content' as const],
    }
    for (const streamed of [false, true]) {
      const ask = (items: ResponseInputItem[]) =>
        streamed
          ? api.responses.stream({ ...asked, input: items }).finalResponse()
          : api.responses.create({ ...asked, input: items })
      const turn: ResponseInputItem[] = [{ role: 'user', content: 'Weather and time?' }]
      const called = await ask(turn)
      const items = called.output as ResponseOutputItem[]
      const calls = items.filter((item) => item.type === 'function_call')
      assert.deepEqual(
        calls.map((call) => [call.name, call.arguments]),
        [
          ['weather', '{"town":"Mwanza"}'],
          ['time', '{"town":"Mwanza"}'],
        ],
      )
      assert.notEqual(calls[0]!.call_id, calls[1]!.call_id)
      // Out of order on purpose.
      const results = calls.toReversed().map(({ call_id, name }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: `the ${name}`,
      }))
      const done = await ask([...turn, ...called.output, ...results] as ResponseInputItem[])
      assert.equal(done.output_text, 'It is the weather and the time')
      const [, said] = upstream.requests.at(-1)!.messages
      assert.deepEqual(said.reasoning_details, DETAILS)
    }
    await assertAgreement(lab.db)
  } finally {
    await lab.close()
    await upstream.close()
  }
})
