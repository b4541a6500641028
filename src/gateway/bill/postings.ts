import { costsOf } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import {
  storeEarly,
  lockClaim,
  storeAnswer,
  type AnswerToStore,
} from '../../idempotency/replay-store.ts'
import type { Charge, Outcome } from '../../ledger/commands.ts'
import type { EarlyBody } from '../../lib/answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { patiently } from '../../ledger/posting-queue.ts'
import type { Billing } from './billing.ts'
import type { DoubtfulCharge } from './doubtful-charges.ts'
import {
  chargedRecords,
  droppedRecords,
  sumMicro,
  type BillIds,
  type BillLine,
  type BillOrder,
  type CallPosted,
  type CallPosting,
  type CallWrite,
  type Dropped,
  type Receipt,
  type Settlement,
} from './rows.ts'

/**
 * Commits the charge, though the database may go away for a moment. None when the hold was gone, or
 * the claim on the key no longer ours: then nothing was charged.
 */
export async function settleSurely(
  { db, queue, clock }: Pick<Billing, 'db' | 'queue' | 'clock'>,
  order: BillOrder,
  ids: BillIds,
  settlement: Settlement,
): Promise<Receipt | undefined> {
  const { lines, records, keep } = settlement
  const draft = keep?.answer(wholeCharge(ids, lines))
  const early = draft && (await patiently(() => storeEarly(db, keep!.claim, draft)))
  return queue.submitSurely(settlePosting(clock, order, ids, settlement, early), {
    fromPosted: postedReceipt,
    fromDatabase: () => recordedReceipt({ db }, records),
  })
}

/** Nearly always the receipt: only an account that runs out of credits pays less. */
function wholeCharge({ holdId }: BillIds, lines: BillLine[]): Receipt {
  const costs = holdId === undefined ? [] : lines.map(({ costMicro }) => costMicro)
  return { chargedMicro: sumMicro(costs), remainingMicro: undefined }
}

/** What the records say, if all of them were written. */
async function recordedReceipt(
  { db }: Pick<Billing, 'db'>,
  records: ActivityRecord[],
): Promise<Receipt | undefined> {
  const ids = records.map((one) => one.id)
  const costs = await costsOf(db, ids)
  const known = ids.flatMap((id) => costs.get(id) ?? [])
  if (known.length < ids.length) return undefined
  return { chargedMicro: sumMicro(known), remainingMicro: undefined }
}

/** Should the charge have been committed after all, it is given back. */
export function doubtfulCharge(
  order: BillOrder,
  holdId: string,
  records: ActivityRecord[],
): DoubtfulCharge {
  const { accountId } = order.principal
  const { model, workspaceId } = records[0]!
  return { accountId, holdId, recordIds: records.map((one) => one.id), model, workspaceId }
}

/**
 * Charge, records and stored answer in one; with a key only while the claim on it is still ours. A
 * large answer was written `early`.
 */
function settlePosting(
  clock: Clock,
  order: BillOrder,
  ids: BillIds,
  settlement: Settlement,
  early?: EarlyBody,
): CallPosting {
  const { lines, records, keep, writes } = settlement
  const { holdId } = ids
  const { accountId } = order.principal
  const charges = lines.map((line, i) => chargeOf(order, line, records[i]!.id))
  const uncharged = () => unchargedPosting(clock, order, ids, settlement)
  return {
    accountId,
    command: holdId === undefined ? undefined : { kind: 'settle', accountId, holdId, charges },
    writes: (outcome) => {
      if (outcome?.kind === 'gone') return uncharged().writes!(outcome)
      return [
        ...recordWrites(chargedRecords(records, outcome)),
        ...(keep ? [answerWrite({ ...keep, answer: keep.answer(receiptOf(outcome)), early })] : []),
        ...(writes?.() ?? []),
      ]
    },
    onlyIf: keep && { stillTrue: (tx) => lockClaim(tx, keep.claim), otherwise: uncharged() },
  }
}

export function answerWrite(stored: AnswerToStore): CallWrite {
  return { write: (tx) => storeAnswer(tx, stored) }
}

/** None when the hold was gone, or the claim on the key no longer ours: nothing was charged. */
function postedReceipt({ outcome, replaced }: CallPosted): Receipt | undefined {
  const gone = outcome !== undefined && outcome.kind !== 'settled'
  return gone || replaced ? undefined : receiptOf(outcome)
}

/**
 * The settlement did not happen, or must not: this run ends without a charge. Its records bear the
 * ids of those that would have been written, so that even without a hold to decide it only one of
 * the two ends can enter the table.
 */
export function unchargedPosting(
  clock: Clock,
  order: BillOrder,
  ids: BillIds,
  { lines, records }: Settlement,
): CallPosting {
  const { stage, latencyMs, course, costMicro: micro, upstreamCost } = lines.at(-1)!
  const why = { status: 'failed', errorCode: 'interrupted' } as const
  const end = { ...why, stage, latencyMs, course, waived: { micro, upstreamCost } }
  const ranIds = records.slice(0, -1).map((one) => one.id)
  return dropPosting(clock, order, ids, { ...end, ran: lines.slice(0, -1), ranIds })
}

/**
 * Releases the hold, and records what had run as free. A hold that is gone was released or lost:
 * the sweeper may have recorded that, a crash of the database has not. Both records have one id.
 */
export function dropPosting(
  clock: Clock,
  order: BillOrder,
  ids: BillIds,
  end: Dropped & { ranIds?: string[] },
): CallPosting {
  const records = droppedRecords(clock, order, ids, end)
  const { holdId } = ids
  const { accountId } = order.principal
  return {
    accountId,
    command: holdId === undefined ? undefined : { kind: 'release', accountId, holdId },
    writes: (outcome) =>
      outcome?.kind === 'gone'
        ? recordWrites(records.slice(-1))
        : [...recordWrites(records), ...(end.writes ?? [])],
  }
}

/** Its caller was told that it could not be begun: there is a record only if there was a hold. */
export function unbegunPosting(
  clock: Clock,
  order: BillOrder,
  ids: BillIds,
  errorCode: string,
): CallPosting {
  const end = { status: 'failed', errorCode, stage: order.stage, latencyMs: 0 } as const
  const posting = dropPosting(clock, order, ids, end)
  return {
    ...posting,
    writes: (outcome) => (outcome?.kind === 'gone' ? [] : posting.writes!(outcome)),
  }
}

function recordWrites(records: ActivityRecord[]): CallWrite[] {
  return records.map((row) => ({ row }))
}

/** What a line costs, under a key that can be charged once, ever. */
function chargeOf(order: BillOrder, line: BillLine, recordId: string): Charge {
  const { principal } = order
  return {
    costMicro: line.costMicro,
    entry: {
      id: recordId,
      type: 'usage',
      key: `usage:${recordId}`,
      description: line.stage.model,
      reference: { type: 'activity', id: recordId },
      workspaceId: principal.kind === 'key' ? principal.workspaceId : undefined,
    },
  }
}

function receiptOf(outcome: Outcome | undefined): Receipt {
  if (outcome?.kind !== 'settled') return { chargedMicro: 0n, remainingMicro: undefined }
  return { chargedMicro: sumMicro(outcome.chargedMicro), remainingMicro: outcome.availableMicro }
}
