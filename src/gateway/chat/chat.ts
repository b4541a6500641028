import type { Answer } from '../../lib/answer.ts'
import { answerHeaders, JSON_TYPE } from '../answer-headers.ts'
import { orderChat, type ChatBody, type ChatOrder } from './order.ts'
import { streamChat } from './stream.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { buy } from '../billed-call.ts'

/** Answers one chat request, whole or as a stream. */
export async function chat(
  gateway: Gateway,
  call: GatewayCall,
  body: ChatBody,
): Promise<Answer & { kept?: true }> {
  const order = orderChat(gateway, call, body)
  return body.stream === true
    ? streamChat({ gateway, call, body, order })
    : completeChat(gateway, call, order)
}

function completeChat(gateway: Gateway, call: GatewayCall, order: ChatOrder) {
  const { stage, amounts, targets, request } = order
  return buy(gateway, call, {
    stage,
    amounts,
    work: () => gateway.upstreams.call(targets, 'chat', request, call.signal),
    usage: (result) => order.bill(result.usage, Buffer.byteLength(result.text)),
    answer: (result, _usage, receipt) => ({
      status: 200,
      headers: {
        'content-type': JSON_TYPE,
        ...answerHeaders(call.requestId, receipt, result.generationId),
      },
      body: JSON.stringify(result.body),
    }),
  })
}
