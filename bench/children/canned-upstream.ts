import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An upstream that knows its answers by heart, so that a benchmark measures what stands before it.
 * It speaks OpenRouter's format. A prompt with the word `paced` gets its events one at a time.
 */
const [EVENTS, PACE_MS, POURED] = process.argv.slice(2).map(Number) as [number, number, number]

const usage = {
  prompt_tokens: 42,
  completion_tokens: EVENTS,
  total_tokens: 42 + EVENTS,
  cost: 0.0000213,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  cost_details: { upstream_inference_cost: null },
  completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
}
const names = { id: 'gen-1741273890-bench', provider: 'Bench', model: 'bench/chat' }
const whole = Buffer.from(
  JSON.stringify({
    ...names,
    object: 'chat.completion',
    created: 1741273890,
    system_fingerprint: null,
    choices: [
      {
        logprobs: null,
        finish_reason: 'stop',
        native_finish_reason: 'stop',
        index: 0,
        message: {
          role: 'assistant',
          content: 'Habari! Naweza kukusaidia na nini leo? '.repeat(8),
          refusal: null,
          reasoning: null,
        },
      },
    ],
    usage,
  }),
)
const events = Array.from({ length: EVENTS }, (_, n) => event(`${n} `, null))
const ending = Buffer.concat([
  event('', 'stop'),
  frame({ ...chunkOf([]), usage }),
  Buffer.from('data: [DONE]\n\n'),
])
function event(content: string, finish: string | null): Buffer {
  const delta = { role: 'assistant', content }
  const choice = { index: 0, delta, finish_reason: finish, native_finish_reason: finish }
  return frame(chunkOf([{ ...choice, logprobs: null }]))
}

function chunkOf(choices: unknown[]) {
  return { ...names, object: 'chat.completion.chunk', created: 1741273890, choices }
}

function frame(value: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  let asked = ''
  request.setEncoding('latin1').on('data', (text: string) => (asked += text))
  request.on('end', () => {
    if (!/"stream": ?true/.test(asked)) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': whole.length,
      })
      response.end(whole)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    if (asked.includes('paced')) pace(response)
    else pour(response, 0)
  })
}

/** One event at a time and as fast as it goes: a model writes each piece as soon as it has it. */
function pour(response: ServerResponse, n: number): void {
  if (n === POURED) return void response.end(ending)
  response.write(events[n])
  setImmediate(pour, response, n + 1)
}

function pace(response: ServerResponse): void {
  let n = 0
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer)
    else if (n < events.length) response.write(events[n++])
    else {
      clearInterval(timer)
      response.end(ending)
    }
  }, PACE_MS)
}

const server = createServer({ keepAliveTimeout: 120_000, noDelay: true }, answer)
server.listen(0, '127.0.0.1', 2048, () => console.log((server.address() as AddressInfo).port))
