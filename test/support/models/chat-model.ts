import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loose } from '../loose.ts'

const USAGE = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 }

/** What a model says to a request: pieces that may be sent one by one, or together as a message. */
type Said = { deltas: Loose[]; finish?: string; usage?: object }

/** A model in OpenAI's format that says what it is told to, whole or streamed. */
export async function chatModel(said: (body: Loose) => Said) {
  const requests: Loose[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    requests.push(body)
    answer(response, body, said(body))
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    /** The bodies that it was sent. */
    requests,
    /** Members of the upstream's entry. */
    entry: {
      type: 'openai',
      base_url: `http://127.0.0.1:${port}`,
      sync: false,
      models: [
        {
          id: 'lab/zana',
          upstream_id: 'zana',
          pricing: {
            prompt: '0.000001',
            completion: '0.00001',
            input_cache_read: '0.0000001',
            input_cache_write: '0.00000125',
          },
          context_length: 100_000,
          input_modalities: ['text', 'image', 'file'],
          supported_parameters: ['tools', 'reasoning'],
        },
      ],
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Loose> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return JSON.parse(text || '{"messages":[]}')
}

function answer(response: ServerResponse, body: Loose, { deltas, finish, usage = USAGE }: Said) {
  const finish_reason = finish ?? (deltas.some((delta) => delta.tool_calls) ? 'tool_calls' : 'stop')
  if (body.stream === true) return stream(response, deltas, finish_reason, usage)
  response.setHeader('content-type', 'application/json')
  const choices = [{ index: 0, message: wholeOf(deltas), finish_reason }]
  response.end(JSON.stringify({ id: 'gen-1', choices, usage }))
}

function wholeOf(deltas: Loose[]): Loose {
  const message: Loose = { role: 'assistant', content: '' }
  for (const { content, tool_calls: calls = [], ...rest } of deltas) {
    Object.assign(message, rest)
    message.content += content ?? ''
    for (const { index, id, function: made } of calls) {
      message.tool_calls ??= []
      const known = (message.tool_calls[index] ??= {
        id,
        type: 'function',
        function: { name: made.name, arguments: '' },
      })
      known.function.arguments += made.arguments
    }
  }
  return message
}

function stream(response: ServerResponse, deltas: Loose[], finish: string, usage: object): void {
  response.setHeader('content-type', 'text/event-stream')
  const send = (event: object) => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  for (const delta of deltas) {
    send({ id: 'gen-1', choices: [{ index: 0, delta, finish_reason: null }] })
  }
  send({ id: 'gen-1', choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  send({ id: 'gen-1', choices: [], usage })
  response.end('data: [DONE]\n\n')
}
