import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import {
  Agent,
  applyPatchTool,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  shellTool,
  tool as agentTool,
} from '@openai/agents'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { assertAgreement } from '../support/money/agreement.ts'
import { startApp } from '../support/app.ts'
import { toolModel } from '../support/models/tool-model.ts'

/*
 * Clients that speak Responses by default: the AI SDK's `openai` provider and OpenAI's Agents SDK.
 * They refer to what is kept by its ids, and run tools until there is an answer.
 */

let upstream: Awaited<ReturnType<typeof toolModel>>
let app: Awaited<ReturnType<typeof startApp>>
let key: string

before(async () => {
  setTracingDisabled(true)
  upstream = await toolModel()
  app = await startApp({ upstream: upstream.entry })
  key = (await app.customer('500')).key
})
after(async () => {
  await app.close()
  await upstream.close()
})
afterEach(() => assertAgreement(app.db))

const MODEL = 'lab/zana'
const model = () => createOpenAI({ baseURL: `${app.url}/v1`, apiKey: key })(MODEL)
const town = jsonSchema<{ town: string }>({
  type: 'object',
  properties: { town: { type: 'string' } },
})
const tools = {
  weather: tool({ inputSchema: town, execute: ({ town: name }) => `27 in ${name}` }),
  time: tool({ inputSchema: town, execute: () => 'noon' }),
}
const SAID = 'It is 27 in Mwanza and noon'

test('AI SDK: text, whole and streamed', async () => {
  const whole = await generateText({ model: model(), prompt: 'Habari?' })
  assert.equal(whole.text, 'It is well.')
  assert.equal(whole.usage.totalTokens, 50)
  const flow = streamText({ model: model(), prompt: 'Habari?' })
  assert.equal(await flow.text, 'It is well.')
  assert.match(await flow.reasoningText.then(String), /both/)
})

for (const store of [true, false]) {
  test(`AI SDK: two tools at once and their results, store ${store}`, async () => {
    const asked = {
      model: model(),
      prompt: 'Weather and time?',
      tools,
      stopWhen: stepCountIs(3),
      providerOptions: { openai: { store } },
    }
    assert.equal((await generateText(asked)).text, SAID)
    const flow = streamText(asked)
    assert.equal(await flow.text, SAID)
    // What was said before the calls came back by its id, or in full.
    const [, before] = upstream.requests.at(-1)!.messages
    assert.deepEqual([before.role, before.content], ['assistant', 'Let me look.'])
  })
}

test('AI SDK: a second turn refers to what is kept', async () => {
  const first = await generateText({ model: model(), prompt: 'Habari?' })
  const messages = [
    { role: 'user' as const, content: 'Habari?' },
    ...first.response.messages,
    { role: 'user' as const, content: 'Na kesho?' },
  ]
  const second = await generateText({ model: model(), messages })
  assert.equal(second.text, 'It is well.')
  assert.equal(upstream.requests.at(-1)!.messages[1].content, 'It is well.')
})

test('AI SDK: structured output, and a key that is refused', async () => {
  const schema = z.object({ name: z.string() })
  const asked = { model: model(), prompt: 'x', output: Output.object({ schema }) }
  // This model does not keep to it; what counts is that it was asked to.
  await generateText(asked).catch(() => {})
  assert.equal(upstream.requests.at(-1)!.response_format.type, 'json_schema')
  const wrong = createOpenAI({ baseURL: `${app.url}/v1`, apiKey: 'mlg_no' })(MODEL)
  await assert.rejects(generateText({ model: wrong, prompt: 'x', maxRetries: 0 }), {
    statusCode: 401,
  })
})

test('AI SDK: its shells and its patches run here, whole and streamed', async () => {
  const { tools: made } = createOpenAI({ baseURL: `${app.url}/v1`, apiKey: key })
  const outcome = { type: 'exit' as const, exitCode: 0 }
  const shell = made.shell({
    execute: async ({ action: { commands } }) => ({
      output: [{ stdout: `ran ${commands.join(' ')}`, stderr: '', outcome }],
    }),
  })
  const apply_patch = made.applyPatch({
    execute: async ({ operation: { type, path } }) => ({
      status: 'completed' as const,
      output: `${type} of ${path}`,
    }),
  })
  const local_shell = made.localShell({
    execute: async ({ action: { command } }) => ({ output: `ran ${command.join(' ')}` }),
  })
  const both = 'It is Exit code 0\nran Mwanza and completed\nupdate_file of Mwanza'
  for (const [offered, said] of [
    [{ shell, apply_patch }, both],
    [{ local_shell }, 'It is ran Mwanza'],
  ] as const) {
    const asked = { model: model(), prompt: 'Fix it.', tools: offered, stopWhen: stepCountIs(3) }
    assert.equal((await generateText(asked as never)).text, said)
    assert.equal(await streamText(asked as never).text, said)
  }
})

const agent = () =>
  new Agent({
    name: 'Mtabiri',
    instructions: 'Use both tools.',
    model: MODEL,
    tools: ['weather', 'time'].map((name) =>
      agentTool({
        name,
        description: name,
        parameters: z.object({ town: z.string() }),
        execute: async ({ town: place }) => (name === 'time' ? 'noon' : `27 in ${place}`),
      }),
    ),
  })

const runner = () => {
  const provider = { baseURL: `${app.url}/v1`, apiKey: key, useResponses: true }
  return new Runner({ modelProvider: new OpenAIProvider(provider), tracingDisabled: true })
}

test('Agents SDK: two tools at once, whole and streamed', async () => {
  const whole = await runner().run(agent(), 'Weather and time?')
  assert.equal(whole.finalOutput, SAID)
  const flow = await runner().run(agent(), 'Weather and time?', { stream: true })
  await flow.completed
  assert.equal(flow.finalOutput, SAID)
  const next = await runner().run(agent(), 'Tena?', { previousResponseId: whole.lastResponseId! })
  assert.equal(next.finalOutput, SAID)
})

test('Agents SDK: its shell and its patches run here, whole and streamed', async () => {
  const outcome = { type: 'exit' as const, exitCode: 0 }
  const shell = shellTool({
    shell: {
      run: async ({ commands }) => ({
        output: [{ stdout: `ran ${commands.join(' ')}`, stderr: '', outcome }],
      }),
    },
  })
  const done = async (operation: { type: string; path: string }) => ({
    output: `${operation.type} of ${operation.path}`,
  })
  const patches = applyPatchTool({
    editor: { createFile: done, updateFile: done, deleteFile: done },
  })
  const worker = new Agent({ name: 'Fundi', model: MODEL, tools: [shell, patches] })
  const said = 'It is Exit code 0\nran Mwanza and completed\nupdate_file of Mwanza'
  const whole = await runner().run(worker, 'Fix it.')
  assert.equal(whole.finalOutput, said)
  const flow = await runner().run(worker, 'Fix it.', { stream: true })
  await flow.completed
  assert.equal(flow.finalOutput, said)
})
