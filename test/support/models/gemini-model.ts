import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loose } from '../loose.ts'

/** What it signs its calls with. */
export const SIGNATURE = 'c2lnbmVk'

/** A model in Google's format that calls a tool, signed, and then says what it was told. */
export async function geminiModel() {
  const requests: Loose[] = []
  const server = createServer((request, response) => void answer(request, response, requests))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    /** The bodies that it was sent. */
    requests,
    /** Members of the upstream's entry. */
    entry: {
      type: 'gemini',
      base_url: `http://127.0.0.1:${port}`,
      sync: false,
      models: [
        {
          id: 'google/gemini-door',
          upstream_id: 'gemini-door',
          pricing: { prompt: '0.000001', completion: '0.00001' },
          context_length: 100_000,
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

async function answer(request: IncomingMessage, response: ServerResponse, requests: Loose[]) {
  // Whether the key works is asked without a body.
  if (request.method === 'GET') {
    response.end('{}')
    return
  }
  let text = ''
  for await (const piece of request) text += String(piece)
  const body: Loose = JSON.parse(text)
  requests.push(body)
  const json = JSON.stringify(answerTo(body))
  const streamed = request.url!.includes('alt=sse')
  response.setHeader('content-type', streamed ? 'text/event-stream' : 'application/json')
  response.end(streamed ? `data: ${json}\n\n` : json)
}

function answerTo({ contents }: Loose): Loose {
  const answered = JSON.stringify(contents).includes('functionResponse')
  const call = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: SIGNATURE }
  const parts = answered ? [{ text: 'Sawa.' }] : [call]
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
  }
}
