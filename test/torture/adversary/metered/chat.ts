import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import {
  answerTokens,
  beginEvents,
  sayPaced,
  sayTokens,
  sendEvents,
  upTo,
  wishes,
  type Order,
} from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders } from './spenders.ts'

/** Of a small PNG. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const PICTURE_TOKENS = 1_290
const ARGUMENT_TOKENS = 2_000

/** The essays that were asked for instead of pictures: only the first of each call comes with one. */
const drawn = new Set<string>()

/** `POST /chat/completions`, with pictures and sound, and with the cost where the type reports it. */
export async function answerChat(order: Order): Promise<void> {
  const { body, model, meter, res } = order
  const { prices } = model
  const { text: promptText, audio } = countPrompt(body)
  const calls = wishes(order, 'wrongArguments')
  const limit = body.max_completion_tokens ?? body.max_tokens
  const wanted = calls ? upTo(limit, ARGUMENT_TOKENS) : answerTokens(order, limit)
  const pictures = draws(order) ? PICTURE_TOKENS : 0
  const micro =
    worth(promptText, prices.prompt!) +
    worth(audio, prices.audio ?? prices.prompt!) +
    worth(pictures, prices.picture ?? prices.answer!)
  meter.add(micro)
  billSpenders(order)
  const usageOf = (said: number) => {
    const [prompt, completion] = [promptText + audio, said + pictures]
    const cost = Number(micro + worth(said, prices.answer!)) / 3e9
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { audio_tokens: audio },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: pictures },
      ...(prices.picture === undefined ? {} : { cost }),
    }
  }
  const drawing = pictures > 0 ? { images: [picture()] } : {}
  const finish_reason = calls ? 'tool_calls' : 'stop'
  const about = { id: 'chatcmpl-mita', created: 1, model: body.model }
  if (body.stream !== true) {
    meter.add(worth(wanted, prices.answer!))
    const said = calls ? wrongCall(`["${sayTokens(wanted)}"]`) : { content: sayTokens(wanted) }
    const message = { role: 'assistant', ...said, ...drawing }
    const choices = [{ index: 0, message, finish_reason }]
    const usage = usageOf(wanted)
    return sendJson(res, { ...about, object: 'chat.completion', choices, usage })
  }
  beginEvents(res)
  const object = 'chat.completion.chunk'
  const chunk = (delta: object, reason: string | null = null) => ({
    ...about,
    object,
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  if (calls) sendEvents(res, [chunk(wrongCall('["'))])
  const piece = (text: string) => (calls ? wrongCall(text, {}) : { content: text })
  const said = await sayPaced(order, wanted, (text) => chunk(piece(text)))
  if (said === undefined) return
  if (calls) sendEvents(res, [chunk(wrongCall('"]', {}))])
  const usage = usageOf(said)
  sendEvents(res, [
    chunk(drawing),
    chunk({}, finish_reason),
    { ...about, object, choices: [], usage },
  ])
  res.end('data: [DONE]\n\n')
}

const BEGUN = { id: 'call_mita', type: 'function', name: 'lipa' }

/** Its arguments are a list. */
function wrongCall(text: string, { name, ...begun }: Partial<typeof BEGUN> = BEGUN) {
  return { tool_calls: [{ index: 0, ...begun, function: { name, arguments: text } }] }
}

function picture() {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
}

function draws(order: Order): boolean {
  if (order.model.prices.picture === undefined || wishes(order, 'noPicture')) return false
  if (!wishes(order, 'essay')) return true
  const mark = /picha-\d+-\d+/.exec(order.raw.toString('latin1'))?.[0] ?? ''
  if (drawn.has(mark)) return false
  drawn.add(mark)
  return true
}
