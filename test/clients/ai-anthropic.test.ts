import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { assertAgreement } from '../support/money/agreement.ts'
import { ANTHROPIC_UPSTREAM, CLAUDE_DOOR } from '../support/models/claude-door.ts'
import { startApp } from '../support/app.ts'

/** The AI SDK checks every event and block against a schema of its own. */
const WAYS = [
  { way: 'converted', name: 'sim/hekima', upstream: {} },
  { way: 'native', name: CLAUDE_DOOR.id, upstream: ANTHROPIC_UPSTREAM },
]

for (const { way, name, upstream } of WAYS) {
  describe(`the AI SDK's Anthropic provider, ${way}`, () => {
    let app: Awaited<ReturnType<typeof startApp>>
    let anthropic: ReturnType<typeof createAnthropic>
    before(async () => {
      app = await startApp({ upstream })
      const { key } = await app.customer('500')
      anthropic = createAnthropic({ baseURL: `${app.url}/v1`, apiKey: key })
    })
    after(() => app.close())
    afterEach(() => assertAgreement(app.db))

    const town = jsonSchema<{ town?: string }>({
      type: 'object',
      properties: { town: { type: 'string' } },
    })
    const tools = {
      get_weather: tool({ inputSchema: town, execute: async () => 'thirty-one degrees' }),
      get_time: tool({ inputSchema: town, execute: async () => 'noon' }),
    }
    const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } } as const

    test('text, whole and streamed', async () => {
      const whole = await generateText({ model: anthropic(name), prompt: 'Habari, Asha!' })
      assert.match(whole.text, /Asha/)
      assert.equal(whole.finishReason, 'stop')
      assert.ok((whole.usage.inputTokens ?? 0) > 0 && (whole.usage.outputTokens ?? 0) > 0)
      const flow = streamText({ model: anthropic(name), prompt: 'Habari, Asha!' })
      let text = ''
      for await (const piece of flow.textStream) text += piece
      assert.equal(text, whole.text)
      assert.deepEqual((await flow.usage).outputTokens, whole.usage.outputTokens)
    })

    for (const streamed of [false, true]) {
      test(`two tools and their results, after thinking, streamed ${streamed}`, async () => {
        const params = {
          model: anthropic(name),
          prompt: 'Call get_weather and get_time.',
          tools,
          stopWhen: stepCountIs(3),
          providerOptions: thinking,
        }
        const steps = streamed ? await streamText(params).steps : (await generateText(params)).steps
        assert.equal(steps.length, 2)
        assert.deepEqual(
          steps[0]!.toolCalls.map(({ toolName }) => toolName),
          ['get_weather', 'get_time'],
        )
        assert.match(steps[0]!.reasoningText ?? '', /get_weather/)
        assert.match(steps[1]!.text, /\w/)
      })
    }

    test('structured output', async () => {
      const schema = jsonSchema<{ town: string }>({
        type: 'object',
        properties: { town: { type: 'string' } },
        required: ['town'],
        additionalProperties: false,
      })
      const { output } = await generateText({
        model: anthropic(name),
        prompt: 'Mji gani?',
        output: Output.object({ schema }),
      })
      assert.equal(typeof output.town, 'string')
    })

    test('errors are API errors with their status', async () => {
      const model = anthropic('claude-nobody')
      await assert.rejects(
        generateText({ model, prompt: 'x', maxRetries: 0 }),
        (error) => APICallError.isInstance(error) && error.statusCode === 404,
      )
    })
  })
}
