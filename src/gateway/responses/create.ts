import type { PricedModel } from '../../catalog/catalog.ts'
import type { Db } from '../../db/db.ts'
import type { Answer } from '../../lib/answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { completeChat, orderChat } from '../chat/chat.ts'
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
import { EventWriter } from './answer/event-writer.ts'
import { ResponseEvents, type ResponseStyle } from './answer/events.ts'
import { totalsOf, unixSeconds } from './answer/response.ts'
import { wholeConversation, type HistoryReading, type WholeConversation } from './stored/history.ts'
import { keptBeside, keptItems, type KeptConversation, type KeptPlace } from './stored/kept.ts'
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

/** `place`: where a connection keeps what is not stored. */
export async function createResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  place?: KeptPlace,
): Promise<Answer & { stored?: true }> {
  const { gateway } = responses
  const asked = await readRequest(responses, call, body, place)
  const { model, read, seed, style, items } = asked
  const natively = model.targets.some((target) => gateway.upstreams.speaks(target, 'responses'))
  const names = { model, responseId: `resp_${seed}` }
  const native = natively ? nativeResponsesRequest(body, items, names) : undefined
  const answer = async () => {
    const storage = storageOf(responses, call, body, asked)
    // Without a limit of its own, a response may be as long as the model can write; a chat is not.
    const { writes } = storage
    const dialect = {
      native,
      unread: unreadInResponses(body, model),
      wholeOutput: true as const,
      writes,
    }
    const order = await orderChat(gateway, call, read.chat, dialect)
    return body.stream === true
      ? streamChat(gateway, call, order, responseStreamForm(style, storage))
      : completeChat(gateway, call, order, responseWholeForm(style, storage))
  }
  try {
    return await retryShortRateLimits<Answer>(call.signal, answer)
  } catch (error) {
    if (body.stream !== true || !isTooLong(error)) {
      throw inCallersFields(error, read.origins, 'input')
    }
    // Clients shorten the conversation only when told inside a stream.
    return { status: 200, headers: SSE_HEADERS, body: failedStream(style, error) }
  }
}

/**
 * A response without a word of a model: what it was asked with is kept for the request that continues
 * it, and nothing is charged.
 */
export async function prepareResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  place: KeptPlace,
): Promise<Answer> {
  const asked = await readRequest(responses, call, { ...body, store: false }, place)
  const { store } = storageOf(responses, call, { ...body, store: false }, asked)
  const events = new ResponseEvents(new EventWriter(), asked.style)
  const begun = events.begin()
  const nothing = totalsOf(responses.gateway.billing.clock, {})
  return { status: 200, headers: SSE_HEADERS, body: begun + events.finish([], nothing, store) }
}

type AskedResponse = Conversation & {
  model: PricedModel
  read: AskedChat
  seed: string
  style: ResponseStyle
  place: KeptPlace | undefined
}

async function readRequest(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  place: KeptPlace | undefined,
): Promise<AskedResponse> {
  refuseUnsupported(body)
  const { catalog, billing } = responses.gateway
  const model = catalog.requireModel(body.model)
  const before = place?.conversations.find(body.previous_response_id)
  const conversation = await conversationFor(responses, call, body, { model, before })
  const read = chatBodyOf(body, conversation.items, model)
  const seed = place?.seed ?? randomBase62(24)
  const style = styleOf(body, read, { seed, model: model.id, clock: billing.clock })
  return { ...conversation, model, read, seed, style, place }
}

/** Of a request, with what it refers to. */
const LARGEST_CONVERSATION_BYTES = 14_500_000

/** `before` is what a connection has kept of it. `said` is the rest. */
type Conversation = WholeConversation & {
  before: KeptConversation | undefined
  said: SentItem[]
}

async function conversationFor(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  { model, before }: { model: PricedModel; before: KeptConversation | undefined },
): Promise<Conversation> {
  if (before === undefined) {
    const whole = await readConversation(responses, call, body, model)
    return { ...whole, before, said: whole.items }
  }
  const kept = keptItems(before, readingFor(responses, call, model))
  const sent = { ...body, input: body.input ?? [], previous_response_id: undefined }
  const { own } = await readConversation(responses, call, sent, model)
  const items = [...kept, ...own]
  // Nothing of it is stored: a response that is to be stored is stored with all of it.
  return { own: items, items, before, said: own }
}

function readingFor(
  { db, gateway }: Responses,
  call: ResponseCall,
  model: PricedModel,
): HistoryReading {
  const { accountId } = call.principal
  return {
    db,
    accountId,
    roomBytes: LARGEST_CONVERSATION_BYTES - call.arrivedBytes,
    requireFunds: (tokens: number) => requireFunds(gateway, accountId, model, tokens),
    hold: (bytes: number) => call.holdRead(bytes),
  }
}

/** Counted among the calls that its account has running while anything is read for it. */
async function readConversation(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  model: PricedModel,
): Promise<WholeConversation> {
  const { gateway } = responses
  const previousId = body.previous_response_id ?? undefined
  const sent = inputItems(body.input ?? (previousId === undefined ? undefined : []))
  if (previousId === undefined && !sent.some(isReference)) return { own: sent, items: sent }
  const reading = readingFor(responses, call, model)
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

function storageOf(
  responses: Responses,
  call: GatewayCall,
  body: ResponsesBody,
  { seed, own, before, said, place }: AskedResponse,
): ResponseStorage {
  const storage = storedWith(responses, call, body, { seed, own, before })
  return place === undefined ? storage : keptBeside(storage, place, { before, said })
}

function storedWith(
  { storedDays: days }: Responses,
  { principal: { accountId } }: GatewayCall,
  body: ResponsesBody,
  { seed, own, before }: Pick<AskedResponse, 'seed' | 'own' | 'before'>,
): ResponseStorage {
  if (body.store === false || days === 0) return NO_STORAGE
  const previousId = before === undefined ? (body.previous_response_id ?? undefined) : undefined
  return storageFor({ accountId, seed, previousId, days }, own)
}

function isTooLong(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'context_length_exceeded'
}
