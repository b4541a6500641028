import type { Exchange, Json } from './exchange.ts'
import { pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import type { ChatAnswer, ToolCall } from './chat-answer.ts'
import { generationHeader } from './send.ts'
import { imagePart, reasoningPart, toolCallPart } from './chat-answer.ts'
import { sendFirstHalf, streamFaults, type StreamFault } from './stream-faults.ts'

/** The answer as server-sent events, with the small delays of a real one. */
export async function streamChat(exchange: Exchange, answer: ChatAnswer): Promise<void> {
  const { res, fault, latency } = exchange
  if (!(await pause(exchange, latency.firstMs))) return
  res.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...generationHeader(answer.id).headers,
  })
  res.flushHeaders()
  await write(exchange, ': OPENROUTER PROCESSING\n\n')
  const frames = framesOf(exchange, answer)
  const { name } = splitFault(fault ?? '')
  const streamFault = STREAM_FAULTS[name]
  if (streamFault !== undefined) return streamFault(exchange, frames)
  for (const frame of frames) {
    if (!(await pause(exchange, latency.pieceMs))) return
    if (!(await write(exchange, frame))) return
  }
  res.end(DONE)
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

function framesOf(exchange: Exchange, answer: ChatAnswer): string[] {
  const early = exchange.fault === 'usage-with-choices'
  const usage = answer.usage === undefined ? {} : { usage: answer.usage }
  const frames = deltas(answer).map((delta) => data(chunk(answer, choice(delta, null))))
  frames.push(
    data({ ...chunk(answer, choice({ content: '' }, answer.finish)), ...(early ? usage : {}) }),
  )
  if (!early && answer.usage !== undefined) {
    frames.push(data({ ...chunk(answer, undefined), usage: answer.usage }))
  }
  return frames
}

function deltas(answer: ChatAnswer): Json[] {
  const pieces: Json[] = [{ role: 'assistant', content: '' }]
  if (answer.reasoning !== undefined) pieces.push(...reasoningDeltas(answer.reasoning))
  pieces.push(...callDeltas(answer.toolCalls))
  for (const word of answer.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) pieces.push({ content: word })
  if (answer.images.length > 0) pieces.push({ images: answer.images.map(imagePart) })
  return pieces
}

/** The text first, then what signs it. */
function reasoningDeltas(reasoning: string): Json[] {
  const { signature, ...text } = reasoningPart(reasoning)
  const { text: _text, ...rest } = text
  return [{ reasoning, reasoning_details: [text] }, { reasoning_details: [{ ...rest, signature }] }]
}

/** Each call in two pieces; those of several calls are mixed. */
function callDeltas(calls: ToolCall[]): Json[] {
  const halves = calls.map((call, index) => {
    const half = call.arguments.length >> 1
    const rest = { index, function: { arguments: call.arguments.slice(half) } }
    const first = { name: call.name, arguments: call.arguments.slice(0, half) }
    return [{ ...toolCallPart(call, index), function: first }, rest]
  })
  return [0, 1].flatMap((at) => halves.map((pieces) => ({ tool_calls: [pieces[at]] })))
}

function chunk(answer: ChatAnswer, choice: Json | undefined): Json {
  return {
    id: answer.id,
    object: 'chat.completion.chunk',
    created: answer.created,
    model: answer.model,
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

const DONE = 'data: [DONE]\n\n'

const STREAM_FAULTS: Record<string, StreamFault> = {
  ...streamFaults({
    piece: (text) => data({ id: 'gen-piece', choices: [choice({ content: text }, null)] }),
    head: () => [],
    tail: (frames) => [...frames.slice(-2), DONE],
  }),
  'no-choices': async (exchange) => {
    exchange.res.end(`${data({ object: 'chat.completion.chunk' })}${DONE}`)
  },
  'finish-error': async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    exchange.res.end(`${data({ choices: [choice({ content: '' }, 'error')] })}${DONE}`)
  },
  'stream-error': async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    const code = splitFault(exchange.fault!).amount ?? 502
    const error = { code, message: 'SimProvider at https://provider.sim disconnected' }
    exchange.res.end(data({ error, choices: [choice({ content: '' }, 'error')] }))
  },
}
