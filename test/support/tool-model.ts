import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loose } from './loose.ts'

/** What its thoughts must come back with. */
export const DETAILS = [
  {
    type: 'reasoning.text',
    text: 'I need both.',
    signature: 'c2ln',
    format: 'anthropic-claude-v1',
    index: 0,
  },
]
const USAGE = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 }
const REASONING = { reasoning: 'I need both.', reasoning_details: DETAILS }

/**
 * A model in OpenAI's format that thinks and calls the first two tools it is offered, their
 * arguments mixed on the wire; then it says what it was told.
 */
export async function toolModel() {
  const requests: Loose[] = []
  const server = createServer((request, response) => void answer(request, response, requests))
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
  let text = ''
  for await (const piece of request) text += String(piece)
  const body: Loose = JSON.parse(text || '{"messages":[]}')
  requests.push(body)
  const deltas = deltasFor(body)
  const finish_reason = deltas.some((delta) => delta.tool_calls) ? 'tool_calls' : 'stop'
  if (body.stream === true) stream(response, deltas, finish_reason)
  else {
    response.setHeader('content-type', 'application/json')
    const choices = [{ index: 0, message: wholeOf(deltas), finish_reason }]
    response.end(JSON.stringify({ id: 'gen-1', choices, usage: USAGE }))
  }
}

function deltasFor({ messages, tools = [] }: Loose): Loose[] {
  const results = messages.filter(({ role }: Loose) => role === 'tool')
  if (results.length > 0 || tools.length === 0) {
    const told = results.map(({ content }: Loose) => content).join(' and ')
    return [{ ...REASONING }, { content: 'It is ' }, { content: told || 'well.' }]
  }
  const calls: Loose[] = tools.slice(0, 2).map((tool: Loose, index: number) => ({
    index,
    // Some servers give every call the same id.
    id: 'functions:0',
    function: { name: tool.function.name, arguments: argumentsFor(tool.function) },
  }))
  const half = ({ index, function: { arguments: all } }: Loose, from: number, to?: number) => ({
    tool_calls: [{ index, function: { arguments: all.slice(from, to) } }],
  })
  return [
    { role: 'assistant', ...REASONING },
    { content: 'Let me look.' },
    ...calls.map(({ index, id, function: { name } }) => ({
      tool_calls: [{ index, id: `${id}${index}`, function: { name, arguments: '' } }],
    })),
    ...calls.map((call) => half(call, 0, 4)),
    ...calls.map((call) => half(call, 4)),
  ]
}

function argumentsFor({ parameters }: Loose): string {
  const names = Object.keys(parameters?.properties ?? {})
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, 'Mwanza'])))
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

function stream(response: ServerResponse, deltas: Loose[], finish: string): void {
  response.setHeader('content-type', 'text/event-stream')
  const send = (event: object) => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  for (const delta of deltas) {
    send({ id: 'gen-1', choices: [{ index: 0, delta, finish_reason: null }] })
  }
  send({ id: 'gen-1', choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  send({ id: 'gen-1', choices: [], usage: USAGE })
  response.end('data: [DONE]\n\n')
}
