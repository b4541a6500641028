import { sendJson } from '../greedy-answer.ts'
import { worth } from '../models.ts'
import { answerTokens, sayTokens, sendEvents, wishes, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { billSpenders } from './spenders.ts'

const THOUGHT_TOKENS = 8_000

/** `:generateContent` and `:streamGenerateContent`. */
export function generate(order: Order): void {
  const { body, model, meter, res, verb } = order
  const prompt = countPrompt(body).text
  const isEmpty = wishes(order, 'emptyCall')
  const { maxOutputTokens } = (body.generationConfig ?? {}) as { maxOutputTokens?: number }
  const said = isEmpty ? 0 : answerTokens(order, maxOutputTokens)
  const thoughts = isEmpty ? THOUGHT_TOKENS : 0
  meter.add(worth(prompt, model.prices.prompt!) + worth(said + thoughts, model.prices.answer!))
  billSpenders(order)
  const candidate = isEmpty
    ? { index: 0, content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }
    : {
        index: 0,
        content: { role: 'model', parts: [{ text: sayTokens(said) }] },
        finishReason: 'STOP',
      }
  const answer = {
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: said,
      thoughtsTokenCount: thoughts,
      totalTokenCount: prompt + said + thoughts,
    },
    modelVersion: model.id,
    responseId: 'mita',
  }
  if (!verb.startsWith('stream')) return sendJson(res, answer)
  sendEvents(res, [answer])
  res.end()
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
