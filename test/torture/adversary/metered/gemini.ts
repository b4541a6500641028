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

const THOUGHT_TOKENS = 8_000

/** `:generateContent` and `:streamGenerateContent`. */
export async function generate(order: Order): Promise<void> {
  const { body, model, meter, res, verb } = order
  const prompt = countPrompt(body).text
  const isEmpty = wishes(order, 'emptyCall')
  const { maxOutputTokens } = (body.generationConfig ?? {}) as { maxOutputTokens?: number }
  const wanted = isEmpty ? 0 : answerTokens(order, maxOutputTokens)
  const thoughts = isEmpty ? upTo(maxOutputTokens, THOUGHT_TOKENS) : 0
  meter.add(worth(prompt, model.prices.prompt!) + worth(thoughts, model.prices.answer!))
  billSpenders(order)
  const finishReason = isEmpty ? 'MALFORMED_FUNCTION_CALL' : 'STOP'
  const counted = (said: number) => ({
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: said,
      thoughtsTokenCount: thoughts,
      totalTokenCount: prompt + said + thoughts,
    },
  })
  if (!verb.startsWith('stream')) {
    meter.add(worth(wanted, model.prices.answer!))
    return sendJson(res, { ...answerOf(sayTokens(wanted), finishReason), ...counted(wanted) })
  }
  beginEvents(res)
  const said = await sayPaced(order, wanted, (text) => answerOf(text))
  if (said === undefined) return
  sendEvents(res, [{ ...answerOf('', finishReason), ...counted(said) }])
  res.end()
}

function answerOf(text: string, finishReason?: string): object {
  const content = text === '' ? {} : { role: 'model', parts: [{ text }] }
  return { candidates: [{ index: 0, content, finishReason }], responseId: 'mita' }
}

/** `:batchEmbedContents`. */
export function embedBatch({ body, model, meter, res }: Order): void {
  const requests = body.requests as { content: unknown }[]
  const tokens = countPrompt({ contents: requests.map(({ content }) => content) }).text
  meter.add(worth(tokens, model.prices.prompt!))
  sendJson(res, {
    embeddings: requests.map(() => ({ values: [0.1, 0.2] })),
    usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
  })
}
