import type { Answer } from '../../lib/answer.ts'
import type { CallCourse } from '../../lib/telemetry/call-course.ts'
import { Failure } from '../../lib/failure.ts'
import { causedByReader, hasBrokenOff } from '../../upstream/contract/upstream-error.ts'
import { ABSENT, countedUsage, type UsageReading } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import { dropOf, openBill, type Bill } from '../bill/billable.ts'
import { newCourse, type BillLine, type StageUsage, type Waived } from '../bill/rows.ts'
import {
  abortOf,
  enterCall,
  generationHeader,
  ignoredHeader,
  isOfAnySize,
  workMicro,
  workSize,
  type EnteredCall,
} from '../billed-call.ts'
import type { Gateway, GatewayCall, PaidParts } from '../gateway.ts'
import { thoughtMicro, type CostEstimate } from '../price/cost-estimate.ts'
import { dropWork, leftOf, refusedWork, waivedAs } from '../unpaid-work.ts'
import type { ChatOrder, StreamForm } from './form.ts'
import { ChatOutflow, type StreamEnds } from './outflow.ts'
import { streamWithin } from './within-limit.ts'

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Errors before the upstream's first event are ordinary failures. */
export async function streamChat(
  gateway: PaidParts & Pick<Gateway, 'rules' | 'upstreams'>,
  call: GatewayCall,
  order: ChatOrder,
  form: StreamForm,
): Promise<Answer> {
  const { principal, requestId, signal } = call
  const { stage, estimate, held = estimate, targets, request, usage, writes } = order
  const { accountId } = principal
  const course = newCourse()
  const { thoughts } = estimate
  const size = workSize(estimate)
  const { estimateMicro } = size
  const latencyMs = () => performance.now() - course.beganMs
  const workedMicro = () => workMicro(size, latencyMs())
  const entered = enterCall(gateway, call, { stage, workedMicro, anySize: isOfAnySize(estimate) })
  let bill: Bill | undefined
  const asking = { signal, course }
  try {
    const { trace } = signal
    const { job } = call
    const about = { principal, requestId, stage, job, trace, ...held, abort: abortOf(call) }
    bill = await openBill(gateway.billing, about)
    const { callLimit } = bill
    const stream = await bill.confirm(
      callLimit === undefined
        ? gateway.upstreams.call(targets, 'chatStream', request, asking)
        : streamWithin(gateway, { order, bill, callLimit, asking }),
    )
    const opened = { bill, stream, course, entered }
    const paid = { stage, usage, refused: order.refused, writes, thoughts, estimateMicro }
    const body = new ChatOutflow(stream, form, streamEnds(gateway, call, paid, form, opened))
    const named = { ...generationHeader(stream.generationId), ...ignoredHeader(course) }
    const headers = { ...SSE_HEADERS, ...named }
    return { status: 200, headers, body }
  } catch (error) {
    const end = { ...dropOf(error, stage, latencyMs(), signal), course }
    const refused = refusedWork(error, { refused: order.refused, estimateMicro })
    const micro = workedMicro()
    const work = { accountId, micro, countedMicro: await entered.counted(), refused }
    if (bill) await dropWork(gateway, bill, end, work)
    entered.end()
    throw error
  }
}

/** The parts of the order that a running stream needs; without the prompt, which may be long. */
type Paid = Pick<ChatOrder, 'stage' | 'usage' | 'refused' | 'writes'> &
  Pick<CostEstimate, 'thoughts' | 'estimateMicro'>

function streamEnds(
  gateway: Pick<Gateway, 'allowance' | 'callLimits' | 'catalog'>,
  call: GatewayCall,
  order: Paid,
  form: StreamForm,
  opened: { bill: Bill; stream: ChatStream; course: CallCourse; entered: EnteredCall },
): StreamEnds {
  const { bill, stream, course, entered } = opened
  const { stage } = order
  const { accountId } = call.principal
  const latencyMs = () => performance.now() - course.beganMs
  const worth = () => worthOf(gateway, order, stream, course)
  const left = async (waived = worth()) => {
    const { micro } = waived
    const dropped = { ...leftOf({ stage, course, latencyMs: latencyMs() }), waived }
    const countedMicro = await entered.counted()
    return gateway.allowance.drop(bill, dropped, { accountId, micro, countedMicro })
  }
  return {
    async finished() {
      const usage = chargeFor(order, stream)
      const line: BillLine = { ...usage, stage, course, latencyMs: latencyMs() }
      if (await entered.hasLeft(usage.costMicro)) {
        await left({ micro: usage.costMicro, upstreamCost: usage.upstreamCost })
        entered.end()
        return ''
      }
      const counted = countedUsage(stream.usage, line)
      const rest = form.end(stream.last, counted)
      const { chargedMicro } = await bill.settle([line], undefined, order.writes)
      entered.end()
      return rest + (form.charged?.(counted, chargedMicro) ?? '')
    },
    async broke(error) {
      // After the first byte a failure can only be reported in the stream.
      const failure = error instanceof Failure ? error : interrupted(error)
      if (causedByReader(error)) await left()
      else {
        const dropped = dropOf(failure, stage, latencyMs(), call.signal)
        const end = { ...dropped, course }
        const waived = worth()
        if (hasBrokenOff(error)) await bill.drop({ ...end, waived })
        else {
          const refused = dearer(refusedWork(error, order), waived)
          const countedMicro = await entered.counted()
          await dropWork(gateway, bill, end, { accountId, micro: 0n, countedMicro, refused })
        }
      }
      entered.end()
      return form.fail(call.renderError(failure), failure)
    },
    async left() {
      await left()
      entered.end()
    },
    mayLeave: () => entered.mayLeave(worth().micro),
  }
}

/** The report may be of less than what was seen. */
function dearer(refused: Waived | undefined, seen: Waived): Waived {
  return refused !== undefined && refused.micro > seen.micro ? refused : seen
}

/** An upstream that we timed out sent no final count: then what we saw counts too. */
function chargeFor(order: Paid, stream: ChatStream): StageUsage {
  const counted = order.usage(stream.usage, stream)
  if (!stream.timedOut || stream.finished) return counted
  const seen = order.usage(withoutAnswer(stream.usage), stream)
  return seen.costMicro > counted.costMicro ? seen : counted
}

function withoutAnswer(reading: UsageReading): UsageReading {
  if (reading.kind !== 'reported') return reading
  return { kind: 'reported', usage: { ...reading.usage, completionTokens: undefined } }
}

/**
 * The value of the work so far. Some upstreams count only at the end, so what was seen counts, and
 * what the model may have thought before it.
 */
function worthOf(
  gateway: Pick<Gateway, 'catalog'>,
  order: Paid,
  stream: ChatStream,
  course: CallCourse,
): Waived {
  const counted = order.usage(stream.usage, stream)
  const seen = order.usage(ABSENT, stream)
  const silentMs = (stream.firstOutputAtMs ?? performance.now()) - course.beganMs
  const thought = thoughtMicro(order.thoughts, silentMs)
  const allMicro = seen.costMicro + thought
  if (thought > 0n && allMicro > counted.costMicro) return waivedAs(gateway, order.stage, allMicro)
  const { costMicro: micro, upstreamCost } = counted.costMicro > seen.costMicro ? counted : seen
  return { micro, upstreamCost: upstreamCost && { ...upstreamCost, basis: 'estimated' } }
}

function interrupted(cause: unknown): Failure {
  const message = 'The answer was interrupted and is not charged.'
  return new Failure('upstream_failed', message, { cause })
}
