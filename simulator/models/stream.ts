import type { Saying } from './chat.ts'
import type { Exchange, Json } from './exchange.ts'
import { breakOff, pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import { callOf, imagePart } from './pieces.ts'

/** The answer as server-sent events, with the small delays of a real one. */
export async function streamChat(exchange: Exchange, saying: Saying): Promise<void> {
  const { res, fault, latency } = exchange
  if (!(await pause(exchange, latency.firstMs))) return
  res.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-generation-id': saying.id,
  })
  res.flushHeaders()
  await write(exchange, ': OPENROUTER PROCESSING\n\n')
  const frames = framesOf(exchange, saying)
  const { name } = splitFault(fault ?? '')
  const misstep = MISSTEPS[name]
  if (misstep !== undefined) return misstep(exchange, frames)
  for (const frame of frames) {
    if (!(await pause(exchange, latency.pieceMs))) return
    if (!(await write(exchange, frame))) return
  }
  res.end('data: [DONE]\n\n')
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

function framesOf(exchange: Exchange, saying: Saying): string[] {
  const early = exchange.fault === 'usage-with-choices'
  const usage = saying.usage === undefined ? {} : { usage: saying.usage }
  const frames = deltas(saying).map((delta) => data(chunk(saying, choice(delta, null))))
  frames.push(
    data({ ...chunk(saying, choice({ content: '' }, saying.finish)), ...(early ? usage : {}) }),
  )
  if (!early && saying.usage !== undefined) {
    frames.push(data({ ...chunk(saying, undefined), usage: saying.usage }))
  }
  return frames
}

function deltas(saying: Saying): Json[] {
  const pieces: Json[] = [{ role: 'assistant', content: '' }]
  if (saying.reasoning !== undefined) pieces.push({ reasoning: saying.reasoning })
  for (const [index, call] of saying.toolCalls.entries()) {
    const whole = callOf(call, index)
    const half = call.arguments.length >> 1
    const rest = { index, function: { arguments: call.arguments.slice(half) } }
    const first = { name: call.name, arguments: call.arguments.slice(0, half) }
    pieces.push({ tool_calls: [{ ...whole, function: first }] }, { tool_calls: [rest] })
  }
  for (const word of saying.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) pieces.push({ content: word })
  if (saying.images.length > 0) pieces.push({ images: saying.images.map(imagePart) })
  return pieces
}

function chunk(saying: Saying, choice: Json | undefined): Json {
  return {
    id: saying.id,
    object: 'chat.completion.chunk',
    created: saying.created,
    model: saying.model,
    provider: 'SimProvider',
    choices: choice === undefined ? [] : [choice],
  }
}

const choice = (delta: Json, finish: string | null): Json => ({
  index: 0,
  delta,
  finish_reason: finish,
  native_finish_reason: finish,
  logprobs: null,
})

type Misstep = (exchange: Exchange, frames: string[]) => Promise<void>

/** Sends the first half of the frames. */
async function begin(exchange: Exchange, frames: string[]): Promise<void> {
  for (const frame of frames.slice(0, Math.max(2, frames.length >> 1))) {
    await write(exchange, frame)
    await pause(exchange, exchange.latency.pieceMs)
  }
}

const MISSTEPS: Record<string, Misstep> = {
  reset: async (exchange, frames) => {
    await begin(exchange, frames)
    await pause(exchange, 20)
    breakOff(exchange)
  },
  stall: begin,
  cut: async (exchange, frames) => {
    await begin(exchange, frames)
    exchange.res.end(frames.at(-1)!.slice(0, 40))
  },
  'no-done': async (exchange, frames) => {
    await begin(exchange, frames)
    exchange.res.end()
  },
  'no-choices': async (exchange) => {
    exchange.res.end(`${data({ object: 'chat.completion.chunk' })}data: [DONE]\n\n`)
  },
  'short-length': async (exchange, frames) => {
    await begin(exchange, frames)
    exchange.entry.outcome = 'broken'
    exchange.res.socket?.end()
  },
  'finish-error': async (exchange, frames) => {
    await begin(exchange, frames)
    exchange.res.end(`${data({ choices: [choice({ content: '' }, 'error')] })}data: [DONE]\n\n`)
  },
  'stream-error': async (exchange, frames) => {
    await begin(exchange, frames)
    const code = splitFault(exchange.fault!).amount ?? 502
    const error = { code, message: 'SimProvider at https://provider.sim disconnected' }
    exchange.res.end(data({ error, choices: [choice({ content: '' }, 'error')] }))
  },
  endless: async (exchange) => {
    const every = splitFault(exchange.fault!).amount ?? 10_000
    do
      await write(
        exchange,
        data({ id: 'gen-endless', choices: [choice({ content: 'neno ' }, null)] }),
      )
    while (await pause(exchange, every))
  },
  comments: async (exchange) => {
    const every = splitFault(exchange.fault!).amount ?? 100
    do await write(exchange, ': OPENROUTER PROCESSING\n\n')
    while (await pause(exchange, every))
  },
  fast: async (exchange, frames) => {
    const megabytes = splitFault(exchange.fault!).amount ?? 64
    const piece = data({
      id: 'gen-fast',
      choices: [choice({ content: 'maji '.repeat(3_200) }, null)],
    })
    let stays = true
    for (let sent = 0; sent < megabytes << 20 && stays; sent += piece.length) {
      stays = await write(exchange, piece)
    }
    exchange.res.end(`${frames.slice(-2).join('')}data: [DONE]\n\n`)
  },
}
