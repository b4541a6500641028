import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import { answerTokens, sayTokens, sendEvents, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders } from './spenders.ts'

/** `POST /responses`. */
export function answerResponse(order: Order): void {
  const { body, model, meter, res } = order
  const { text, audio } = countPrompt(body)
  const input = text + audio
  const output = answerTokens(order, body.max_output_tokens)
  meter.add(worth(input, model.prices.prompt!) + worth(output, model.prices.answer!))
  billSpenders(order)
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
  const said = { type: 'output_text', text: sayTokens(output), annotations: [] }
  const item = { id: 'msg_mita', type: 'message', role: 'assistant', status: 'completed' }
  const whole = { ...item, content: [said] }
  const about = { id: 'resp_mita', object: 'response', created_at: 1, model: body.model }
  const ended = { ...about, status: 'completed', output: [whole], usage }
  if (body.stream !== true) return sendJson(res, ended)
  const began = { ...about, status: 'in_progress', output: [] }
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  const part = { ...said, text: '' }
  sendEvents(
    res,
    [
      { type: 'response.created', response: began },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...place, part },
      { type: 'response.output_text.delta', ...place, delta: said.text },
      { type: 'response.output_text.done', ...place, text: said.text },
      { type: 'response.content_part.done', ...place, part: said },
      { type: 'response.output_item.done', output_index: 0, item: whole },
      { type: 'response.completed', response: ended },
    ],
    true,
  )
  res.end()
}
