import type { Exchange, Json } from './exchange.ts'
import { pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import { sendFirstHalf, streamFaults, type StreamFault } from './stream-faults.ts'

/** A response as the model makes it, before it is sent whole or as a stream. */
export type MadeResponse = Json & {
  id: string
  created_at: number
  model: string
  status: string
  incomplete_details: Json | null
  output: Json[]
  usage: Json | undefined
  user: unknown
  error: Json | null
}

/** The response as OpenAI's server-sent events, with the end that OpenRouter puts behind them. */
export async function streamResponse(exchange: Exchange, made: MadeResponse): Promise<void> {
  const { res, latency } = exchange
  if (!(await pause(exchange, latency.firstMs))) return
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  res.flushHeaders()
  const frames = eventsOf(made).map(frame)
  const fault = STREAM_FAULTS[splitFault(exchange.fault ?? '').name]
  if (fault !== undefined) return fault(exchange, frames)
  for (const one of frames) {
    if (!(await pause(exchange, latency.pieceMs))) return
    if (!(await write(exchange, one))) return
  }
  res.end('data: [DONE]\n\n')
}

function frame(event: Json, number: number): string {
  const numbered = { type: event.type, sequence_number: number, ...event }
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(numbered)}\n\n`
}

function eventsOf(made: MadeResponse): Json[] {
  const begun = {
    ...made,
    status: 'in_progress',
    completed_at: null,
    incomplete_details: null,
    output: [],
    usage: null,
  }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...made.output.flatMap(itemEvents),
    { type: `response.${made.status}`, response: made },
  ]
}

function itemEvents(item: Json, output_index: number): Json[] {
  return [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...contentEvents(item, { item_id: item.id, output_index }),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function emptied(item: Json): Json {
  const status = item.status === undefined ? {} : { status: 'in_progress' }
  if (item.type === 'message') return { ...item, ...status, content: [] }
  if (item.type === 'reasoning') return { ...item, summary: [] }
  return { ...item, ...status, [item.type === 'custom_tool_call' ? 'input' : 'arguments']: '' }
}

function contentEvents(item: Json, place: Json): Json[] {
  if (item.type === 'message') {
    const [part] = item.content as [Json]
    const at = { ...place, content_index: 0 }
    const { text } = part as { text: string }
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...deltas('response.output_text.delta', text, { ...at, logprobs: [] }),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ]
  }
  if (item.type === 'function_call') {
    const { name, arguments: text } = item as { name: string; arguments: string }
    return [
      ...deltas('response.function_call_arguments.delta', text, place),
      { type: 'response.function_call_arguments.done', ...place, name, arguments: text },
    ]
  }
  if (item.type === 'custom_tool_call') {
    const { input } = item as { input: string }
    return [
      ...deltas('response.custom_tool_call_input.delta', input, place),
      { type: 'response.custom_tool_call_input.done', ...place, input },
    ]
  }
  const [part] = item.summary as [{ type: string; text: string }]
  const at = { ...place, summary_index: 0 }
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    ...deltas('response.reasoning_summary_text.delta', part.text, at),
    { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ]
}

function deltas(type: string, text: string, place: Json): Json[] {
  return (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []).map((delta) => ({ type, ...place, delta }))
}

const STREAM_FAULTS: Record<string, StreamFault> = {
  ...streamFaults({
    piece: (text) => frame({ type: PIECE, ...FIRST_PLACE, delta: text }, 0),
    head: (frames) => frames.slice(0, frames.findIndex(isPiece)),
    tail: (frames) => frames.slice(frames.findLastIndex(isPiece) + 1),
  }),
  'no-choices': async (exchange) => {
    exchange.res.end(frame({ type: 'response.created', response: {} }, 0))
  },
  'finish-error': failHalfWay,
  'stream-error': failHalfWay,
}

const PIECE = 'response.output_text.delta'
const FIRST_PLACE = { item_id: 'msg_first', output_index: 0, content_index: 0 }

function isPiece(text: string): boolean {
  return text.startsWith(`event: ${PIECE}\n`)
}

async function failHalfWay(exchange: Exchange, frames: string[]): Promise<void> {
  await sendFirstHalf(exchange, frames)
  const limited = splitFault(exchange.fault!).amount === 429
  const code = limited ? 'rate_limit_exceeded' : 'server_error'
  const error = { code, message: 'SimProvider at https://provider.sim disconnected' }
  exchange.res.end(frame({ type: 'response.failed', response: { status: 'failed', error } }, 99))
}
