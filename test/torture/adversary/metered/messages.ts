import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import { answerTokens, beginEvents, sayPaced, sayTokens, sendEvents, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders, isLongContext } from './spenders.ts'

/** What one turn of the model took. */
type Iteration = { type: string; input_tokens: number; output_tokens: number }

const COMPACTED_TOKENS = 13_000

/** `POST /messages`: all its iterations are on the bill, and the last alone at the top of `usage`. */
export async function answerMessage(order: Order): Promise<void> {
  const { body, model, meter, res } = order
  const input = countPrompt(body).text
  const wanted = answerTokens(order, body.max_tokens)
  const life = cacheLife(order)
  const { prompt, cacheWrite = prompt, cacheWriteHour = cacheWrite } = model.prices
  const promptPrice = { none: prompt, short: cacheWrite, hour: cacheWriteHour }[life]!
  const times = isLongContext(order, input) ? 2 : 1
  const before = earlierIterations(order, input)
  meter.add(worth(input * times, promptPrice))
  for (const one of before) {
    meter.add(worth(one.input_tokens * times, promptPrice))
    meter.add(worth(one.output_tokens, model.prices.answer!))
  }
  const searches = billSpenders(order)
  const usageOf = (output: number) => ({
    input_tokens: life === 'none' ? input : 0,
    output_tokens: output,
    cache_creation_input_tokens: life === 'none' ? 0 : input,
    cache_read_input_tokens: 0,
    cache_creation: {
      ephemeral_5m_input_tokens: life === 'short' ? input : 0,
      ephemeral_1h_input_tokens: life === 'hour' ? input : 0,
    },
    ...(before.length > 0 ? { iterations: [...before, turn(input, output)] } : {}),
    ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
  })
  if (body.stream === true) return streamMessage(order, wanted, usageOf)
  meter.add(worth(wanted, model.prices.answer!))
  const content = [{ type: 'text', text: sayTokens(wanted) }]
  sendJson(res, { ...head(order), content, ...END, usage: usageOf(wanted) })
}

function turn(input: number, output: number): Iteration {
  return { type: 'message', input_tokens: input, output_tokens: output }
}

function earlierIterations(order: Order, input: number): Iteration[] {
  const compacted = { ...turn(input, COMPACTED_TOKENS), type: 'compaction' }
  const turns = order.model.iterates ? [turn(input, 20), turn(input, 20)] : []
  return isCompacted(order.body) ? [compacted, ...turns] : turns
}

const END = { stop_reason: 'end_turn', stop_sequence: null }

function head({ body }: Order) {
  return { id: 'msg_mita', type: 'message', role: 'assistant', model: body.model }
}

async function streamMessage(
  order: Order,
  wanted: number,
  usageOf: (output: number) => object,
): Promise<void> {
  const { res } = order
  const { iterations: _later, ...begun } = usageOf(1) as { iterations?: unknown }
  const message = { ...head(order), content: [], usage: begun }
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  beginEvents(res)
  sendEvents(res, [{ type: 'message_start', message }, block], true)
  const deltaOf = (text: string) => {
    return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
  }
  const said = await sayPaced(order, wanted, deltaOf, true)
  if (said === undefined) return
  sendEvents(
    res,
    [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: END, usage: usageOf(said) },
      { type: 'message_stop' },
    ],
    true,
  )
  res.end()
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
