import type { Asking } from '../../lib/telemetry/call-course.ts'
import type { ChatRequest, ChatResult } from '../../upstream/contract/contract.ts'
import type { ChatStream } from '../../upstream/work.ts'
import type { Bill } from '../bill/billable.ts'
import type { CallLimit } from '../bill/rows.ts'
import { affordableRequest } from '../billed-call.ts'
import type { Gateway } from '../gateway.ts'
import { gatherAnswer, type Gathered } from './gather.ts'
import type { ChatOrder } from './form.ts'
import { WatchedStream } from './watched-stream.ts'

/*
 * For an account that cannot easily pay for the longest answer: the answer is limited to what it
 * can pay, and watched where the cost can still grow.
 */

type LimitParts = Pick<Gateway, 'rules' | 'upstreams'>
type Asked = { order: ChatOrder; bill: Bill; callLimit: CallLimit; asking: Asking }

export async function streamWithin(gateway: LimitParts, asked: Asked): Promise<ChatStream> {
  const { order, callLimit, asking } = asked
  const request = { ...limited(order, callLimit), stream: true }
  const stream = await gateway.upstreams.call(order.targets, 'chatStream', request, asking)
  return canGrow(order, callLimit) ? watched(gateway, asked, stream) : stream
}

/** A whole answer that must be watched is requested as a stream. */
export async function answerWithin(
  gateway: LimitParts,
  asked: Asked,
  watching: (stream: ChatStream) => void,
): Promise<ChatResult | Gathered> {
  const { order, callLimit, asking } = asked
  if (canGrow(order, callLimit)) {
    const stream = await streamWithin(gateway, asked)
    watching(stream)
    return gatherAnswer(stream, order.request.ours)
  }
  const request = limited(order, callLimit)
  return gateway.upstreams.call(order.targets, 'chat', request, asking)
}

/** What is sent in its own dialect alone cannot be watched. */
function canGrow({ request }: ChatOrder, callLimit: CallLimit): boolean {
  const { bounds, limitMicro, ceilingMicro } = callLimit
  return !bounds.fixed && limitMicro < ceilingMicro && request.native?.only !== true
}

/** No more tokens than the account may come to pay for. What is watched is sent as a chat. */
function limited(order: ChatOrder, callLimit: CallLimit): ChatRequest {
  const { request, answer, affordable } = order
  const only = request.native?.only === true
  const mostMicro = only ? callLimit.limitMicro : callLimit.ceilingMicro
  const tokens = affordable(mostMicro, callLimit.bounds)
  const native = canGrow(order, callLimit) ? undefined : request.native
  return affordableRequest({ ...request, native }, tokens, answer.choices, callLimit)
}

function watched(
  { rules }: LimitParts,
  { order, bill, callLimit }: Asked,
  stream: ChatStream,
): ChatStream {
  const { bounds, limitMicro, ceilingMicro } = callLimit
  const streamLimit = {
    limitMicro,
    ceilingMicro,
    stepMicro: rules.capMicro,
    tokensFor: (micro: bigint) => order.affordable(micro, bounds),
    extend: (byMicro: bigint) => bill.extend(byMicro),
    boundPrompt: order.boundPrompt,
    nowMs: () => performance.now(),
  }
  return new WatchedStream(stream, streamLimit, order.request.ours)
}
