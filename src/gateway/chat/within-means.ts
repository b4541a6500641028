import type { Asking } from '../../lib/telemetry/call-course.ts'
import type { ChatRequest, ChatResult } from '../../upstream/contract/contract.ts'
import type { ChatStream } from '../../upstream/work.ts'
import type { Bill } from '../bill/billable.ts'
import type { Allowance } from '../bill/rows.ts'
import { affordableRequest } from '../billed-call.ts'
import type { Gateway } from '../gateway.ts'
import { gatherAnswer, type Gathered } from './gather.ts'
import type { ChatOrder } from './order.ts'
import { WatchedStream } from './watched-stream.ts'

/*
 * How a chat is asked for whose account cannot easily pay for the longest answer: for no more than
 * it can pay, and watched while it runs where what it may cost can still grow.
 */

type Asked = { order: ChatOrder; bill: Bill; allowance: Allowance; asking: Asking }

export async function streamWithin(gateway: Gateway, asked: Asked): Promise<ChatStream> {
  const { order, allowance, asking } = asked
  const request = { ...limited(order, allowance), stream: true }
  const stream = await gateway.upstreams.call(order.targets, 'chatStream', request, asking)
  return canGrow(order, allowance) ? watched(gateway, asked, stream) : stream
}

/** A whole answer that has to be watched is asked for as a stream. */
export async function answerWithin(
  gateway: Gateway,
  asked: Asked,
  watching: (stream: ChatStream) => void,
): Promise<ChatResult | Gathered> {
  const { order, allowance, asking } = asked
  if (canGrow(order, allowance)) {
    const stream = await streamWithin(gateway, asked)
    watching(stream)
    return gatherAnswer(stream, order.request.ours)
  }
  const request = limited(order, allowance)
  return gateway.upstreams.call(order.targets, 'chat', request, asking)
}

/** What goes through natively cannot be watched. */
function canGrow({ request }: ChatOrder, allowance: Allowance): boolean {
  const { bounds, limitMicro, ceilingMicro } = allowance
  return !bounds.fixed && limitMicro < ceilingMicro && request.native?.only !== true
}

/** Never more tokens than there may come to be money for. What is to be watched goes as a chat. */
function limited(order: ChatOrder, allowance: Allowance): ChatRequest {
  const { request, answer, affordable } = order
  const only = request.native?.only === true
  const mostMicro = only ? allowance.limitMicro : allowance.ceilingMicro
  const tokens = affordable(mostMicro, allowance.bounds)
  const native = canGrow(order, allowance) ? undefined : request.native
  return affordableRequest({ ...request, native }, tokens, answer.choices)
}

function watched(
  { rules }: Gateway,
  { order, bill, allowance }: Asked,
  stream: ChatStream,
): ChatStream {
  const { bounds, limitMicro, ceilingMicro } = allowance
  const means = {
    limitMicro,
    ceilingMicro,
    stepMicro: rules.capMicro,
    tokensFor: (micro: bigint) => order.affordable(micro, bounds),
    extend: (byMicro: bigint) => bill.extend(byMicro),
    boundPrompt: order.boundPrompt,
  }
  return new WatchedStream(stream, means, order.request.ours)
}
