import type { PricedModel } from '../../catalog/catalog.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { orderChat, sessionIn } from '../chat/chat.ts'
import type { ChatOrder } from '../chat/form.ts'
import { conversationFor, type AskedConversation } from './conversation.ts'
import type { ResponseCall, Responses } from './responses.ts'
import type { ResponsesBody } from './request/body.ts'
import {
  chatBodyOf,
  refuseUnsupported,
  unreadInResponses,
  type AskedChat,
} from './request/chat-body.ts'
import { withSummaries } from './request/compactions.ts'
import type { SentItem } from './request/item-kinds.ts'
import { nativeResponsesRequest } from './request/native.ts'
import type { KeptConversation } from './stored/kept.ts'

/**
 * A request to one model that was read: `own` is what was sent, `whole` the whole conversation,
 * `items` the same with a message in place of each compaction.
 */
export type AskedResponse = {
  body: ResponsesBody
  model: PricedModel
  own: SentItem[]
  whole: SentItem[]
  items: SentItem[]
  firstId: string | undefined
  before: KeptConversation | undefined
  read: AskedChat
}

export async function readAsked(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<AskedResponse> {
  refuseUnsupported(body)
  const model = responses.gateway.catalog.requireModel(body.model)
  const conversation = await conversationFor(responses, call, body, { model })
  return askedOf(responses, call, body, conversation)
}

/** Of the conversation, which is read once, the request to one of the models that may answer. */
export function askedOf(
  { gateway, keys }: Pick<Responses, 'gateway' | 'keys'>,
  call: ResponseCall,
  body: ResponsesBody,
  { own, items: whole, firstId, before }: AskedConversation,
): AskedResponse {
  const model = gateway.catalog.requireModel(body.model)
  const items = withSummaries(whole, { keys, accountId: call.principal.accountId })
  const read = chatBodyOf(body, items, model)
  return { body, model, own, whole, items, firstId, before, read }
}

type Beside = { responseId: string } & Pick<ChatOrder, 'writes'>

/** As a chat, and in its own words for an upstream that speaks them. */
export async function orderAsked(
  { gateway, storedDays }: Pick<Responses, 'gateway' | 'storedDays'>,
  call: ResponseCall,
  { body, model, items, firstId, read }: AskedResponse,
  { responseId, writes }: Beside,
): Promise<ChatOrder> {
  const natively =
    !read.onlyAsChat &&
    model.targets.some((target) => gateway.upstreams.speaks(target, 'responses'))
  // What continues a stored response is of one conversation with it.
  const begun = firstId ?? (isStored({ storedDays }, body) ? responseId : undefined)
  try {
    return await orderChat(gateway, call, read.chat, {
      native: natively ? nativeResponsesRequest(body, items, { model, responseId }) : undefined,
      unread: unreadInResponses(body, model),
      // Without a limit of its own, a response may be as long as the model can write; a chat is not.
      wholeOutput: true,
      session: sessionIn(body, call.headers) ?? begun,
      writes,
    })
  } catch (error) {
    throw inCallersFields(error, read.origins, 'input')
  }
}

export function isStored(
  { storedDays }: Pick<Responses, 'storedDays'>,
  { store }: ResponsesBody,
): boolean {
  return store !== false && storedDays > 0
}

/** What the prompt has by our estimate. Nothing is asked of an upstream, and nothing is charged. */
export async function countInput(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<{ object: 'response.input_tokens'; input_tokens: number }> {
  const asked = await readAsked(responses, call, body)
  const { promptTokens } = await orderAsked(responses, call, asked, { responseId: '' })
  return { object: 'response.input_tokens', input_tokens: promptTokens() }
}
