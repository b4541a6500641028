import { setTimeout as wait } from 'node:timers/promises'
import type { Keep } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Billing } from './billing.ts'
import { insufficient } from './insufficient.ts'
import {
  callTraces,
  completedRecord,
  dropPosting,
  unchargedPosting,
  type CallLimit,
  type BillLine,
  type BillOrder,
  type CallPosting,
  type CallWrite,
  type Dropped,
  type Receipt,
  type Settlement,
  type Stage,
} from './rows.ts'
import { doubtfulCharge, settleSurely } from './settle.ts'
import { traced, tracedEnds } from './traced-bill.ts'

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

/**
 * Where the account can easily pay, the upstream may be asked while the hold is on its way;
 * everywhere else the hold is committed first.
 */
export async function openBill(billing: Billing, order: BillOrder): Promise<Bill> {
  const holdId = order.estimateMicro === 0n && order.minimumMicro === 0n ? undefined : uuidv7()
  // A bill may be open for long. `exactBounds` would keep the text of the prompt all that time.
  const held = { ...order, exactBounds: undefined }
  const bill =
    holdId === undefined
      ? billOf(billing, held, { holdId, callLimit: undefined, holding: FREE })
      : await heldBill(billing, held, holdId, placeHold(billing, order, holdId))
  return order.trace === undefined ? bill : tracedEnds(order.trace, bill)
}

const FREE = Promise.resolve(undefined)

/** `leave` ends the count among the unconfirmed, where the hold may be on its way for a while. */
type Holding = { holding: Promise<CallLimit | undefined>; leave: (() => void) | undefined }

function placeHold(billing: Billing, order: BillOrder, holdId: string): Holding {
  const { trace, principal } = order
  const worstMicro = order.bounds?.worstCaseMicro ?? order.estimateMicro
  const leave = billing.queue.unconfirmed.enter(principal.accountId, worstMicro)
  return { holding: traced(trace, 'hold', () => hold(billing, order, holdId)), leave }
}

async function heldBill(
  billing: Billing,
  order: BillOrder,
  holdId: string,
  { holding, leave }: Holding,
): Promise<Bill> {
  if (leave === undefined) {
    return billOf(billing, order, { holdId, callLimit: await holding, holding })
  }
  // A smaller limit than the call may need is no reason to end it now: its worst case is within what
  // may be unconfirmed.
  void holding.then(leave, (error: Failure) => {
    leave()
    order.abort(error)
  })
  return billOf(billing, order, { holdId, callLimit: undefined, holding })
}

function billOf(
  billing: Billing,
  order: BillOrder,
  {
    holdId,
    callLimit,
    holding,
  }: { holdId: string | undefined; callLimit: CallLimit | undefined } & Pick<Holding, 'holding'>,
): Bill {
  let open = true
  return {
    callLimit,
    confirm: async (work) => (await Promise.all([work, holding]))[0],
    extend: (byMicro) => extend(billing, order, holdId!, byMicro),
    async settle(lines, keep, writes) {
      await holding
      if (!open) throw interrupted()
      open = false
      const records = lines.map((line) => completedRecord(billing.clock, order, line))
      return settle(billing, order, holdId, { lines, records, keep, writes })
    },
    async drop(end) {
      if (!open) return
      open = false
      const refusal = await holding.then(() => undefined, refusalOf)
      // Without an answer to the hold its release, and the record, are under way already.
      if (refusal === 'unknown') return
      const ownId = refusal === 'refused' ? undefined : holdId
      await release(billing, dropPosting(billing.clock, order, ownId, end))
    },
  }
}

function refusalOf(error: unknown): 'refused' | 'unknown' {
  return error instanceof Failure && error.kind === 'insufficient' ? 'refused' : 'unknown'
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

async function hold(
  billing: Billing,
  order: BillOrder,
  holdId: string,
): Promise<CallLimit | undefined> {
  const { principal, stage, estimateMicro, minimumMicro, bounds } = order
  const { accountId } = principal
  const command = {
    kind: 'hold' as const,
    accountId,
    holdId,
    estimateMicro,
    minimumMicro,
    bounds,
    owner: { process: billing.processId },
    about: { ...stage, ...callTraces(order) },
  }
  billing.openHolds.add(holdId)
  const outcome = await submitHold(billing, order, command)
  if (outcome?.kind === 'needs_exact_bounds') {
    const closer = { ...order, bounds: order.exactBounds!(), exactBounds: undefined }
    return hold(billing, closer, holdId)
  }
  if (outcome?.kind !== 'held') {
    billing.openHolds.delete(holdId)
    throw insufficient()
  }
  const { limitMicro, ceilingMicro } = outcome
  if (bounds === undefined || limitMicro >= bounds.worstCaseMicro) return undefined
  return { bounds, limitMicro, ceilingMicro }
}

async function submitHold(
  billing: Billing,
  order: BillOrder,
  command: Extract<NonNullable<CallPosting['command']>, { kind: 'hold' }>,
) {
  const { accountId, holdId } = command
  try {
    return (await billing.queue.submit({ accountId, command })).outcome
  } catch (error) {
    // The commit may have happened although its answer was lost, and we are alive: no sweeper comes.
    const { stage } = order
    const end = { status: 'failed', errorCode: errorCode(error), stage, latencyMs: 0 } as const
    void release(billing, dropPosting(billing.clock, order, holdId, end))
    throw error
  }
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
  holdId: string | undefined,
  settlement: Settlement,
): Promise<Receipt> {
  let receipt: Receipt | undefined
  try {
    receipt = await settleSurely(billing, order, holdId, settlement)
  } catch (error) {
    // With a key the charge may stay: its answer is stored for the retry.
    if (!settlement.keep && holdId !== undefined) {
      await billing.doubtfulCharges.note(doubtfulCharge(order, holdId, settlement.records))
    }
    void release(billing, unchargedPosting(billing.clock, order, holdId, settlement))
    throw error
  }
  if (holdId !== undefined) billing.openHolds.delete(holdId)
  if (receipt === undefined) throw interrupted()
  return receipt
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * Resolves after the first try, so that a caller never waits for a database that is away; further
 * tries follow until one succeeds. If this process dies first, the sweeper does the same.
 */
async function release(billing: Billing, posting: CallPosting): Promise<void> {
  if (!(await tryRelease(billing, posting))) void releaseLater(billing, posting)
}

async function releaseLater(billing: Billing, posting: CallPosting): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    await wait(waitMs, undefined, { ref: false })
    if (await tryRelease(billing, posting)) return
  }
}

async function tryRelease(
  { queue, openHolds, log }: Billing,
  posting: CallPosting,
): Promise<boolean> {
  try {
    await queue.submit(posting)
    const { command } = posting
    if (command?.kind === 'release') openHolds.delete(command.holdId)
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
