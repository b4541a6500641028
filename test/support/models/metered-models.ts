import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loose } from '../loose.ts'

/** In dollars a token. */
type Prices = { prompt: number; completion: number; cached?: number }
type Asked = { model: string; body: Loose; cached: number; promptTokens: number }

/**
 * An upstream of several models in OpenAI's format with a prompt cache: a conversation that it has
 * read before, up to some message, is not read again. It knows what it takes for each answer.
 */
export async function meteredModels(prices: Record<string, Prices>) {
  const asked: Asked[] = []
  const faults = new Map<string, { status: number; body: object }>()
  const cache = new Set<string>()
  let usd = 0

  const answer = (body: Loose, response: ServerResponse) => {
    const { model } = body
    const fault = faults.get(model)
    const read = readPrompt(cache, model, body.messages)
    asked.push({ model, body, ...read })
    if (fault !== undefined) {
      response.writeHead(fault.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(fault.body))
      return
    }
    const { promptTokens, cached } = read
    const { prompt, completion, cached: cachedPrice = prompt } = prices[model]!
    usd += (promptTokens - cached) * prompt + cached * cachedPrice + ANSWER_TOKENS * completion
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: ANSWER_TOKENS,
      total_tokens: promptTokens + ANSWER_TOKENS,
      prompt_tokens_details: { cached_tokens: cached },
    }
    if (body.stream === true) return streamed(response, usage)
    const choices = [
      { index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' },
    ]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'gen-1', choices, usage }))
  }

  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => answer(body, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    /** Dollars so far. */
    meter: () => usd,
    /** What a model answers from now on; nothing: as usual. */
    fail(model: string, status?: number, body: object = { error: { message: 'Not now.' } }) {
      if (status === undefined) faults.delete(model)
      else faults.set(model, { status, body })
    },
    /** Members of the upstream's entry. */
    entry: (name: string, more: object = {}, ofModel: Record<string, object> = {}) => ({
      name,
      type: 'openrouter',
      base_url: `http://127.0.0.1:${port}`,
      sync: false,
      models: Object.entries(prices).map(([id, { prompt, completion, cached = prompt }]) => ({
        id: `lab/${id}`,
        upstream_id: id,
        pricing: {
          prompt: prompt.toFixed(9),
          completion: completion.toFixed(9),
          input_cache_read: cached.toFixed(9),
        },
        context_length: 100_000,
        supported_parameters: ['max_tokens', 'temperature', 'tools', 'tool_choice'],
        ...ofModel[id],
      })),
      ...more,
    }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const ANSWER = 'Nzuri sana.'
const ANSWER_TOKENS = 4
const BYTES_PER_TOKEN = 4

function readPrompt(cache: Set<string>, model: string, messages: Loose[]) {
  let [promptTokens, cached] = [0, 0]
  let before = model
  for (const message of messages) {
    const text = JSON.stringify(message)
    before += text
    promptTokens += Math.ceil(text.length / BYTES_PER_TOKEN)
    if (cache.has(before)) cached = promptTokens
    cache.add(before)
  }
  return { promptTokens, cached }
}

async function bodyOf(request: IncomingMessage): Promise<Loose> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return JSON.parse(text || '{"messages":[]}')
}

function streamed(response: ServerResponse, usage: object): void {
  response.setHeader('content-type', 'text/event-stream')
  const send = (event: object) => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  send({ id: 'gen-1', choices: [{ index: 0, delta: { content: ANSWER }, finish_reason: null }] })
  send({ id: 'gen-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  send({ id: 'gen-1', choices: [], usage })
  response.end('data: [DONE]\n\n')
}
