import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import OpenAI from 'openai'
import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { assertAgreement } from '../../support/money/agreement.ts'
import {
  BEFORE_THE_STREAM,
  BROKEN_STREAMS,
  FAULTS,
  TYPES,
} from '../../support/models/fault-table.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { RESPONSES_DOOR, RESPONSES_UPSTREAM } from '../../support/models/responses-door.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* Responses that go through as they are, to an upstream that speaks them. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>
let client: OpenAI
const model = RESPONSES_DOOR.id

before(async () => {
  const timeouts = { first_byte_ms: 1_500, idle_ms: 1_500 }
  app = await startApp({ upstream: { ...RESPONSES_UPSTREAM, timeouts } })
  asha = await app.customer('500')
  client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: asha.key, maxRetries: 0 })
})
after(() => app.close())
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

const input = 'Habari ya asubuhi?'
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const lastRecord = async () =>
  (await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data[0]
const sent = () => app.models.log.find({ route: '/responses' }).at(-1)!.body as Loose

test('whole and streamed: the same answer, under our names, charged by its counts', async () => {
  const start = await balance()
  const whole = await client.responses.create({ model, input, metadata: { a: 'b' } })
  assert.match(whole.id, /^resp_[0-9A-Za-z]{24}$/)
  assert.deepEqual([whole.model, whole.status, whole.metadata], [model, 'completed', { a: 'b' }])
  assert.deepEqual([sent().store, sent().metadata, sent().model], [false, undefined, 'sim/hekima'])
  assert.match(sent().user, /^[0-9a-f]{32}$/)
  const { input_tokens: p, output_tokens: c } = whole.usage!
  const now = await balance()
  const micro = Math.round((start.balance_credits - now.balance_credits) * 1e6)
  assert.equal(micro, p * 7_500 + c * 30_000)
  const streamed = await client.responses.stream({ model, input }).finalResponse()
  assert.equal(streamed.output_text, whole.output_text)
  assert.deepEqual(streamed.usage, whole.usage)
  assert.match(streamed.output[0]!.id!, new RegExp(`^msg_${streamed.id.slice(5)}0$`))
})

test('thoughts and calls come back as they were given', async () => {
  const tool = (name: string) => ({
    type: 'function' as const,
    name,
    strict: false,
    parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  })
  const asked = {
    model,
    reasoning: { effort: 'low' as const },
    tools: [tool('weather'), { type: 'web_search' as const }, tool('time')],
    include: ['reasoning.encrypted_content' as const],
    store: false,
  }
  const turn: ResponseInputItem[] = [{ role: 'user', content: 'Call weather and time.' }]
  const called = await client.responses.stream({ ...asked, input: turn }).finalResponse()
  assert.deepEqual(
    called.output.map(({ type }) => type),
    ['reasoning', 'function_call', 'function_call'],
  )
  const results = called.output.flatMap((item): ResponseInputItem[] =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output', call_id: item.call_id, output: item.name }]
      : [],
  )
  const items = [...turn, ...called.output, ...results] as ResponseInputItem[]
  const done = await client.responses.create({ ...asked, input: items })
  assert.match(done.output_text, /weather \+ time/)
  assert.equal(sent().tools.length, 2)
  for (const item of sent().input) assert.equal(item.id, undefined)
})

test('a shell that the caller runs never goes up as one: the turn is a chat there', async () => {
  const tools = [{ type: 'shell', environment: { type: 'local' } }, { type: 'web_search' }]
  const asked: Loose = { model, tools, input: 'Orodhesha faili' }
  const before = app.models.log.count({ route: '/responses' })
  const called: Loose = await client.responses.create(asked)
  const [made] = called.output
  assert.deepEqual([made.type, made.status], ['shell_call', 'completed'])
  assert.ok(made.action.commands.length > 0)
  const outcome = { type: 'exit', exit_code: 0 }
  const output = [{ stdout: 'bei.txt', stderr: '', outcome }]
  const result = { type: 'shell_call_output', call_id: made.call_id, output }
  const next: Loose = { ...asked, previous_response_id: called.id, input: [result] }
  const done = await client.responses.stream(next).finalResponse()
  assert.match(done.output_text, /bei\.txt/)
  assert.equal(app.models.log.count({ route: '/responses' }), before)
  const { tools: given } = app.models.log.find({ route: '/chat/completions' }).at(-1)!.body as Loose
  assert.deepEqual(
    given.map((tool: Loose) => [tool.type, tool.function.name]),
    [['function', 'shell']],
  )
})

test('what is kept is kept here: a chain and references reach the upstream in full', async () => {
  const reasoning = { effort: 'low' as const }
  const first = await client.responses.create({ model, input, reasoning })
  assert.doesNotMatch(JSON.stringify(first), /encrypted_content/)
  const next = await client.responses.create({
    model,
    input: 'Na kesho?',
    reasoning,
    previous_response_id: first.id,
  })
  assert.equal(next.status, 'completed')
  assert.deepEqual(
    sent().input.map(({ type }: Loose) => type),
    ['message', 'reasoning', 'message', 'message'],
  )
  const reference = { type: 'item_reference' as const, id: next.output.at(-1)!.id! }
  const more = await client.responses.create({
    model,
    input: [{ role: 'user', content: 'x' }, reference, { role: 'user', content: 'y' }],
  })
  assert.equal(more.status, 'completed')
  const kept = await client.responses.retrieve(first.id)
  assert.deepEqual(kept.output, first.output)
})

test('what the upstream refuses is told in its words, without its names', async () => {
  const answer = await app.call('POST /v1/responses', {
    token: asha.key,
    body: { model: 'openai/fault-status-400', input },
  })
  assert.equal(answer.status, 502)
  assert.equal(answer.body.error.code, 'upstream_rejected')
  assert.equal(answer.headers.get('x-should-retry'), 'false')
  assert.match(answer.body.error.message, /answered 400/)
  assert.doesNotMatch(answer.body.error.message, /provider\.sim/)
})

const ask = (fault: string, stream: boolean) =>
  app.call('POST /v1/responses', {
    token: asha.key,
    body: { model: `openai/fault-${fault}`, input, stream },
  })

for (const [fault, status] of FAULTS) {
  test(`fault ${fault}: ${status}, nothing charged`, async () => {
    const start = await balance()
    const answer = await ask(fault, false)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, TYPES.get(status))
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

/** Told inside the stream: Codex would try again, or not shorten the conversation. */
const ENDS_A_TURN = new Map([
  ['context-length', 'context_length_exceeded'],
  ['status-400', 'invalid_prompt'],
  ['status-422', 'invalid_prompt'],
  ['bad-field', 'invalid_prompt'],
])

for (const [fault, status] of BEFORE_THE_STREAM.filter(([name]) => !ENDS_A_TURN.has(name))) {
  test(`fault ${fault} before a stream: ${status}, nothing charged`, async () => {
    const start = await balance()
    const answer = await ask(fault, true)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

async function endOf(stream: Promise<AsyncIterable<ResponseStreamEvent>>): Promise<Loose> {
  const events: ResponseStreamEvent[] = []
  for await (const event of await stream) events.push(event)
  assert.deepEqual([events[0]!.type, events.at(-1)!.type], ['response.created', 'response.failed'])
  return (events.at(-1) as Loose).response.error
}

for (const [fault, code] of ENDS_A_TURN) {
  test(`fault ${fault} before a stream: ${code} in it, nothing charged`, async () => {
    const start = await balance()
    const asked = { model: `openai/fault-${fault}`, input, stream: true } as const
    const error = await endOf(client.responses.create(asked))
    assert.equal(error.code, code)
    assert.match(error.message, fault === 'bad-field' ? /expected a string/ : /\w+/)
    assert.deepEqual(await balance(), start)
    assert.equal((await lastRecord()).status, 'failed')
  })
}

test('without credits a stream ends at once, in our words', async () => {
  const { key } = await app.customer('0')
  const error = await endOf(
    client.withOptions({ apiKey: key }).responses.create({ model, input, stream: true }),
  )
  assert.equal(error.code, 'invalid_prompt')
  assert.match(error.message, /^Not enough credits for this request: 0 are available/)
})

for (const fault of BROKEN_STREAMS) {
  test(`${fault} in a stream: response.failed, nothing charged`, async () => {
    const start = await balance()
    const stream = client.responses.stream({ model: `openai/fault-${fault}`, input })
    const end = await stream.finalResponse().catch((error: unknown) => error as Loose)
    assert.ok(end.status === 'failed' || end.status === 502, JSON.stringify(end))
    await eventually('it is recorded', async () => (await lastRecord()).status === 'failed')
    assert.deepEqual(await balance(), start)
  })
}
