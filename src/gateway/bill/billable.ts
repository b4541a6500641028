import type { Keep } from '../../lib/answer.ts'
import { codeOf, Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { Billing } from './billing.ts'
import { adoptHold } from './job-hold.ts'
import {
  extendHold,
  interrupted,
  isRefusal,
  placeHold,
  traced,
  type PlacedHold,
} from './place-hold.ts'
import {
  doubtfulCharge,
  dropPosting,
  settleSurely,
  unbegunPosting,
  unchargedPosting,
} from './postings.ts'
import {
  completedRecords,
  type BillIds,
  type BillLine,
  type BillOrder,
  type CallLimit,
  type CallWrite,
  type Dropped,
  type Receipt,
  type Settlement,
  type Stage,
} from './rows.ts'
import { release } from './release.ts'

/**
 * The only road to an upstream: `openBill` places a hold, the work runs outside any transaction, then
 * the bill ends in exactly one of two ways: settled or dropped.
 */
export type Bill = {
  /** The limit that the work must keep to; none when the account can pay whatever it comes to. */
  callLimit: CallLimit | undefined
  /**
   * Gives what the work gives, once the hold is committed: nothing of an answer may be passed on
   * before. Rejects as soon as the hold is refused, or the database did not answer.
   */
  confirm<Result>(work: Promise<Result>): Promise<Result>
  /** Asks for a higher limit and gives the one that holds from now on. */
  extend(byMicro: bigint): Promise<bigint>
  /**
   * It finished: charge, records, stored answer and `writes` in one commit. Throws when the hold is
   * gone.
   */
  settle(lines: BillLine[], keep?: Keep<Receipt>, writes?: () => CallWrite[]): Promise<Receipt>
  /** It broke, or the caller left: the hold is released and the record says which. */
  drop(end: Dropped): Promise<void>
}

/** Holds what the work may cost. The work itself runs outside any transaction. */
export async function openBill(billing: Billing, order: BillOrder): Promise<Bill> {
  billing.weigh?.(order)
  const { exact: _exact, likely: _likely, ...kept } = order
  // A bill may be open for long, and these would keep the text of the prompt all that time.
  const bill = billOf(billing, kept, await beginBill(billing, order))
  return order.trace === undefined ? bill : tracedEnds(order.trace, bill)
}

/** What was made for a bill: without a hold for a model that costs nothing. */
type Begun = BillIds & PlacedHold

async function beginBill(billing: Billing, order: BillOrder): Promise<Begun> {
  const id = order.job?.id ?? uuidv7()
  if (order.estimateMicro === 0n && order.minimumMicro === 0n) return { recordId: id, ...FREE }
  const ids = { recordId: id, holdId: id }
  if (order.job) return { ...ids, ...(await adoptHold(billing, order, id)) }
  try {
    return { ...ids, ...(await placeHold(billing, order, id)) }
  } catch (error) {
    // It may have been committed although its answer was lost, and we are alive: no sweeper comes.
    const posting = unbegunPosting(billing.clock, order, ids, errorCode(error))
    if (!isRefusal(error)) void release(billing, posting)
    throw error
  }
}

/** Nothing to hold. */
const FREE = { holdId: undefined, callLimit: undefined, committed: Promise.resolve() }

function billOf(billing: Billing, order: BillOrder, begun: Begun): Bill {
  const { callLimit, committed, holdId } = begun
  let open = true
  return {
    callLimit,
    confirm: async (work) => (await Promise.all([work, committed]))[0],
    extend: (byMicro) => extendHold(billing, order, holdId!, byMicro),
    async settle(lines, keep, writes) {
      await committed
      if (!open) throw interrupted()
      open = false
      const records = completedRecords(billing.clock, order, begun, lines)
      return settle(billing, order, begun, { lines, records, keep, writes })
    },
    async drop(end) {
      if (!open) return
      open = false
      if (order.job?.goesOn()) return
      const refused = await committed.then(() => false, isRefusal)
      const ids = refused ? { ...begun, holdId: undefined } : begun
      await release(billing, dropPosting(billing.clock, order, ids, end))
    },
  }
}

type Ends = {
  settle(...given: never[]): Promise<unknown>
  drop(...given: never[]): Promise<void>
}

/** The same bill, with its end in the trace of the request. */
function tracedEnds<Bill extends Ends>(trace: RequestTrace, bill: Bill): Bill {
  let over = false
  return {
    ...bill,
    settle(...given) {
      over = true
      return traced(trace, 'settle', () => bill.settle(...given))
    },
    drop(...given) {
      // A bill that could not be settled is dropped once more, to no effect.
      if (over) return bill.drop(...given)
      over = true
      return traced(trace, 'release', () => bill.drop(...given))
    },
  }
}

/** How an error ends a bill: a caller who left is `cancelled`, everything else `failed`. */
export function dropOf(
  error: unknown,
  stage: Stage,
  latencyMs: number,
  signal: AbortSignal,
): Dropped {
  const left = [error, signal.reason].some((why) => why instanceof Failure && why.code === LEFT)
  return {
    status: left ? 'cancelled' : 'failed',
    errorCode: left ? LEFT : errorCode(error),
    stage,
    latencyMs,
  }
}

const LEFT = 'caller_left'

async function settle(
  billing: Billing,
  order: BillOrder,
  ids: BillIds,
  settlement: Settlement,
): Promise<Receipt> {
  const { holdId } = ids
  let receipt: Receipt | undefined
  try {
    receipt = await settleSurely(billing, order, ids, settlement)
  } catch (error) {
    // With a key the charge may stay: its answer is stored for the retry.
    if (!settlement.keep && holdId !== undefined) {
      await billing.doubtfulCharges.note(doubtfulCharge(order, holdId, settlement.records))
    }
    void release(billing, unchargedPosting(billing.clock, order, ids, settlement))
    throw error
  }
  if (holdId !== undefined) billing.openHolds.delete(holdId)
  if (receipt === undefined) throw interrupted()
  return receipt
}

/** What the caller is told of it. */
function errorCode(error: unknown): string {
  if (!(error instanceof Failure)) return 'internal_error'
  return codeOf(error) ?? 'invalid_request_error'
}
