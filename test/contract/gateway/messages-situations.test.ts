import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Anthropic } from '@anthropic-ai/sdk'
import type { Loose } from '../../support/loose.ts'
import {
  OK,
  silentStream,
  testSituations,
  type Situation,
  type Where,
} from '../../support/models/situations.ts'

/* What a client sends and a chat model answers, each through the whole service, whole and streamed. */

/** The message as Anthropic's client has it in the end. */
function ask(stream: boolean, body: object, { url, key, model }: Where): Promise<Loose> {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
  const asked: Loose = { model, max_tokens: 900, messages: [user('Habari?')], ...body }
  return stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked)
}

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const tool = (name: string) => ({ name, input_schema: { type: 'object', properties: { a: {} } } })
const use = (id: string, name = 'f') => ({ type: 'tool_use', id, name, input: { a: 1 } })
const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
const call = (index: number, id: string, name: string, args: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
})
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const picture = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PIXEL },
}
const LONG = `mcp__${'x'.repeat(75)}`
const TWO = [
  user('Call twice.'),
  assistant([use('toolu_1'), use('toolu_2')]),
  user([result('toolu_2', 'second'), result('toolu_1', 'first'), { type: 'text', text: 'Haya?' }]),
]

const SITUATIONS: Situation[] = [
  {
    name: 'two results with pictures: texts first, the pictures in one message after all of them',
    body: {
      tools: [tool('f')],
      messages: [
        ...TWO.slice(0, 2),
        user([result('toolu_1', [picture]), result('toolu_2', [picture, text('second')])]),
      ],
    },
    check({ messages }) {
      assert.deepEqual(roles(messages), ['user', 'assistant', 'tool', 'tool', 'user'])
      const pictures = messages.at(-1).content.filter(({ type }: Loose) => type === 'image_url')
      assert.equal(pictures.length, 2)
      assert.match(messages[3].content, /second/)
    },
  },
  {
    name: 'text beside results: the results first, in the order of their calls',
    body: { tools: [tool('f')], messages: TWO },
    check({ messages }) {
      assert.deepEqual(
        messages.slice(2).map(({ role, content }: Loose) => [role, content]),
        [
          ['tool', 'first'],
          ['tool', 'second'],
          ['user', 'Haya?'],
        ],
      )
    },
  },
  {
    name: 'ids of calls that repeat, or that others refuse, become ours',
    said: () => ({ deltas: [0, 1].map((i) => call(i, 'functions.Bash:0', 'f', `{"a":${i}}`)) }),
    body: { tools: [tool('f')] },
    check(_sent, { content, stop_reason: reason }) {
      const ids = content.map(({ id }: Loose) => id)
      for (const id of ids) assert.match(id, /^toolu_[0-9A-Za-z]{24}$/)
      assert.equal(new Set(ids).size, 2)
      assert.deepEqual(
        content.map(({ input }: Loose) => input),
        [{ a: 0 }, { a: 1 }],
      )
      assert.equal(reason, 'tool_use')
    },
  },
  {
    name: 'the name of a tool is cut for the model, and whole for the client',
    said: ({ tools }) => ({ deltas: [call(0, 'c', tools[0].function.name, '{"a":1}')] }),
    body: { tools: [tool(LONG)], tool_choice: { type: 'tool', name: LONG } },
    check(sent, { content }) {
      const { name } = sent.tools[0].function
      assert.ok(name.length <= 64 && name.startsWith('mcp__xxx'))
      assert.equal(sent.tool_choice.function.name, name)
      assert.equal(content[0].name, LONG)
    },
  },
  {
    name: 'a call without arguments has an empty object',
    said: () => ({ deltas: [call(0, 'c', 'f', '')] }),
    body: { tools: [tool('f')] },
    check(_sent, { content }) {
      assert.deepEqual(content[0].input, {})
    },
  },
  {
    name: 'a refusal',
    said: () => ({ deltas: [{ refusal: 'Siwezi.' }], finish: 'content_filter' }),
    check(_sent, { content, stop_reason: reason }) {
      assert.deepEqual([content[0].text, reason], ['Siwezi.', 'refusal'])
    },
  },
  {
    name: 'an answer with nothing in it has no blocks',
    said: () => ({ deltas: [{ content: '' }] }),
    check(_sent, { content, stop_reason: reason }) {
      assert.deepEqual([content, reason], [[], 'end_turn'])
    },
  },
  {
    name: 'a complete call before the limit is there to be made',
    said: () => ({ deltas: [call(0, 'c', 'f', '{"a":1}')], finish: 'length' }),
    body: { tools: [tool('f')] },
    check(_sent, { stop_reason: reason }) {
      assert.equal(reason, 'tool_use')
    },
  },
  {
    name: 'a call that the limit cut off is not',
    said: () => ({ deltas: [{ content: 'Haya.' }, call(0, 'c', 'f', '{"a":')], finish: 'length' }),
    body: { tools: [tool('f')] },
    check(_sent, { stop_reason: reason }) {
      assert.equal(reason, 'max_tokens')
    },
  },
  {
    name: 'what was read from the cache, and written to it, is counted beside the input',
    said: () => ({
      ...OK,
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
      },
    }),
    check(_sent, { usage }) {
      assert.deepEqual(
        [
          usage.input_tokens,
          usage.cache_read_input_tokens,
          usage.cache_creation_input_tokens,
          usage.output_tokens,
        ],
        [100, 600, 300, 20],
      )
    },
  },
]

function text(words: string) {
  return { type: 'text', text: words }
}

function roles(messages: Loose[]): string[] {
  return messages.map(({ role }) => role)
}

const run = testSituations({
  ask,
  situations: SITUATIONS,
  async callsAndAnswers(stream, first, second) {
    const tools = [tool('f')]
    const { content } = await ask(stream, { tools }, first)
    const { id } = content.find(({ type }: Loose) => type === 'tool_use')
    const messages = [user('Habari?'), assistant(content), user([result(id, 'ok')])]
    await ask(stream, { tools, messages }, second)
  },
})

test('cached tokens are charged at their prices', async () => {
  const details = { cached_tokens: 600, cache_write_tokens: 300 }
  const usage = { prompt_tokens: 1_000, completion_tokens: 20, prompt_tokens_details: details }
  const { spent } = await run(false, {}, () => ({ ...OK, usage }))
  const usd = 100 * 0.000001 + 600 * 0.0000001 + 300 * 0.00000125 + 20 * 0.00001
  assert.equal(Math.round(spent * 1e6), Math.round(usd * 3_000 * 1e6))
})

test('silence is filled with pings', async (t) => {
  const body = { max_tokens: 9, messages: [user('x')] }
  const { until, leave } = await silentStream(t, '/v1/messages', body)
  await until('neno ')
  t.mock.timers.tick(15_000)
  await until('event: ping')
  leave()
})
