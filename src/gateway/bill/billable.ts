import { setTimeout as wait } from 'node:timers/promises'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Keep } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { DoubtfulCharge, DoubtfulCharges } from './doubtful-charges.ts'
import type { Posted, Posting, Rows } from './post.ts'
import type { PostingQueue } from './posting-queue.ts'
import {
  callTraces,
  completedRecord,
  dropPosting,
  postedReceipt,
  settlePosting,
  sumMicro,
  unchargedPosting,
  type Allowance,
  type BillLine,
  type BillOrder,
  type Dropped,
  type Receipt,
  type Settlement,
  type Stage,
} from './rows.ts'
import { tracedBill } from './traced-bill.ts'

/**
 * The only road to an upstream: `openBill` commits a hold, then the work runs outside any
 * transaction, then the bill ends in exactly one of two ways: settled or dropped.
 */
export type Bill = {
  /** The limit that the work must keep to; none when the account can pay whatever it comes to. */
  allowance: Allowance | undefined
  /** Asks for a higher limit and gives the one that holds from now on. */
  extend(byMicro: bigint): Promise<bigint>
  /**
   * It finished: charge, records, kept answer and the row of `also` in one commit. Throws when the
   * hold is gone.
   */
  settle(lines: BillLine[], keep?: Keep<Receipt>, also?: () => Rows['also']): Promise<Receipt>
  /** It broke, or the caller left: the hold is released and the record says which. */
  drop(end: Dropped): Promise<void>
}

/** What bills are written with. */
export type Billing = {
  queue: PostingQueue
  doubtfulCharges: DoubtfulCharges
  processId: string
  clock: Clock
  log: Log
}

export function openBill(billing: Billing, order: BillOrder): Promise<Bill> {
  const { trace } = order
  return trace === undefined
    ? holdBill(billing, order)
    : tracedBill(trace, () => holdBill(billing, order))
}

