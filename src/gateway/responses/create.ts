import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { completeChat } from '../chat/chat.ts'
import { SSE_HEADERS, streamChat } from '../chat/stream.ts'
import type { GatewayCall } from '../gateway.ts'
import type { ResponseStyle } from './answer/events.ts'
import { unixSeconds, type ResponseStart } from './answer/response.ts'
import {
  orderAsked,
  readAsked,
  type AskedResponse,
  type ResponseCall,
  type Responses,
} from './asked.ts'
import {
  failedStream,
  responseStreamForm,
  responseWholeForm,
  runForm,
  type ResponseRun,
} from './form.ts'
import { retryShortRateLimits } from './rate-limits.ts'
import type { ResponsesBody } from './request/body.ts'
import { unsupported } from './request/chat-body.ts'
import { storageFor, NO_STORAGE, type ResponseStorage } from './stored/storage.ts'

export async function createResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
  run?: ResponseRun,
): Promise<Answer & { stored?: true }> {
  if (body.background === true && run === undefined) throw unsupported('background')
  const { gateway } = responses
  const asked = await readAsked(responses, call, body)
  const seed = run?.seed ?? randomBase62(24)
  const storage = storageOf(responses, call, asked, seed)
  const style = styleOf(responses, asked, { ...run, seed, stores: storage.possible })
  const form = run && runForm(style, storage, run)
  const { writes } = form ?? storage
  const answer = async () => {
    const order = await orderAsked(responses, call, asked, { responseId: `resp_${seed}`, writes })
    return body.stream === true
      ? streamChat(gateway, call, order, form ?? responseStreamForm(style, storage))
      : completeChat(gateway, call, order, responseWholeForm(style, storage))
  }
  try {
    return await retryShortRateLimits<Answer>(call.signal, answer)
  } catch (error) {
    if (body.stream !== true || run !== undefined || !isTooLong(error)) {
      throw inCallersFields(error, asked.read.origins, 'input')
    }
    // Clients shorten the conversation only when told inside a stream.
    return { status: 200, headers: SSE_HEADERS, body: failedStream(style, error) }
  }
}

export function styleOf(
  { gateway }: Responses,
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
  { storedDays: days }: Responses,
  { principal: { accountId } }: GatewayCall,
  { body, own }: AskedResponse,
  seed: string,
): ResponseStorage {
  if (body.store === false || days === 0) return NO_STORAGE
  const previousId = body.previous_response_id ?? undefined
  const inBackground = body.background === true
  return storageFor({ accountId, seed, previousId, days, inBackground }, own)
}

function isTooLong(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'context_length_exceeded'
}
