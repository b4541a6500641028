import type { PricedModel } from '../../catalog/catalog.ts'
import { requireFunds } from '../funds.ts'
import type { ResponseCall, Responses } from './responses.ts'
import { retryShortRateLimits } from './rate-limits.ts'
import type { ResponsesBody } from './request/body.ts'
import { inputItems, isReference, type SentItem } from './request/item-kinds.ts'
import { wholeConversation, type HistoryReading, type WholeConversation } from './stored/history.ts'
import { keptItems, type KeptConversation, type KeptPlace } from './stored/kept.ts'

/** `before` is what a connection has kept of it; `said` is the rest. */
export type AskedConversation = WholeConversation & {
  before: KeptConversation | undefined
  said: SentItem[]
}

type ReadParts = Pick<Responses, 'db' | 'gateway'>

/** What a request is about, read once, whatever models may answer it. */
export async function conversationFor(
  responses: ReadParts,
  call: ResponseCall,
  body: ResponsesBody,
  { model, place }: { model: PricedModel; place?: KeptPlace | undefined },
): Promise<AskedConversation> {
  const before = place?.conversations.find(body.previous_response_id)
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

/** Of a request, with what it refers to. */
const LARGEST_CONVERSATION_BYTES = 14_500_000

function readingFor(
  { db, gateway }: ReadParts,
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
  responses: ReadParts,
  call: ResponseCall,
  body: ResponsesBody,
  model: PricedModel,
): Promise<WholeConversation> {
  const previousId = body.previous_response_id ?? undefined
  const sent = inputItems(body.input ?? (previousId === undefined ? undefined : []))
  if (previousId === undefined && !sent.some(isReference)) return { own: sent, items: sent }
  const reading = readingFor(responses, call, model)
  const enter = async () => responses.gateway.callLimits.enter(call.principal)
  const leave = await retryShortRateLimits(call.signal, enter)
  try {
    return await wholeConversation(reading, sent, previousId)
  } finally {
    leave()
  }
}
