import { setTimeout as wait } from 'node:timers/promises'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Charge } from '../../billing/commands.ts'
import type { Keep } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  charge,
  paid,
  record,
  traces,
  type Dropped,
  type Line,
  type Order,
  type Receipt,
  type Stage,
} from './rows.ts'
import type { Books, Posting, Posted, Rows } from './posting-queue.ts'
import type { Debt, Debts } from './doubtful-charges.ts'

/**
 * The only road to an upstream: `openBill` commits a hold, then the work runs outside any
 * transaction, then the bill ends in exactly one of three ways. Every exit is in this file.
 */
export type Bill = {
  /** It finished: charge, records and kept answer in one commit. Throws when the hold is gone. */
  settle(lines: Line[], keep?: Keep<Receipt>): Promise<Receipt>
  /** It broke, or the caller left: the hold is released and the record says which. */
  drop(end: Dropped): Promise<void>
}

export type Desk = { books: Books; debts: Debts; processId: string; clock: Clock; log: Log }

export async function openBill(desk: Desk, order: Order): Promise<Bill> {
  const holdId = order.wantMicro === 0n && order.needMicro === 0n ? undefined : uuidv7()
  if (holdId !== undefined) await hold(desk, order, holdId)
  let open = true
  return {
    async settle(lines, keep) {
      open = false
      return settle(desk, order, holdId, lines, keep)
    },
    async drop(end) {
      if (!open) return
      open = false
      await releaseAtLast(desk, dropPosting(desk, order, holdId, end))
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

async function hold(desk: Desk, order: Order, holdId: string): Promise<void> {
  const { principal, wantMicro, needMicro } = order
  const { accountId } = principal
  const command = {
    kind: 'hold' as const,
    accountId,
    holdId,
    wantMicro,
    needMicro,
    owner: { process: desk.processId },
    about: { ...order.stage, ...traces(order) },
  }
  let posted: Posted
  try {
    posted = await desk.books.submit({ accountId, command })
  } catch (error) {
    // The commit may have happened although its answer was lost, and we are alive: no sweeper comes.
    const end = { status: 'failed', errorCode: errorCode(error) } as const
    void releaseAtLast(desk, dropPosting(desk, order, holdId, { ...end, ...unstarted(order) }))
    throw error
  }
  if (posted.outcome?.kind === 'refused') {
    throw new Failure('insufficient', 'Not enough credits for this request. Top up and try again.')
  }
}

async function settle(
  desk: Desk,
  order: Order,
  holdId: string | undefined,
  lines: Line[],
  keep: Keep<Receipt> | undefined,
): Promise<Receipt> {
  const records = lines.map((line) => record(desk.clock, order, line))
  const charges = lines.map((line, i) => charge(order, line, records[i]!.id))
  const otherwise = () => lost(desk, order, holdId, { lines, records })
  const posting: Posting = {
    accountId: order.principal.accountId,
    ...(holdId === undefined ? {} : { command: settleCommand(order, holdId, charges) }),
    rows: (outcome) => {
      if (outcome !== undefined && outcome.kind !== 'settled') return {}
      const kept = keep && { claim: keep.claim, answer: keep.answer(receiptOf(outcome)) }
      return { records: paid(records, outcome), ...(kept && { kept }) } satisfies Rows
    },
    ...(keep && { claimed: { claim: keep.claim, otherwise: otherwise() } }),
  }
  let posted: Posted | bigint[]
  try {
    posted = await submitSurely(desk, posting, records)
  } catch (error) {
    // With a key the charge may stand: its answer waits for the retry.
    if (!keep && holdId !== undefined) await desk.debts.note(debtOf(order, holdId, records))
    void releaseAtLast(desk, otherwise())
    throw error
  }
  if (Array.isArray(posted)) return { chargedMicro: sum(posted), remainingMicro: undefined }
  const { outcome, rows } = posted
  const refused = outcome !== undefined && outcome.kind !== 'settled'
  if (refused || (keep && rows.kept === undefined)) throw interrupted()
  return receiptOf(outcome)
}

/** From the first trouble on: an answer that is long in coming must leave time to ask again. */
const SETTLE_PATIENCE_MS = 10_000
const SETTLE_RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is tried again; it changes nothing if it was done, and then the records tell the charge.
 */
async function submitSurely(
  desk: Desk,
  posting: Posting,
  records: ActivityRecord[],
): Promise<Posted | bigint[]> {
  let giveUpMs = Infinity
  for (let tries = 1; ; tries++) {
    try {
      const posted = await desk.books.submit(posting)
      const done = tries > 1 && (await desk.books.costs(records.map((one) => one.id)))
      return done || posted
    } catch (error) {
      const away = error instanceof Failure && error.kind === 'unavailable'
      giveUpMs = Math.min(giveUpMs, performance.now() + SETTLE_PATIENCE_MS)
      if (!away || performance.now() > giveUpMs) throw error
      await wait(SETTLE_RETRY_MS)
    }
  }
}

/**
 * The settlement did not happen, or must not: this run ends without a charge. Its records bear the
 * ids of those that would have been: without a hold to decide it, the table lets one end be told.
 */
function lost(
  desk: Desk,
  order: Order,
  holdId: string | undefined,
  would: { lines: Line[]; records: ActivityRecord[] },
): Posting {
  const { stage, latencyMs } = would.lines.at(-1)!
  const end = { status: 'failed', errorCode: 'interrupted', stage, latencyMs } as const
  const ids = would.records.map((one) => one.id)
  return dropPosting(desk, order, holdId, { ...end, ran: would.lines.slice(0, -1), ids })
}

/** Should the charge have been committed after all, it is given back. */
function debtOf(order: Order, holdId: string, records: ActivityRecord[]): Debt {
  const { accountId } = order.principal
  const { model, workspaceId } = records[0]!
  const recordIds = records.map((one) => one.id)
  return { accountId, holdId, recordIds, model, ...(workspaceId && { workspaceId }) }
}

function unstarted({ stage }: Order): { stage: Stage; latencyMs: number } {
  return { stage, latencyMs: 0 }
}

function settleCommand(order: Order, holdId: string, charges: Charge[]) {
  return { kind: 'settle' as const, accountId: order.principal.accountId, holdId, charges }
}

function receiptOf(outcome: Posted['outcome']): Receipt {
  if (outcome?.kind !== 'settled') return { chargedMicro: 0n, remainingMicro: undefined }
  return { chargedMicro: sum(outcome.chargedMicro), remainingMicro: outcome.availableMicro }
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n)
}

const UNUSED = { costMicro: 0n, estimated: false }

function dropPosting(
  desk: Desk,
  order: Order,
  holdId: string | undefined,
  end: Dropped & { ids?: string[] },
): Posting {
  const ran = (end.ran ?? []).map((line) => record(desk.clock, order, { ...line, costMicro: 0n }))
  const last = {
    ...record(desk.clock, order, { stage: end.stage, latencyMs: end.latencyMs, ...UNUSED }),
    status: end.status,
    errorCode: end.errorCode,
  }
  const records = [...ran, last].map((one, i) => ({ ...one, id: end.ids?.[i] ?? one.id }))
  const { accountId } = order.principal
  return {
    accountId,
    ...(holdId === undefined ? {} : { command: { kind: 'release', accountId, holdId } }),
    // A hold that is gone was closed by someone else, who wrote the record.
    rows: (outcome) => (outcome?.kind === 'gone' ? {} : { records }),
  }
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * Resolves after the first try, so that a caller never waits for a database that is away; further
 * tries go on until it has heard. If this process dies first, the sweeper does the same.
 */
async function releaseAtLast(desk: Desk, posting: Posting): Promise<void> {
  const release = async () => void (await desk.books.submit(posting))
  if (!(await heard(desk, release))) void untilHeard(desk, release)
}

async function untilHeard(desk: Desk, act: () => Promise<void>): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    await wait(waitMs, undefined, { ref: false })
    if (await heard(desk, act)) return
  }
}

async function heard(desk: Desk, act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    desk.log.warn('a hold could not be released yet', { error })
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
