import type { Exchange, Json } from './exchange.ts'
import { pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import { sendFirstHalf, streamFaults, type StreamFault } from './stream-faults.ts'

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
  const untold = Object.fromEntries(
    [...Object.keys(stop), 'diagnostics'].map((name) => [name, null]),
  )
  const begun = { id, type: 'message', role: 'assistant', model, content: [], ...untold }
  const early = 'output_tokens' in usage ? { ...usage, output_tokens: 1 } : usage
  const { output_tokens } = usage
  const counts = { output_tokens, output_tokens_details: null, server_tool_use: null }
  return [
    { type: 'message_start', message: { ...begun, usage: early } },
    { type: 'ping' },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: stop, usage: counts },
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

const PIECE = 'event: content_block_delta\n'

const STREAM_FAULTS: Record<string, StreamFault> = {
  ...streamFaults({
    piece: (text) =>
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    head: (frames) => frames.slice(0, frames.findIndex(isPiece)),
    tail: (frames) => frames.slice(frames.findLastIndex(isPiece) + 1),
  }),
  'no-choices': async (exchange) => void exchange.res.end(frame({ type: 'ping' })),
  'finish-error': failHalfWay,
  'stream-error': failHalfWay,
}

function isPiece(text: string): boolean {
  return text.startsWith(PIECE)
}

async function failHalfWay(exchange: Exchange, frames: string[]): Promise<void> {
  await sendFirstHalf(exchange, frames)
  const limited = splitFault(exchange.fault!).amount === 429
  const type = limited ? 'rate_limit_error' : 'api_error'
  const error = { type, message: 'SimProvider at https://provider.sim disconnected' }
  exchange.res.end(frame({ type: 'error', error }))
}
