import type { CatalogModel } from '../../catalog/catalog-index.ts'
import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { ABSENT } from '../../upstream/contract/usage.ts'
import { completeChat, orderChat } from '../chat/chat.ts'
import { streamChat, type ChatOrder } from '../chat/stream.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { newMessageId, type AnswerNames } from './answer.ts'
import type { MessagesBody, ReadingModel } from './body.ts'
import { messageStreamForm, messageWhole } from './form.ts'
import { findModel } from './model-name.ts'
import { readRequest } from './request.ts'

/** Answers one Messages request, whole or as a stream, by any model that can chat. */
export async function messages(
  gateway: Gateway,
  call: GatewayCall,
  body: MessagesBody,
): Promise<Answer & { kept?: true }> {
  const { order, names } = orderMessages(gateway, call, body)
  return body.stream === true
    ? streamChat(gateway, call, order, messageStreamForm(names, estimateOf(order)))
    : completeChat(gateway, call, order, messageWhole(names))
}

/** How many tokens a request has, by the estimate that it would be held for. It costs nothing. */
export async function countTokens(
  gateway: Gateway,
  call: GatewayCall,
  body: Omit<MessagesBody, 'max_tokens'>,
): Promise<{ input_tokens: number }> {
  const { order } = orderMessages(gateway, call, { ...body, max_tokens: 1, stream: false })
  return { input_tokens: estimateOf(order) }
}

function orderMessages(
  gateway: Gateway,
  call: GatewayCall,
  body: MessagesBody,
): { order: ChatOrder; names: AnswerNames } {
  const model = findModel(gateway.catalog, body.model)
  const { chat, names: tools, places } = readRequest(body, readingModel(gateway, model))
  const names = { id: newMessageId(), model: body.model, catalogId: model.id, tools }
  try {
    return { order: orderChat(gateway, call, chat), names }
  } catch (error) {
    throw inTheirWords(error, places)
  }
}

function readingModel(gateway: Gateway, model: CatalogModel): ReadingModel {
  const types = new Map(gateway.upstreams.list.map(({ name, type }) => [name, type]))
  const caches = ({ upstream }: { upstream: string }) => {
    const type = types.get(upstream)
    return type === 'anthropic' || (type === 'openrouter' && KNOWS_MARKS.test(model.id))
  }
  return { ...model, caches: model.offers.every(caches) }
}

/** Others refuse marks of what to cache, or cache by themselves. */
const KNOWS_MARKS = /^(anthropic|google)\//

/** What is absent is estimated, and nothing was said yet. */
function estimateOf(order: ChatOrder): number {
  return order.usage(ABSENT, { outputBytes: 0 }).promptTokens ?? 0
}

/** What is wrong with a message of the chat is wrong with the one that it was made from. */
function inTheirWords(error: unknown, places: readonly string[]): unknown {
  if (!(error instanceof Failure) || error.param === undefined) return error
  const place = places[Number(/^messages\[(\d+)\]/.exec(error.param)?.[1])]
  if (place === undefined) return error
  const message = error.message.replace(error.param, place)
  return new Failure(error.kind, message, { param: place, code: error.code, cause: error })
}
