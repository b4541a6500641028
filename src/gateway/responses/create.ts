import type { PricedModel } from '../../catalog/catalog.ts'
import type { CatalogModel } from '../../catalog/catalog-index.ts'
import type { Db } from '../../db/db.ts'
import type { Answer } from '../../lib/answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { completeChat, orderChat, sessionIn } from '../chat/chat.ts'
import { choiceOf } from '../chat/choice.ts'
import { firstToAnswer } from '../chat/first-to-answer.ts'
import type { ChatOrder } from '../chat/form.ts'
import { SSE_HEADERS, streamChat } from '../chat/stream.ts'
import { requireFunds } from '../funds.ts'
import type { ChatParts, GatewayCall } from '../gateway.ts'
import type { ResponsesBody } from './request/body.ts'
import {
  chatBodyOf,
  refuseUnsupported,
  unreadInResponses,
  type AskedChat,
} from './request/chat-body.ts'
import type { ResponseStyle } from './answer/events.ts'
import { unixSeconds } from './answer/response.ts'
import { wholeConversation, type WholeConversation } from './stored/history.ts'
import { inputItems, isReference, type SentItem } from './request/item-kinds.ts'
import { nativeResponsesRequest } from './request/native.ts'
import { storageFor, NO_STORAGE, type ResponseStorage } from './stored/storage.ts'
import { failedStream, responseStreamForm, responseWholeForm } from './form.ts'
import { retryShortRateLimits } from './rate-limits.ts'

export type Responses = {
  gateway: ChatParts
  db: Db
  /** How long responses are stored; 0: not at all. */
  storedDays: number
}

/** A call for which more may be read than was sent. */
export type ResponseCall = GatewayCall & {
  readonly arrivedBytes: number
  holdRead(bytes: number): void
}

export async function createResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<Answer & { stored?: true }> {
  refuseUnsupported(body)
  const { gateway } = responses
  const choice = choiceOf(body)
  const model = firstThatIs(gateway.catalog, choice.bodies)
  const conversation = await conversationFor(responses, call, body, model)
  const said = { ...conversation, seed: randomBase62(24) }
  let style: ResponseStyle | undefined
  const dialect = {
    order: (one: ResponsesBody) => orderResponse(responses, call, one, said),
    answer: (asked: AskedResponse) => {
      style = asked.style
      return answerResponse(gateway, call, asked)
    },
  }
  try {
    return await retryShortRateLimits<Answer>(call.signal, () =>
      firstToAnswer(gateway, call, choice, dialect),
    )
  } catch (error) {
    if (body.stream !== true || style === undefined || !isTooLong(error)) throw error
    // Clients shorten the conversation only when told inside a stream.
    return { status: 200, headers: SSE_HEADERS, body: failedStream(style, error) }
  }
}

/** The first that exists, to measure what is read for any of them. */
function firstThatIs(
  catalog: ChatParts['catalog'],
  bodies: readonly Pick<ResponsesBody, 'model'>[],
): PricedModel {
  const known = bodies.find(({ model }) => isOffered(catalog.find(model)))
  return catalog.requireModel((known ?? bodies[0]!).model)
}

function isOffered(model: CatalogModel | undefined): boolean {
  return model?.enabled === true && model.priced !== 'unpriced'
}

type AskedResponse = {
  order: ChatOrder
  read: AskedChat
  style: ResponseStyle
  storage: ResponseStorage
}

async function orderResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  said: WholeConversation & { seed: string },
): Promise<AskedResponse> {
  const { gateway } = responses
  const { own, items, firstId, seed } = said
  const model = gateway.catalog.requireModel(body.model)
  const read = chatBodyOf(body, items, model)
  const style = styleOf(body, read, { seed, model: model.id, clock: gateway.billing.clock })
  const natively = model.targets.some((target) => gateway.upstreams.speaks(target, 'responses'))
  const names = { model, responseId: `resp_${seed}` }
  // What continues a stored response is of one conversation with it.
  const begun = firstId ?? (isStored(responses, body) ? names.responseId : undefined)
  const storage = storageOf(responses, call, body, { seed, own })
  const order = await orderChat(gateway, call, read.chat, {
    native: natively ? nativeResponsesRequest(body, items, names) : undefined,
    unread: unreadInResponses(body, model),
    // Without a limit of its own, a response may be as long as the model can write; a chat is not.
    wholeOutput: true as const,
    session: sessionIn(body, call.headers) ?? begun,
    writes: storage.writes,
  }).catch(inItsFields(read))
  return { order, read, style, storage }
}

function answerResponse(
  gateway: ChatParts,
  call: ResponseCall,
  { order, read, style, storage }: AskedResponse,
): Promise<Answer & { stored?: true }> {
  const answer: Promise<Answer & { stored?: true }> = order.request.stream
    ? streamChat(gateway, call, order, responseStreamForm(style, storage))
    : completeChat(gateway, call, order, responseWholeForm(style, storage))
  return answer.catch(inItsFields(read))
}

function inItsFields({ origins }: AskedChat): (error: unknown) => never {
  return (error) => {
    throw inCallersFields(error, origins, 'input')
  }
}

/** Of a request, with what it refers to. */
const LARGEST_CONVERSATION_BYTES = 14_500_000

/** Counted among the calls that its account has running while anything is read for it. */
async function conversationFor(
  { db, gateway }: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  model: PricedModel,
): Promise<WholeConversation> {
  const { accountId } = call.principal
  const previousId = body.previous_response_id ?? undefined
  const sent = inputItems(body.input ?? (previousId === undefined ? undefined : []))
  if (previousId === undefined && !sent.some(isReference)) return { own: sent, items: sent }
  const reading = {
    db,
    accountId,
    roomBytes: LARGEST_CONVERSATION_BYTES - call.arrivedBytes,
    requireFunds: (tokens: number) => requireFunds(gateway, accountId, model, tokens),
    hold: (bytes: number) => call.holdRead(bytes),
  }
  const enter = async () => gateway.callLimits.enter(call.principal)
  const leave = await retryShortRateLimits(call.signal, enter)
  try {
    return await wholeConversation(reading, sent, previousId)
  } finally {
    leave()
  }
}

function styleOf(
  body: ResponsesBody,
  { tools, chat }: AskedChat,
  { seed, model, clock }: { seed: string; model: string; clock: Clock },
): ResponseStyle {
  return {
    // Kept until the answer has ended, so without the conversation.
    head: { seed, model, createdAt: unixSeconds(clock), body: { ...body, input: undefined } },
    clock,
    tools,
    encrypted: body.include?.includes('reasoning.encrypted_content') ?? false,
    logprobs: chat.logprobs === true,
  }
}

function isStored({ storedDays }: Responses, { store }: ResponsesBody): boolean {
  return store !== false && storedDays > 0
}

function storageOf(
  responses: Responses,
  { principal: { accountId } }: GatewayCall,
  body: ResponsesBody,
  { seed, own }: { seed: string; own: SentItem[] },
): ResponseStorage {
  if (!isStored(responses, body)) return NO_STORAGE
  const previousId = body.previous_response_id ?? undefined
  return storageFor({ accountId, seed, previousId, days: responses.storedDays }, own)
}

function isTooLong(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'context_length_exceeded'
}
