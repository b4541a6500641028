import type { PricedModel } from '../../catalog/catalog.ts'
import type { Db } from '../../db/db.ts'
import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import type { NativeRequest } from '../../upstream/contract/contract.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { completeChat, orderChat } from '../chat/chat.ts'
import type { ChatOrder } from '../chat/order.ts'
import { SSE_HEADERS, streamChat } from '../chat/stream.ts'
import type { ChatParts, GatewayCall } from '../gateway.ts'
import type { ResponsesBody } from './request/body.ts'
import { chatBodyOf, refuseUnsupported, type AskedChat } from './request/chat-body.ts'
import type { ResponseStyle } from './answer/events.ts'
import { historyOf, withReferences } from './stored/history.ts'
import { inputItems, isReference, type SentItem } from './request/item-kinds.ts'
import { nativeResponsesRequest } from './request/native.ts'
import { storageFor, NO_STORAGE, type ResponseStorage } from './stored/storage.ts'
import { failedStream, responseStreamForm, responseWholeForm } from './form.ts'
import { retryShortRateLimits } from './rate-limits.ts'

/** What responses are made with. */
export type Responses = {
  gateway: ChatParts
  db: Db
  /** How long responses are stored for later requests; 0: not at all. */
  storedDays: number
}

/** Answers one request of the Responses dialect, whole or as a stream. */
export async function createResponse(
  responses: Responses,
  call: GatewayCall,
  body: ResponsesBody,
): Promise<Answer & { stored?: true }> {
  const { gateway, db } = responses
  const { accountId } = call.principal
  refuseUnsupported(body)
  const model = gateway.catalog.requireModel(body.model)
  const previousId = body.previous_response_id ?? undefined
  const sent = inputItems(body.input ?? (previousId === undefined ? undefined : []))
  const own = sent.some(isReference) ? await withReferences(db, accountId, sent) : sent
  const before = previousId === undefined ? [] : await historyOf(db, accountId, previousId)
  const items = [...before, ...own]
  const asked = readAsked(responses, call, body, { model, previousId, own, items })
  const answer = body.stream === true ? streamed : whole
  try {
    return await retryShortRateLimits(call.signal, () => answer(gateway, call, asked))
  } catch (error) {
    throw inCallersFields(error, asked.read.origins, 'input')
  }
}

type Asked = {
  read: AskedChat
  /** The same as it was written, where an upstream takes that. */
  native: NativeRequest | undefined
  style: ResponseStyle
  newStorage(): ResponseStorage
}

/** `own` is what was sent; `items` is all of the conversation. */
type Found = {
  model: PricedModel
  previousId: string | undefined
  own: SentItem[]
  items: SentItem[]
}

function readAsked(
  { gateway, storedDays }: Responses,
  call: GatewayCall,
  body: ResponsesBody,
  { model, previousId, own, items }: Found,
): Asked {
  const read = chatBodyOf(body, items, model)
  const seed = randomBase62(24)
  const speaks = model.targets.some((target) => gateway.upstreams.speaks(target, 'responses'))
  const names = { model, responseId: `resp_${seed}` }
  const createdAt = Math.floor(gateway.billing.clock.now().getTime() / 1_000)
  const stores = body.store !== false && storedDays > 0
  return {
    read,
    native: speaks ? nativeResponsesRequest(body, items, names) : undefined,
    style: {
      // In memory until the answer has ended: without the conversation, which may be long.
      head: { seed, model: model.id, createdAt, body: { ...body, input: undefined } },
      tools: read.tools,
      encrypted: body.include?.includes('reasoning.encrypted_content') ?? false,
      logprobs: read.chat.logprobs === true,
    },
    newStorage() {
      if (!stores) return NO_STORAGE
      const { accountId } = call.principal
      return storageFor({ accountId, seed, previousId, days: storedDays }, own)
    },
  }
}

/** Unlike a chat, one that names no limit wants all that the model can say. */
function orderOf(
  gateway: ChatParts,
  call: GatewayCall,
  { read: { chat }, native }: Asked,
  { writes }: ResponseStorage,
): ChatOrder {
  return orderChat(gateway, call, chat, { native, wholeOutput: true, writes })
}

function whole(gateway: ChatParts, call: GatewayCall, asked: Asked) {
  const storage = asked.newStorage()
  const order = orderOf(gateway, call, asked, storage)
  return completeChat(gateway, call, order, responseWholeForm(asked.style, storage))
}

async function streamed(gateway: ChatParts, call: GatewayCall, asked: Asked): Promise<Answer> {
  const { style } = asked
  try {
    const storage = asked.newStorage()
    const order = orderOf(gateway, call, asked, storage)
    return await streamChat(gateway, call, order, responseStreamForm(style, storage))
  } catch (error) {
    if (!isTooLong(error)) throw error
    // Only from inside a stream do clients take it for a reason to shorten the conversation.
    return { status: 200, headers: SSE_HEADERS, body: failedStream(style, error) }
  }
}

function isTooLong(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'context_length_exceeded'
}
