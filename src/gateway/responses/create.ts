import type { Answer } from '../../lib/answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { inCallersFields, withOwnParam } from '../chat/dialects.ts'
import { completeChat } from '../chat/chat.ts'
import { SSE_HEADERS, streamChat } from '../chat/stream.ts'
import type { GatewayCall } from '../gateway.ts'
import type { ResponseStyle } from './answer/events.ts'
import { unixSeconds, type ResponseStart } from './answer/response.ts'
import { orderAsked, readAsked, type ResponseCall, type Responses } from './asked.ts'
import { failedStream, responseStreamForm, responseWholeForm } from './form.ts'
import { retryShortRateLimits } from './rate-limits.ts'
import type { ResponsesBody } from './request/body.ts'
import type { AskedChat } from './request/chat-body.ts'
import type { SentItem } from './request/item-kinds.ts'
import { storageFor, NO_STORAGE, type ResponseStorage } from './stored/storage.ts'

export async function createResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<Answer & { stored?: true }> {
  const { gateway } = responses
  const asked = await readAsked(responses, call, body)
  const { read } = asked
  const seed = randomBase62(24)
  const storage = storageOf(responses, call, body, { seed, own: asked.own })
  const { clock } = gateway.billing
  const model = asked.model.id
  const style = styleOf(body, read, { seed, model, clock, stores: storage.possible })
  const { writes } = storage
  const answer = async () => {
    const order = await orderAsked(responses, call, asked, { responseId: `resp_${seed}`, writes })
    return body.stream === true
      ? streamChat(gateway, call, order, responseStreamForm(style, storage))
      : completeChat(gateway, call, order, responseWholeForm(style, storage))
  }
  try {
    return await retryShortRateLimits<Answer>(call.signal, answer)
  } catch (error) {
    const told = inCallersFields(error, read.origins, 'input')
    if (body.stream !== true || !endsTurn(told)) throw withOwnParam(told, body)
    return { status: 200, headers: SSE_HEADERS, body: failedStream(style, told) }
  }
}

function styleOf(
  body: ResponsesBody,
  { tools, chat }: AskedChat,
  { clock, ...start }: Pick<ResponseStart, 'seed' | 'model' | 'stores'> & { clock: Clock },
): ResponseStyle {
  return {
    // Kept until the answer has ended, so without the conversation.
    head: { ...start, createdAt: unixSeconds(clock), body: { ...body, input: undefined } },
    clock,
    tools,
    encrypted: body.include?.includes('reasoning.encrypted_content') ?? false,
    logprobs: chat.logprobs === true,
  }
}

function storageOf(
  { storedDays: days }: Responses,
  { principal: { accountId } }: GatewayCall,
  body: ResponsesBody,
  { seed, own }: { seed: string; own: SentItem[] },
): ResponseStorage {
  if (body.store === false || days === 0) return NO_STORAGE
  const previousId = body.previous_response_id ?? undefined
  return storageFor({ accountId, seed, previousId, days }, own)
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
