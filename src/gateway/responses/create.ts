import type { CatalogModel } from '../../catalog/catalog-index.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import type { Answer } from '../../lib/answer.ts'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { completeChat } from '../chat/chat.ts'
import { choiceOf } from '../chat/choice.ts'
import { inCallersFields, withOwnParam } from '../chat/dialects.ts'
import { firstToAnswer } from '../chat/first-to-answer.ts'
import type { ChatOrder } from '../chat/form.ts'
import { SSE_HEADERS, streamChat } from '../chat/stream.ts'
import type { ChatParts, GatewayCall } from '../gateway.ts'
import { EventWriter } from './answer/event-writer.ts'
import { ResponseEvents, type ResponseStyle } from './answer/events.ts'
import { totalsOf, unixSeconds, type ResponseStart } from './answer/response.ts'
import { askedOf, isStored, orderAsked, type AskedResponse } from './asked.ts'
import type { ResponseCall, Responses } from './responses.ts'
import { conversationFor, type AskedConversation } from './conversation.ts'
import {
  failedStream,
  responseStreamForm,
  responseWholeForm,
  runForm,
  type ResponseRun,
  type RunForm,
} from './form.ts'
import { retryShortRateLimits } from './rate-limits.ts'
import type { ResponsesBody } from './request/body.ts'
import { refuseUnsupported } from './request/chat-body.ts'
import { keptBeside, type KeptPlace } from './stored/kept.ts'
import { storageFor, NO_STORAGE, type ResponseStorage } from './stored/storage.ts'

type Way = {
  /** Where a connection keeps what is not stored. */
  place?: KeptPlace | undefined
  /** In the background. */
  run?: ResponseRun | undefined
}

export async function createResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  { place, run }: Way = {},
): Promise<Answer & { stored?: true }> {
  refuseUnsupported(body)
  const { gateway } = responses
  const choice = choiceOf(body)
  const model = firstThatIs(gateway.catalog, choice.bodies)
  const conversation = await conversationFor(responses, call, body, { model, place })
  let style: ResponseStyle | undefined
  const dialect = {
    async order(one: ResponsesBody) {
      const response = responseTo(responses, call, { body: one, conversation, place, run })
      ;({ style } = response)
      return { ...response, order: await orderResponse(responses, call, response) }
    },
    answer(ordered: OrderedResponse) {
      ;({ style } = ordered)
      return answerResponse(gateway, call, ordered)
    },
  }
  try {
    return await retryShortRateLimits<Answer>(call.signal, () =>
      firstToAnswer(gateway, call, choice, dialect),
    )
  } catch (error) {
    if (!body.stream || run || style === undefined || !endsTurn(error)) {
      throw withOwnParam(error, body)
    }
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
  sent: ResponsesBody,
  { place }: { place: KeptPlace },
): Promise<Answer> {
  const body = { ...sent, store: false }
  refuseUnsupported(body)
  const model = responses.gateway.catalog.requireModel(body.model)
  const conversation = await conversationFor(responses, call, body, { model, place })
  const { style, storage } = responseTo(responses, call, { body, conversation, place })
  const events = new ResponseEvents(new EventWriter(), style)
  const begun = events.begin()
  const nothing = totalsOf(responses.gateway.billing.clock, {})
  const ended = events.finish([], nothing, storage.store)
  return { status: 200, headers: SSE_HEADERS, body: begun + ended }
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

/** A response that one model is to give. */
type ResponseTo = {
  asked: AskedResponse
  seed: string
  style: ResponseStyle
  storage: ResponseStorage
  /** In the background. */
  form: RunForm | undefined
}

type OrderedResponse = ResponseTo & { order: ChatOrder }

type Said = Way & { body: ResponsesBody; conversation: AskedConversation }

function responseTo(
  responses: Responses,
  call: ResponseCall,
  { body, conversation, place, run }: Said,
): ResponseTo {
  const asked = askedOf(responses, call, body, conversation)
  const seed = (run ?? place)?.seed ?? randomBase62(24)
  const stored = storageOf(responses, call, asked, seed)
  const storage = place ? keptBeside(stored, place, conversation) : stored
  const style = styleOf(responses, asked, { ...run, seed, stores: storage.possible })
  return { asked, seed, storage, style, form: run && runForm(style, storage, run) }
}

function orderResponse(
  responses: Responses,
  call: ResponseCall,
  { asked, seed, storage, form }: ResponseTo,
): Promise<ChatOrder> {
  const { writes } = form ?? storage
  return orderAsked(responses, call, asked, { responseId: `resp_${seed}`, writes })
}

async function answerResponse(
  gateway: ChatParts,
  call: ResponseCall,
  { order, asked, style, storage, form }: OrderedResponse,
): Promise<Answer & { stored?: true }> {
  try {
    return order.request.stream
      ? await streamChat(gateway, call, order, form ?? responseStreamForm(style, storage))
      : await completeChat(gateway, call, order, responseWholeForm(style, storage))
  } catch (error) {
    throw inCallersFields(error, asked.read.origins, 'input')
  }
}

export function styleOf(
  { gateway }: Pick<Responses, 'gateway'>,
  { body, model, read: { tools, chat } }: AskedResponse,
  start: Pick<ResponseStart, 'seed' | 'stores'> & { createdAt?: number },
): ResponseStyle {
  const { clock } = gateway.billing
  const { seed, stores, createdAt = unixSeconds(clock) } = start
  // Kept until the answer has ended, so without the conversation.
  const sent = { ...body, input: undefined }
  return {
    head: { seed, stores, model: model.id, createdAt, body: sent },
    clock,
    tools,
    encrypted: body.include?.includes('reasoning.encrypted_content') ?? false,
    logprobs: chat.logprobs === true,
  }
}

export function storageOf(
  responses: Pick<Responses, 'storedDays'>,
  { principal: { accountId } }: GatewayCall,
  { body, own, before }: AskedResponse,
  seed: string,
): ResponseStorage {
  if (!isStored(responses, body)) return NO_STORAGE
  // What a connection has kept is not stored: it is stored now, with all that came before.
  const previousId = before === undefined ? (body.previous_response_id ?? undefined) : undefined
  const { storedDays: days } = responses
  const inBackground = body.background === true
  return storageFor({ accountId, seed, previousId, days, inBackground }, own)
}

/**
 * Codex shortens a conversation only when told inside a stream, and tries again whatever has another
 * status than 400.
 */
function endsTurn(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  return error.code === 'context_length_exceeded' || ENDS_TURN.has(error.kind)
}

const ENDS_TURN: ReadonlySet<FailureKind> = new Set(['insufficient', 'upstream_rejected'])
