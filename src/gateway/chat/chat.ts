import type { PricedModel } from '../../catalog/catalog.ts'
import type { Answer } from '../../lib/answer.ts'
import { invalidField } from '../../lib/failure.ts'
import { prefixedId } from '../../lib/ids.ts'
import type { ChatRequest } from '../../upstream/contract/contract.ts'
import { stageOf } from '../bill/rows.ts'
import { jsonAnswer, runBilledCall } from '../billed-call.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { promptTokens, tokenPrice } from '../price/call-price.ts'
import { readMessages, type InputModality } from './messages.ts'
import { streamChat, type ChatOrder } from './stream.ts'

/** The fields of a chat body that the gateway itself reads. The rest passes through untouched. */
export type ChatBody = {
  model: string
  messages: unknown[]
  stream?: boolean | null | undefined
  stream_options?: { include_usage?: boolean | undefined } | null | undefined
  max_tokens?: number | null | undefined
  max_completion_tokens?: number | null | undefined
  n?: number | null | undefined
  tools?: unknown[] | null | undefined
  modalities?: string[] | null | undefined
}

/** Answers one chat request, whole or as a stream. */
export async function chat(
  gateway: Gateway,
  call: GatewayCall,
  body: ChatBody,
): Promise<Answer & { kept?: true }> {
  const order = orderChat(gateway, call, body)
  return body.stream === true
    ? streamChat(gateway, call, order)
    : completeChat(gateway, call, order)
}

/** Checks and measures a chat: what to ask, of whom, what to hold, how to bill. */
export function orderChat(gateway: Gateway, call: GatewayCall, body: ChatBody): ChatOrder {
  const { billing, rules } = gateway
  const size = readMessages(body.messages)
  size.textBytes += toolBytes(body.tools)
  const model = requireChatModel(gateway, body, size.modalities)
  const at = billing.clock.now()
  const price = tokenPrice({
    model,
    promptTokens: promptTokens(size),
    images: size.imageCount,
    at,
    rules,
    log: billing.log,
  })
  return {
    stage: stageOf('chat', model),
    amounts: price.amounts({
      maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
      choices: body.n ?? 1,
    }),
    targets: model.targets,
    request: chatRequest(gateway, call, body, { model: model.id, at }),
    usage: price.usage,
    includeUsage: body.stream_options?.include_usage === true,
  }
}

function completeChat(gateway: Gateway, call: GatewayCall, order: ChatOrder) {
  const { stage, amounts, targets, request } = order
  const { requestId } = call
  return runBilledCall(gateway, call, {
    stage,
    amounts,
    work: (signal) => gateway.upstreams.call(targets, 'chat', request, signal),
    usage: (result) => order.usage(result.usage, Buffer.byteLength(result.text)),
    answer: ({ body, generationId }, _usage, receipt) =>
      jsonAnswer(body, { requestId, receipt, generationId }),
  })
}

function chatRequest(
  gateway: Gateway,
  call: GatewayCall,
  body: ChatBody,
  { model, at }: { model: string; at: Date },
): ChatRequest {
  return {
    body,
    stream: body.stream === true,
    user: gateway.nameForUpstream(call.principal.accountId),
    ours: {
      id: prefixedId('chatcmpl-'),
      model,
      created: Math.floor(at.getTime() / 1_000),
    },
  }
}

/** Before any upstream is asked: the model must take what is sent and give what is wanted. */
function requireChatModel(
  gateway: Gateway,
  body: ChatBody,
  inputs: Set<InputModality>,
): PricedModel {
  const wanted = (body.modalities ?? []).filter((one) => one !== 'text')
  return gateway.catalog.requireModel(body.model, {
    outputs: ['text', ...wanted],
    inputs: [...inputs],
  })
}

/** Tools that run at the upstream cost money per use that no token price covers. */
function toolBytes(tools: unknown[] | null | undefined): number {
  if (!tools || tools.length === 0) return 0
  tools.forEach((tool, i) => {
    if ((tool as { type?: unknown } | null)?.type === 'function') return
    throw invalidField(`tools[${i}].type`, 'must be "function"')
  })
  return Buffer.byteLength(JSON.stringify(tools))
}
