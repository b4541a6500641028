import type { CostBounds, HoldOwner, Outcome } from '../../ledger/commands.ts'
import { greater, lesser } from '../../ledger/money.ts'
import { Failure } from '../../lib/failure.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { Billing } from './billing.ts'
import { insufficient } from './insufficient.ts'
import {
  callTraces,
  type BillOrder,
  type CallLimit,
  type CallPosting,
  type UsualCost,
} from './rows.ts'

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

/** Committed already. */
const DONE = Promise.resolve()

function worstCaseOf({ bounds, estimateMicro, minimumMicro }: BillOrder): bigint {
  if (bounds !== undefined) return bounds.worstCaseMicro
  return estimateMicro > minimumMicro ? estimateMicro : minimumMicro
}

/** Nothing is held. After any other error a hold may be there. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof Failure && (error.kind === 'insufficient' || error.kind === 'rate_limited')
  )
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
  const owned = { owner: { process: billing.processId } }
  try {
    return limitOf(await holdWithin(billing, order, { holdId, ...owned }))
  } catch (error) {
    if (isRefusal(error)) billing.openHolds.delete(holdId)
    throw error
  }
}

/** Whose it is, and what else belongs into its commit. */
type NewHold = { holdId: string; owner: HoldOwner } & Pick<CallPosting, 'writes' | 'onlyIf'>

/** A hold that was placed, and by which amounts. */
type Placed = { outcome: Extract<Outcome, { kind: 'held' }>; asked: HoldAmounts }

export async function holdWithin(
  billing: Billing,
  order: BillOrder,
  made: NewHold,
): Promise<Placed> {
  const { accountId } = order.principal
  const allowanceMicro = order.usual && (await billing.guessAllowance(accountId))
  const submit = (amounts: HoldAmounts) =>
    submitHold(billing, order, holdCommand(billing, amounts, allowanceMicro), made)
  let asked: HoldAmounts = order
  let outcome = await submit(asked)
  if (outcome?.kind === 'needs_exact_bounds') {
    asked = { ...order, ...order.exact!() }
    outcome = await submit(asked)
  }
  if (outcome?.kind === 'guess_open') throw anotherGuess()
  if (outcome?.kind !== 'held') {
    const { availableMicro, guessed } = outcome?.kind === 'refused' ? outcome : NOTHING_THERE
    throw insufficient({ availableMicro, neededMicro: leastOf(guessed ? asked.usual! : asked) })
  }
  return { outcome, asked }
}

function limitOf({ outcome, asked }: Placed): CallLimit | undefined {
  const { limitMicro, ceilingMicro, guessed } = outcome
  const bounds = guessed ? guessedBounds(asked.usual!, limitMicro) : asked.bounds
  if (bounds === undefined || limitMicro >= bounds.worstCaseMicro) return undefined
  return { bounds, limitMicro, ceilingMicro }
}

const NOTHING_THERE = { availableMicro: 0n, guessed: undefined }

type HoldAmounts = Pick<BillOrder, 'estimateMicro' | 'minimumMicro' | 'bounds' | 'usual'>

/** What is left for the answer is at least half of what is not certain to be spent before it. */
export function guessedBounds({ bounds, certainMicro }: UsualCost, limitMicro: bigint): CostBounds {
  const halfMicro = certainMicro + (limitMicro - bounds.minimumMicro) / 2n
  return { ...bounds, committedMicro: lesser(bounds.committedMicro, halfMicro) }
}

const GUESS_RETRY_S = 5

function anotherGuess(): Failure {
  return new Failure(
    'rate_limited',
    'A call of this account is running that sends a link or a file of unknown size. Send the next one when it has ended, or send the file itself, or top up.',
    { retryAfterS: GUESS_RETRY_S },
  )
}

/** An empty account gets nothing, however little is needed. */
function leastOf({ minimumMicro, bounds }: Omit<HoldAmounts, 'usual'>): bigint {
  return greater(minimumMicro, bounds === undefined || bounds.rough ? 1n : bounds.minimumMicro)
}

/** Without an allowance the worst case is asked. */
function holdCommand(
  { clock }: Billing,
  { estimateMicro, minimumMicro, bounds, usual }: HoldAmounts,
  allowanceMicro: bigint | undefined,
) {
  const amounts = { estimateMicro, minimumMicro, bounds }
  if (usual === undefined || allowanceMicro === undefined) return amounts
  return { ...amounts, usual: { ...usual, allowanceMicro, at: clock.now() } }
}

async function submitHold(
  { queue }: Billing,
  order: BillOrder,
  amounts: ReturnType<typeof holdCommand>,
  { holdId, owner, ...beside }: NewHold,
) {
  const { principal, stage } = order
  const { accountId } = principal
  const about = { ...stage, ...callTraces(order) }
  const command = { kind: 'hold' as const, accountId, holdId, ...amounts, owner, about }
  const { outcome, replaced } = await queue.submit({ accountId, command, ...beside })
  if (replaced) throw interrupted()
  return outcome
}

export function interrupted(): Failure {
  return new Failure('unavailable', 'The call was interrupted and not charged. Send it again.', {
    retryAfterS: 1,
  })
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