async function holdBill(billing: Billing, order: BillOrder): Promise<Bill> {
  const holdId = order.wantMicro === 0n && order.needMicro === 0n ? undefined : uuidv7()
  const { allowance, floatId } = holdId === undefined ? FREE : await hold(billing, order, holdId)
  // A bill may be open for long. `closerBounds` would keep the text of the prompt all that time.
  const held = { ...order, closerBounds: undefined }
  let open = true
  return {
    allowance,
    extend: (byMicro) => extend(billing, held, holdId!, byMicro),
    settle(lines, keep, also) {
      open = false
      const records = lines.map((line) => completedRecord(billing.clock, held, line))
      return settle(billing, held, { holdId, floatId }, { lines, records, keep, also })
    },
    async drop(end) {
      if (!open) return
      open = false
      await release(billing, dropPosting(billing.clock, held, holdId, end))
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
  const left = signal.aborted && (signal.reason as { code?: unknown }).code === 'caller_left'
  return {
    status: left ? 'cancelled' : 'failed',
    errorCode: left ? 'caller_left' : errorCode(error),
    stage,
    latencyMs,
  }
}

/** `floatId` where it was drawn from a float. */
type Held = { allowance: Allowance | undefined; floatId: string | undefined }

const FREE: Held = { allowance: undefined, floatId: undefined }

async function hold(
  billing: Billing,
  order: BillOrder,
  holdId: string,
  recalled = false,
): Promise<Held> {
  const { principal, stage, wantMicro, needMicro, bounds } = order
  const { accountId } = principal
  const command = {
    kind: 'hold' as const,
    accountId,
    holdId,
    wantMicro,
    needMicro,
    bounds,
    owner: { process: billing.processId },
    about: { ...stage, ...callTraces(order) },
  }
  let posted: Posted
  try {
    posted = await billing.queue.submit({ accountId, command })
  } catch (error) {
    // The commit may have happened although its answer was lost, and we are alive: no sweeper comes.
    const end = { status: 'failed', errorCode: errorCode(error), stage, latencyMs: 0 } as const
    void release(billing, dropPosting(billing.clock, order, holdId, end))
    throw error
  }
  const { outcome } = posted
  if (outcome?.kind === 'tight') {
    const closer = { ...order, bounds: order.closerBounds!(), closerBounds: undefined }
    return hold(billing, closer, holdId, recalled)
  }
  if (outcome?.kind === 'refused' && !recalled) {
    const returned = await billing.queue.recallFloats(accountId, billing.processId)
    if (returned) return hold(billing, order, holdId, true)
  }
  if (outcome?.kind !== 'held') {
    throw new Failure('insufficient', 'Not enough credits for this request. Top up and try again.')
  }
  const { limitMicro, ceilingMicro } = outcome
  const { floatId } = posted
  if (bounds === undefined || limitMicro >= bounds.mostMicro)
    return { allowance: undefined, floatId }
  return { allowance: { bounds, limitMicro, ceilingMicro }, floatId }
}

/** Nothing more when the hold is gone, or nobody can be asked: then the work has to end. */
async function extend(
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

async function settle(
  billing: Billing,
  order: BillOrder,
  { holdId, floatId }: { holdId: string | undefined; floatId: string | undefined },
  settlement: Settlement,
): Promise<Receipt> {
  const { clock, queue } = billing
  const { lines, records, keep } = settlement
  let receipt: Receipt | undefined
  try {
    const draft = keep?.answer(wholeCharge(holdId, lines))
    const early = draft && (await queue.keepEarly(keep!.claim, draft))
    receipt = await queue.submitSurely(settlePosting(clock, order, holdId, settlement, early), {
      fromPosted: (posted) => postedReceipt(posted, keep !== undefined),
      fromDatabase: () => recordedReceipt(queue, records),
    })
  } catch (error) {
    // With a key the charge may stay: its answer is kept for the retry.
    if (!keep && holdId !== undefined) {
      await billing.doubtfulCharges.note({ ...doubtfulCharge(order, holdId, records), floatId })
    }
    void release(billing, unchargedPosting(clock, order, holdId, settlement))
    throw error
  }
  if (receipt === undefined) throw interrupted()
  return receipt
}

/** Nearly always the receipt: only an account that runs out of credits pays less. */
function wholeCharge(holdId: string | undefined, lines: BillLine[]): Receipt {
  const costs = holdId === undefined ? [] : lines.map(({ costMicro }) => costMicro)
  return { chargedMicro: sumMicro(costs), remainingMicro: undefined }
}

async function recordedReceipt(
  queue: PostingQueue,
  records: ActivityRecord[],
): Promise<Receipt | undefined> {
  const costs = await queue.recordedCosts(records.map((one) => one.id))
  return costs && { chargedMicro: sumMicro(costs), remainingMicro: undefined }
}

/** Should the charge have been committed after all, it is given back. */
function doubtfulCharge(
  order: BillOrder,
  holdId: string,
  records: ActivityRecord[],
): DoubtfulCharge {
  const { accountId } = order.principal
  const { model, workspaceId } = records[0]!
  return { accountId, holdId, recordIds: records.map((one) => one.id), model, workspaceId }
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * Resolves after the first try, so that a caller never waits for a database that is away; further
 * tries follow until one succeeds. If this process dies first, the sweeper does the same.
 */
async function release(billing: Billing, posting: Posting): Promise<void> {
  if (!(await tryRelease(billing, posting))) void releaseLater(billing, posting)
}

async function releaseLater(billing: Billing, posting: Posting): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    await wait(waitMs, undefined, { ref: false })
    if (await tryRelease(billing, posting)) return
  }
}

async function tryRelease({ queue, log }: Billing, posting: Posting): Promise<boolean> {
  try {
    await queue.submit(posting)
    return true
  } catch (error) {
    log.warn('A hold could not be released; it will be tried again.', { error })
    return false
  }
}

function errorCode(error: unknown): string {
  if (!(error instanceof Failure)) return 'internal_error'
  return error.code ?? error.kind
}

function interrupted(): Failure {
  return new Failure('unavailable', 'The call was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
}
