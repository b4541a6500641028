import { greater } from '../../ledger/money.ts'
import { Failure } from '../../lib/failure.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { Billing } from './billing.ts'
import { insufficient } from './insufficient.ts'
import { callTraces, type BillOrder, type CallLimit } from './rows.ts'

/** A hold that was sent. */
export type PlacedHold = {
  /** The limit that the work must keep to; none when the account can pay whatever it comes to. */
  callLimit: CallLimit | undefined
  /** Resolves once the hold is committed. */
  committed: Promise<unknown>
}

/**
 * Where the account can easily pay, the hold is on its way while the upstream is asked; should it be
 * refused, or nobody answer, the work is ended. Everywhere else the hold is committed first.
 */
export async function placeHold(
  billing: Billing,
  order: BillOrder,
  holdId: string,
): Promise<PlacedHold> {
  const { unconfirmed } = billing.queue
  const leave = unconfirmed.enter(order.principal.accountId, worstCaseOf(order))
  const answer = traced(order.trace, 'hold', () => hold(billing, order, holdId))
  if (leave === undefined) return { callLimit: await answer, committed: DONE }
  void answer.then(
    // A smaller limit than the call may need is no reason to end it now: its worst case is within
    // what may be unconfirmed.
    (callLimit) => leave({ asExpected: callLimit === undefined }),
    (error: Failure) => {
      leave({ asExpected: false })
      order.abort(error)
    },
  )
  return { callLimit: undefined, committed: answer }
}

const DONE = Promise.resolve()

function worstCaseOf({ bounds, estimateMicro, minimumMicro }: BillOrder): bigint {
  if (bounds !== undefined) return bounds.worstCaseMicro
  return estimateMicro > minimumMicro ? estimateMicro : minimumMicro
}

/** The account cannot pay, and nothing is held. After any other error a hold may be there. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'insufficient'
}

/** Nothing more when the hold is gone, or nobody can be asked: then the work has to end. */
export async function extendHold(
  { queue, log }: Billing,
  { principal }: BillOrder,
  holdId: string,
  byMicro: bigint,
): Promise<bigint> {
  const { accountId } = principal
  try {
    const command = { kind: 'extend' as const, accountId, holdId, byMicro }
    const { outcome } = await queue.submit({ accountId, command })
    return outcome?.kind === 'extended' ? outcome.limitMicro : 0n
  } catch (error) {
    log.warn('The limit of a call could not be raised.', { error })
    return 0n
  }
}

/** Until it is known to be refused, a hold that was sent counts as open. */
async function hold(
  billing: Billing,
  order: BillOrder,
  holdId: string,
): Promise<CallLimit | undefined> {
  billing.openHolds.add(holdId)
  try {
    return await holdWithin(billing, order, holdId)
  } catch (error) {
    if (isRefusal(error)) billing.openHolds.delete(holdId)
    throw error
  }
}

async function holdWithin(
  billing: Billing,
  order: BillOrder,
  holdId: string,
): Promise<CallLimit | undefined> {
  let { bounds } = order
  let outcome = await submitHold(billing, order, holdId)
  if (outcome?.kind === 'needs_exact_bounds') {
    bounds = order.exactBounds!()
    outcome = await submitHold(billing, { ...order, bounds }, holdId)
  }
  if (outcome?.kind !== 'held') {
    const availableMicro = outcome?.kind === 'refused' ? outcome.availableMicro : 0n
    throw insufficient({ availableMicro, neededMicro: leastOf({ ...order, bounds }) })
  }
  const { limitMicro, ceilingMicro } = outcome
  if (bounds === undefined || limitMicro >= bounds.worstCaseMicro) return undefined
  return { bounds, limitMicro, ceilingMicro }
}

/** An empty account gets nothing, however little is needed. */
function leastOf({ minimumMicro, bounds }: BillOrder): bigint {
  return greater(minimumMicro, bounds === undefined || bounds.rough ? 1n : bounds.minimumMicro)
}

async function submitHold({ queue, processId }: Billing, order: BillOrder, holdId: string) {
  const { principal, stage, estimateMicro, minimumMicro, bounds } = order
  const { accountId } = principal
  const owner = { process: processId }
  const about = { ...stage, ...callTraces(order) }
  const amounts = { estimateMicro, minimumMicro, bounds }
  const command = { kind: 'hold' as const, accountId, holdId, ...amounts, owner, about }
  return (await queue.submit({ accountId, command })).outcome
}

/** A step of the bill, shown in the trace of its request where there is one. */
export async function traced<Result>(
  trace: RequestTrace | undefined,
  name: 'hold' | 'settle' | 'release',
  work: () => Promise<Result>,
): Promise<Result> {
  if (trace === undefined) return work()
  const step = trace.step(name)
  try {
    const result = await work()
    step.end()
    return result
  } catch (error) {
    step.end(error instanceof Failure ? error.kind : 'error')
    throw error
  }
}
