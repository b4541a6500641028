import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { generateText, Output } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'
import { startApp } from '../support/app.ts'
import type { Loose } from '../support/loose.ts'
import { watch } from '../support/money/paid.ts'

/* Pictures, schemas, every class of error and retries, by the clients that agents are built with. */

let app: Awaited<ReturnType<typeof startApp>>
let asha: Awaited<ReturnType<(typeof app)['customer']>>
before(async () => {
  setTracingDisabled(true)
  app = await startApp()
  asha = await app.customer('500')
})
after(() => app.close())

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const Town = z.object({ town: z.string() })

type Question = { model: string; key: string; maxRetries?: number; seen?: boolean; town?: boolean }
type Client = {
  name: string
  ask(question: Question): Promise<unknown>
  /** What an overloaded upstream is in its dialect. */
  overloaded: number
}

const CLIENTS: Client[] = [
  { name: 'AI SDK, openai', ask: byAiSdk(createOpenAI), overloaded: 503 },
  { name: 'AI SDK, anthropic', ask: byAiSdk(createAnthropic), overloaded: 529 },
  { name: 'Agents SDK', ask: byAgents, overloaded: 503 },
]

function byAiSdk(create: typeof createOpenAI | typeof createAnthropic) {
  return async ({ model, key, maxRetries = 0, seen, town }: Question): Promise<unknown> => {
    const text = { type: 'text' as const, text: 'Mji gani?' }
    const file = { type: 'file' as const, data: PICTURE, mediaType: 'image/png' }
    const asked = {
      model: create({ baseURL: `${app.url}/v1`, apiKey: key })(model),
      messages: [{ role: 'user' as const, content: seen ? [text, file] : [text] }],
      maxRetries,
    }
    if (!town) return (await generateText(asked)).text
    return (await generateText({ ...asked, output: Output.object({ schema: Town }) })).output
  }
}

async function byAgents({ model, key, maxRetries = 0, seen, town }: Question): Promise<unknown> {
  const openAIClient = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: key, maxRetries })
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const image = { type: 'input_image' as const, image: `data:image/png;base64,${PICTURE}` }
  const text = { type: 'input_text' as const, text: 'Mji gani?' }
  const content = seen ? [text, image] : [text]
  const [named, asked] = [{ name: 'Msaidizi', model }, [{ role: 'user' as const, content }]]
  if (!town) return (await runner.run(new Agent(named), asked)).finalOutput
  return (await runner.run(new Agent({ ...named, outputType: Town }), asked)).finalOutput
}

const statusOf = (error: Loose): unknown => error.statusCode ?? error.status

for (const { name, ask, overloaded } of CLIENTS) {
  test(`${name}: a picture`, async () => {
    const key = asha.key
    const { result, spent } = await watch(app, asha.accountId).during(() =>
      ask({ model: 'sim/macho', key, seen: true }),
    )
    assert.match(String(result), /1 image/)
    assert.ok(spent > 0)
  })

  test(`${name}: an answer in the shape of a schema`, async () => {
    const { result } = await watch(app, asha.accountId).during(() =>
      ask({ model: 'sim/hekima', key: asha.key, town: true }),
    )
    assert.equal(typeof Town.parse(result).town, 'string')
  })

  for (const [model, status] of [
    ['sim/none', 404],
    ['sim/fault-content-policy', 400],
    ['sim/fault-context-length', 400],
    ['sim/fault-429-7', 429],
    ['sim/fault-status-500', 502],
    ['sim/fault-status-529', overloaded],
  ] as const) {
    test(`${name}: ${status} of ${model}, nothing charged`, async () => {
      const { spent } = await watch(app, asha.accountId).during(() =>
        assert.rejects(ask({ model, key: asha.key }), (error) => statusOf(error) === status),
      )
      assert.equal(spent, 0)
    })
  }

  test(`${name}: a key that nobody has, and one without credits`, async () => {
    const { key } = await app.customer('0')
    const model = 'sim/hekima'
    await assert.rejects(ask({ model, key: 'mlg_no' }), (error) => statusOf(error) === 401)
    await assert.rejects(ask({ model, key }), (error) => statusOf(error) === 402)
  })

  test(`${name}: a failure is tried again, with one charge`, async () => {
    app.models.fail({ fault: 'status-500', times: 1, model: 'sim/hekima' })
    const { spent, records } = await watch(app, asha.accountId).during(() =>
      ask({ model: 'sim/hekima', key: asha.key, maxRetries: 2 }),
    )
    assert.deepEqual(records.map(({ status }) => status).toSorted(), ['completed', 'failed'])
    assert.ok(spent > 0)
  })
}
