import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import { answerTokens, sayTokens, sendEvents, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders, isLongContext } from './spenders.ts'

/** What one turn of the model took. */
type Iteration = { type: string; input_tokens: number; output_tokens: number }

const COMPACTED_TOKENS = 13_000

/** `POST /messages`: all its iterations are on the bill, and the last alone at the top of `usage`. */
export function answerMessage(order: Order): void {
  const { body, model, meter, res } = order
  const input = countPrompt(body).text
  const output = answerTokens(order, body.max_tokens)
  const last = { type: 'message', input_tokens: input, output_tokens: output }
  const before: Iteration[] = [
    ...(isCompacted(body)
      ? [{ type: 'compaction', input_tokens: input, output_tokens: COMPACTED_TOKENS }]
      : []),
    ...(model.iterates ? [last, last] : []),
  ]
  const iterations = [...before, last]
  const life = cacheLife(order)
  const { prompt, cacheWrite = prompt, cacheWriteHour = cacheWrite } = model.prices
  const promptPrice = { none: prompt, short: cacheWrite, hour: cacheWriteHour }[life]!
  const times = isLongContext(order, input) ? 2 : 1
  for (const one of iterations) {
    meter.add(worth(one.input_tokens * times, promptPrice))
    meter.add(worth(one.output_tokens, model.prices.answer!))
  }
  const searches = billSpenders(order)
  const usage = {
    input_tokens: life === 'none' ? input : 0,
    output_tokens: output,
    cache_creation_input_tokens: life === 'none' ? 0 : input,
    cache_read_input_tokens: 0,
    cache_creation: {
      ephemeral_5m_input_tokens: life === 'short' ? input : 0,
      ephemeral_1h_input_tokens: life === 'hour' ? input : 0,
    },
    ...(iterations.length > 1 ? { iterations } : {}),
    ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
  }
  const text = sayTokens(output)
  if (body.stream === true) return streamMessage(order, text, usage)
  sendJson(res, { ...head(order), content: [{ type: 'text', text }], ...END, usage })
}

const END = { stop_reason: 'end_turn', stop_sequence: null }

function head({ body }: Order) {
  return { id: 'msg_mita', type: 'message', role: 'assistant', model: body.model }
}

function streamMessage(order: Order, text: string, usage: object): void {
  const { iterations: _later, ...begun } = usage as { iterations?: unknown }
  const message = { ...head(order), content: [], usage: { ...begun, output_tokens: 1 } }
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
  sendEvents(
    order.res,
    [
      { type: 'message_start', message },
      block,
      delta,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: END, usage },
      { type: 'message_stop' },
    ],
    true,
  )
  order.res.end()
}

/** A prompt with a mark is written to the cache as a whole. */
function cacheLife({ raw }: Order): 'none' | 'short' | 'hour' {
  if (!raw.includes('"cache_control"')) return 'none'
  return raw.includes('"ttl":"1h"') ? 'hour' : 'short'
}

/** By an edit of the context, or by the field that came after it. */
function isCompacted(body: Record<string, unknown>): boolean {
  const { edits } = (body.context_management ?? {}) as { edits?: { type?: unknown }[] }
  const edited =
    Array.isArray(edits) && edits.some(({ type }) => String(type).startsWith('compact'))
  return edited || body.compaction !== undefined
}
