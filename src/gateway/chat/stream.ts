import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import type { Line } from '../bill/rows.ts'
import { dropOf, openBill, type Bill } from '../bill/billable.ts'
import type { ChatBody, ChatOrder } from './order.ts'
import { ChatOutflow, type StreamEnds } from './outflow.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { usageChunk } from '../../upstream/contract/chunks.ts'

export type StreamedChat = {
  gateway: Gateway
  call: GatewayCall
  body: ChatBody
  order: ChatOrder
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Until the upstream's first event whatever goes wrong is an ordinary failure. */
export async function streamChat(streamed: StreamedChat): Promise<Answer> {
  const { gateway, call, order } = streamed
  const { principal, requestId, signal } = call
  const { stage, amounts, targets, request } = order
  const startedMs = performance.now()
  const leave = gateway.turnstile.enter(principal)
  let bill: Bill | undefined
  try {
    bill = await openBill(gateway.desk, { principal, requestId, stage, ...amounts })
    const flow = await gateway.upstreams.call(targets, 'chatStream', request, signal)
    const body = new ChatOutflow(flow, streamEnds(streamed, { bill, flow, startedMs, leave }))
    const id = flow.generationId
    const headers = id === undefined ? SSE_HEADERS : { ...SSE_HEADERS, 'x-generation-id': id }
    return { status: 200, headers, body }
  } catch (error) {
    await bill?.drop(dropOf(error, stage, performance.now() - startedMs, signal))
    leave()
    throw error
  }
}

function streamEnds(
  streamed: StreamedChat,
  opened: { bill: Bill; flow: ChatStream; startedMs: number; leave(): void },
): StreamEnds {
  const { gateway, call, body, order } = streamed
  const { bill, flow, startedMs, leave } = opened
  const { stage } = order
  const latencyMs = () => performance.now() - startedMs
  return {
    async finished() {
      const line: Line = {
        ...order.bill(flow.usage, flow.outputBytes),
        stage,
        latencyMs: latencyMs(),
      }
      await bill.settle([line])
      leave()
      return body.stream_options?.include_usage === true ? lastChunk(order, flow.usage, line) : ''
    },
    async broke(error) {
      await bill.drop(dropOf(error, stage, latencyMs(), call.signal))
      leave()
      return errorEvent(error)
    },
    left() {
      gateway.turnstile.left(call.principal)
      leave()
      void bill.drop({
        status: 'cancelled',
        errorCode: 'caller_left',
        stage,
        latencyMs: latencyMs(),
      })
    },
  }
}

/** What was charged for, with the upstream's finer counts where it told them. */
function lastChunk({ request }: ChatOrder, reading: UsageReading, line: Line): string {
  const told = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens } = line
  return `data: ${usageChunk(request.ours, { ...told, promptTokens, completionTokens })}\n\n`
}

/** After the first byte a failure can only be told inside the stream, which then has no [DONE]. */
function errorEvent(error: unknown): string {
  const known = error instanceof Failure
  const told = {
    message: known ? error.message : 'The answer was interrupted and is not charged.',
    type: 'server_error',
    param: null,
    code: known && error.code !== undefined ? error.code : 'upstream_error',
  }
  return `data: ${JSON.stringify({ error: told })}\n\n`
}
