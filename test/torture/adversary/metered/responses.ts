import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import { answerTokens, beginEvents, sayPaced, sayTokens, sendEvents, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders } from './spenders.ts'

/** `POST /responses`. */
export async function answerResponse(order: Order): Promise<void> {
  const { body, model, meter, res } = order
  const { text, audio } = countPrompt(body)
  const input = text + audio
  const wanted = answerTokens(order, body.max_output_tokens)
  meter.add(worth(input, model.prices.prompt!))
  billSpenders(order)
  const about = { id: 'resp_mita', object: 'response', created_at: 1, model: body.model }
  if (body.stream !== true) {
    meter.add(worth(wanted, model.prices.answer!))
    return sendJson(res, { ...about, ...endOf(input, wanted) })
  }
  beginEvents(res)
  const began = { ...about, status: 'in_progress', output: [] }
  sendEvents(
    res,
    [
      { type: 'response.created', response: began },
      { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, content: [] } },
      { type: 'response.content_part.added', ...PLACE, part: partOf('') },
    ],
    true,
  )
  const delta = (text: string) => ({ type: 'response.output_text.delta', ...PLACE, delta: text })
  const said = await sayPaced(order, wanted, delta, true)
  if (said === undefined) return
  const ended = endOf(input, said)
  const [item] = ended.output
  const [part] = item!.content
  sendEvents(
    res,
    [
      { type: 'response.output_text.done', ...PLACE, text: part!.text },
      { type: 'response.content_part.done', ...PLACE, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...about, ...ended } },
    ],
    true,
  )
  res.end()
}

const ITEM = { id: 'msg_mita', type: 'message', role: 'assistant', status: 'completed' }
const PLACE = { item_id: ITEM.id, output_index: 0, content_index: 0 }

function partOf(text: string) {
  return { type: 'output_text', text, annotations: [] }
}

function endOf(input: number, output: number) {
  return {
    status: 'completed',
    output: [{ ...ITEM, content: [partOf(sayTokens(output))] }],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
}
