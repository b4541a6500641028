import type { Exchange, Json } from './exchange.ts'
import { breakOff, pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'

/** A message as the model makes it, before it is sent whole or as a stream. */
export type MadeMessage = { id: string; model: string; content: Json[]; stop: Json; usage: Json }

/** The message as Anthropic's server-sent events. */
export async function streamMessage(exchange: Exchange, message: MadeMessage): Promise<void> {
  const { res, latency } = exchange
  if (!(await pause(exchange, latency.firstMs))) return
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  res.flushHeaders()
  const frames = eventsOf(message).map(frame)
  const fault = STREAM_FAULTS[splitFault(exchange.fault ?? '').name]
  if (fault !== undefined) return fault(exchange, frames)
  for (const one of frames) {
    if (!(await pause(exchange, latency.pieceMs))) return
    if (!(await write(exchange, one))) return
  }
  res.end()
}

function frame(event: Json): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`
}

function eventsOf({ id, model, content, stop, usage }: MadeMessage): Json[] {
  const begun = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null }
  const early = 'output_tokens' in usage ? { ...usage, output_tokens: 1 } : usage
  const { output_tokens } = usage
  return [
    { type: 'message_start', message: { ...begun, stop_sequence: null, usage: early } },
    { type: 'ping' },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: stop, usage: { output_tokens } },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: Json, index: number): Json[] {
  const deltas = deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta }))
  return [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltas,
    { type: 'content_block_stop', index },
  ]
}

function emptied(block: Json): Json {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return block.type === 'tool_use' ? { ...block, input: {} } : block
}

function deltasOf(block: Json): Json[] {
  if (block.type === 'text') {
    return words(String(block.text)).map((text) => ({ type: 'text_delta', text }))
  }
  if (block.type === 'thinking') {
    const pieces = words(String(block.thinking))
    const thoughts = pieces.map((thinking) => ({ type: 'thinking_delta', thinking }))
    return [...thoughts, { type: 'signature_delta', signature: block.signature }]
  }
  if (block.type !== 'tool_use') return []
  const json = JSON.stringify(block.input)
  const half = json.length >> 1
  return ['', json.slice(0, half), json.slice(half)].map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
}

async function sendFirstHalf(exchange: Exchange, frames: string[]): Promise<void> {
  for (const one of frames.slice(0, Math.max(2, frames.length >> 1))) {
    await write(exchange, one)
    await pause(exchange, exchange.latency.pieceMs)
  }
}

const STREAM_FAULTS: Record<string, (exchange: Exchange, frames: string[]) => Promise<void>> = {
  stall: sendFirstHalf,
  reset: async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    await pause(exchange, 20)
    breakOff(exchange)
  },
  cut: async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    exchange.res.end(frames.at(-2)!.slice(0, 40))
  },
  'no-done': async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    exchange.res.end()
  },
  'no-choices': async (exchange) => void exchange.res.end(frame({ type: 'ping' })),
  'stream-error': async (exchange, frames) => {
    await sendFirstHalf(exchange, frames)
    const error = { type: 'overloaded_error', message: 'SimProvider at https://provider.sim' }
    exchange.res.end(frame({ type: 'error', error }))
  },
}
