import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'
import { RESPONSES_UPSTREAM } from '../../support/models/responses-door.ts'
import {
  OK,
  silentStream,
  testSituations,
  type Situation,
  type Where,
} from '../../support/models/situations.ts'

/* What a client sends and a chat model answers, each through the whole service, whole and streamed. */

/** The response as OpenAI's client has it in the end. */
function ask(stream: boolean, body: object, { url, key, model }: Where): Promise<Loose> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  const asked: Loose = { model, input: 'Habari?', ...body }
  return stream ? client.responses.stream(asked).finalResponse() : client.responses.create(asked)
}

const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } })
const call = (name: string, args: string) => ({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name, arguments: args } }],
})
const calls = ({ output }: Loose) => output.filter(({ type }: Loose) => type.endsWith('_call'))

const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits.', format: grammar }

const SITUATIONS: Situation[] = [
  {
    name: 'a custom tool: a function with one text for the model, free text for the client',
    said: () => ({ deltas: [call('apply_patch', '{"input":"*** Begin\\n\\"x\\""}')] }),
    body: { tools: [patch] },
    check(sent, response) {
      const { name, description, parameters } = sent.tools[0].function
      assert.equal(name, 'apply_patch')
      assert.match(description, /Edits\.[^]*lark grammar:\nstart: "x"/)
      assert.deepEqual(Object.keys(parameters.properties), ['input'])
      const [made] = calls(response)
      assert.deepEqual(
        [made.type, made.name, made.input, made.status],
        ['custom_tool_call', 'apply_patch', '*** Begin\n"x"', 'completed'],
      )
      assert.match(made.id, /^ctc_/)
    },
  },
  {
    name: 'what a custom tool was given and gave goes back to the model',
    body: {
      tools: [patch],
      input: [
        { role: 'user', content: 'Edit it.' },
        { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: 'a "b"' },
        { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done!' },
      ],
    },
    check({ messages }) {
      const [made] = messages[1].tool_calls
      assert.deepEqual(JSON.parse(made.function.arguments), { input: 'a "b"' })
      assert.deepEqual([messages[2].role, messages[2].content], ['tool', 'Done!'])
      assert.equal(messages[2].tool_call_id, made.id)
    },
  },
  {
    name: 'a shell and patches that the caller runs: functions for the model, items for the client',
    said: () => ({
      deltas: [
        call('shell', '{"commands":["ls -l"]}'),
        {
          tool_calls: [
            {
              index: 1,
              id: 'd',
              type: 'function',
              function: { name: 'apply_patch', arguments: '{"type":"delete_file","path":"a"}' },
            },
          ],
        },
      ],
    }),
    body: { tools: [{ type: 'shell' }, { type: 'apply_patch' }] },
    check({ tools }, response) {
      assert.deepEqual(
        tools.map((one: Loose) => [one.type, one.function.name]),
        [
          ['function', 'shell'],
          ['function', 'apply_patch'],
        ],
      )
      const [ran, patched] = calls(response)
      assert.deepEqual([ran.type, ran.action.commands], ['shell_call', ['ls -l']])
      assert.deepEqual(patched.operation, { type: 'delete_file', path: 'a' })
    },
  },
  {
    name: 'cached tokens are inside the input',
    said: () => ({
      ...OK,
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 7 },
      },
    }),
    check(_sent, { usage }) {
      assert.deepEqual(usage, {
        input_tokens: 1_000,
        input_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 7 },
        total_tokens: 1_020,
      })
    },
  },
  {
    name: 'a refusal is text, and the response incomplete',
    said: () => ({ deltas: [{ refusal: 'Siwezi.' }], finish: 'content_filter' }),
    check(_sent, { output, status, incomplete_details: details }) {
      assert.deepEqual(output[0].content[0].text, 'Siwezi.')
      assert.deepEqual([status, details], ['incomplete', { reason: 'content_filter' }])
    },
  },
  {
    name: 'a complete call before the limit is there to be made',
    said: () => ({ deltas: [call('f', '{}')], finish: 'length' }),
    body: { tools: [tool('f')] },
    check(_sent, response) {
      assert.deepEqual([response.status, calls(response)[0].status], ['completed', 'completed'])
    },
  },
  {
    name: 'a call that the limit cut off is not',
    said: () => ({ deltas: [{ content: 'Haya.' }, call('f', '{"a":')], finish: 'length' }),
    body: { tools: [tool('f')] },
    check(_sent, response) {
      assert.deepEqual([response.status, calls(response)[0].status], ['incomplete', 'incomplete'])
    },
  },
]

testSituations({
  ask,
  situations: SITUATIONS,
  async callsAndAnswers(stream, first, second) {
    const asked = { tools: [tool('f')], include: ['reasoning.encrypted_content'], store: false }
    const made = await ask(stream, asked, first)
    const { call_id } = calls(made)[0]
    const output = { type: 'function_call_output', call_id, output: 'ok' }
    const input = [{ role: 'user', content: 'Habari?' }, ...made.output, output]
    await ask(stream, { ...asked, input }, second)
  },
})

for (const [way, entry, model] of [
  ['converted', {}, 'sim/fault-context-length'],
  ['native', RESPONSES_UPSTREAM, 'openai/fault-context-length'],
] as const) {
  test(`too long a conversation, ${way}: 400 as a whole, response.failed in a stream`, async (t) => {
    const narrow = await startApp({ upstream: entry })
    t.after(() => narrow.close())
    const juma = await narrow.customer('100')
    const send = (stream: boolean) =>
      fetch(`${narrow.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${juma.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'x', stream }),
      })
    const { spent } = await watch(narrow, juma.accountId).during(async () => {
      const whole = await send(false)
      const { error } = (await whole.json()) as Loose
      assert.deepEqual([whole.status, error.code], [400, 'context_length_exceeded'])
      const streamed = await send(true)
      assert.equal(streamed.status, 200)
      assert.match(await streamed.text(), /event: response\.failed\n.*context_length_exceeded/)
    })
    assert.equal(spent, 0)
  })
}

test('silence is filled with comments, and after two minutes with an event', async (t) => {
  const { until, leave } = await silentStream(t, '/v1/responses', { input: 'x' })
  await until('neno ')
  t.mock.timers.tick(15_000)
  await until(': keep-alive\n\n')
  t.mock.timers.tick(105_000)
  assert.match(await until('event: keepalive'), /^(: keep-alive\n\n){6}/)
  leave()
})
