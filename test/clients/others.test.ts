import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, afterEach, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { embedMany, generateText, jsonSchema, streamText, tool } from 'ai'
import { assertAgreement } from '../support/money/agreement.ts'
import { startApp } from '../support/app.ts'

let app: Awaited<ReturnType<typeof startApp>>
let key: string
before(async () => {
  app = await startApp()
  key = (await app.customer('500')).key
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const provider = () =>
  createOpenAICompatible({ name: 'mlango', baseURL: `${app.url}/v1`, apiKey: key })

test('Vercel AI SDK: text, stream, tools, embeddings', async () => {
  const model = provider().chatModel('sim/hekima')
  const whole = await generateText({ model, prompt: 'Habari ya asubuhi!' })
  assert.match(whole.text, /\w/)
  assert.ok((whole.usage.outputTokens ?? 0) > 0)

  const flow = streamText({ model, prompt: 'Habari ya jioni!' })
  let text = ''
  for await (const piece of flow.textStream) text += piece
  assert.match(text, /\w/)

  const called = await generateText({
    model,
    prompt: 'Hali ya hewa Mwanza?',
    toolChoice: 'required',
    tools: {
      get_weather: tool({
        description: 'Weather of a town',
        inputSchema: jsonSchema<{ town?: string }>({
          type: 'object',
          properties: { town: { type: 'string' } },
        }),
      }),
    },
  })
  assert.equal(called.toolCalls[0]!.toolName, 'get_weather')

  const { embeddings } = await embedMany({
    model: provider().embeddingModel('sim/vekta'),
    values: ['nyumba', 'mlango'],
  })
  assert.equal(embeddings.length, 2)
  assert.equal(embeddings[0]!.length, embeddings[1]!.length)
})

test('LangChain: invoke, stream, embeddings', async () => {
  const configuration = { baseURL: `${app.url}/v1` }
  const chat = new ChatOpenAI({ model: 'sim/hekima', apiKey: key, configuration })
  const answer = await chat.invoke('Habari ya asubuhi!')
  assert.match(answer.text, /\w/)
  let pieces = 0
  for await (const _piece of await chat.stream('Habari ya jioni!')) pieces += 1
  assert.ok(pieces > 1)
  const embeddings = new OpenAIEmbeddings({ model: 'sim/vekta', apiKey: key, configuration })
  const vectors = await embeddings.embedDocuments(['nyumba', 'mlango'])
  assert.equal(vectors.length, 2)
  assert.ok(vectors[0]!.length > 10)
})

test('curl, plain and streamed', async () => {
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari!' }] }
  assert.equal(JSON.parse(await curl(body)).object, 'chat.completion')
  assert.match(await curl({ ...body, stream: true }), /^data: \{[^]*\ndata: \[DONE\]\n\n$/)
})

/** The true curl; on a machine without it, the request it would write. */
async function curl(body: object): Promise<string> {
  const url = `${app.url}/v1/chat/completions`
  const json = JSON.stringify(body)
  try {
    const args = ['-sN', url, '-H', `authorization: Bearer ${key}`]
    args.push('-H', 'content-type: application/json', '-d', json)
    return (await promisify(execFile)('curl', args)).stdout
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = { accept: '*/*', 'user-agent': 'curl/8.0', ...headers }
  return (await fetch(url, { method: 'POST', headers: sent, body: json })).text()
}
