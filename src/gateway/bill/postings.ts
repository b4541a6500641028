import type { ActivityRecord } from '../../activity/record.ts'
import { lockClaim, storeAnswer, type AnswerToKeep } from '../../idempotency/replay-store.ts'
import type { Charge, Outcome } from '../../ledger/commands.ts'
import type { EarlyBody } from '../../lib/answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { chargedRecords, droppedRecords } from './records.ts'
import {
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
 * Charge, records and stored answer in one; with a key only while the claim on it is still ours. A
 * large answer was written `early`.
 */
export function settlePosting(
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

export function answerWrite(stored: AnswerToKeep): CallWrite {
  return { write: (tx) => storeAnswer(tx, stored) }
}

/** None when the hold was gone, or the claim on the key no longer ours: nothing was charged. */
export function postedReceipt({ outcome, replaced }: CallPosted): Receipt | undefined {
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
