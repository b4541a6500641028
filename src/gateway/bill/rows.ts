import type { ActivityKind, ActivityRecord, ActivityStatus } from '../../activity/record.ts'
import type { CostBounds, Charge, Outcome } from '../../ledger/commands.ts'
import type { EarlyBody, Keep } from '../../lib/answer.ts'
import type { CallCourse } from '../../lib/telemetry/call-course.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { UpstreamCost } from '../../ledger/upstream-cost.ts'
import { lockClaim, storeAnswer, type AnswerToKeep } from '../../idempotency/replay-store.ts'
import type * as ledger from '../../ledger/post.ts'

/** What bills send to the ledger: with the records of calls as the rows of charges. */
export type CallPosting = ledger.Posting<ActivityRecord>
export type CallPosted = ledger.Posted<ActivityRecord>
export type CallWrite = ledger.Write<ActivityRecord>

/** What is about to be paid for. Both amounts zero: the model is free and nothing is held. */
export type BillOrder = {
  principal: Principal
  requestId: string
  stage: Stage
  estimateMicro: bigint
  minimumMicro: bigint
  /** What it may come to cost; left out where the two above say it. */
  bounds?: CostBounds | undefined
  /** The same by a closer look, for an account that has little more than that. */
  exactBounds?: (() => CostBounds) | undefined
  /** Where the request is followed. */
  trace?: RequestTrace | undefined
  /** Ends the work when it turns out that it cannot be paid for. */
  abort(reason: Failure): void
}

/** What a call may cost whose account cannot easily pay the worst case. */
export type CallLimit = {
  bounds: CostBounds
  limitMicro: bigint
  /** No extension goes beyond it. */
  ceilingMicro: bigint
}

/** A call has one stage; the combined voice flow has three. */
export type Stage = {
  kind: ActivityKind
  /** The bare catalog id. */
  model: string
  priceSnapshotId?: string | undefined
}

/** A stage that ran, and what it used. */
export type BillLine = {
  stage: Stage
  costMicro: bigint
  latencyMs: number
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
  /** The upstream reported no usage that could be believed. */
  estimated: boolean
  upstreamCost?: UpstreamCost | undefined
  course?: CallCourse | undefined
}

/** A stage's cost and usage, before it is known how long the stage took. */
export type StageUsage = Omit<BillLine, 'stage' | 'latencyMs' | 'course'>

export type Dropped = {
  status: Exclude<ActivityStatus, 'completed'>
  errorCode: string
  stage: Stage
  latencyMs: number
  course?: CallCourse | undefined
  /** What was done of it all the same: its worth to the caller and its cost to us. */
  waived?: Waived | undefined
  /** Stages that had completed before; they are recorded and not charged. */
  ran?: BillLine[]
  /** What else belongs into the same commit. */
  writes?: CallWrite[]
}

export type Waived = { micro: bigint; upstreamCost?: UpstreamCost | undefined }

export type Receipt = {
  chargedMicro: bigint
  /** Available after the charge; unknown when nothing was held. */
  remainingMicro: bigint | undefined
}

export function newCourse(): CallCourse {
  return { beganMs: performance.now(), attempts: 0 }
}

export function stageOf(kind: ActivityKind, model: { id: string; priceSnapshotId: string }): Stage {
  return { kind, model: model.id, priceSnapshotId: model.priceSnapshotId }
}

/** Which request and which key, for the record and for the hold of a process that dies. */
export function callTraces(order: Pick<BillOrder, 'principal' | 'requestId'>): {
  requestId: string
  keyId?: string
  workspaceId?: string
} {
  const { principal, requestId } = order
  if (principal.kind !== 'key') return { requestId }
  return { requestId, keyId: principal.keyId, workspaceId: principal.workspaceId }
}

/** All its members are named, so that all records have the same form: this runs for every call. */
export function completedRecord(clock: Clock, order: BillOrder, line: BillLine): ActivityRecord {
  const { requestId, keyId, workspaceId } = callTraces(order)
  const { stage, course } = line
  const createdAt = clock.now()
  return {
    id: uuidv7(createdAt.getTime()),
    accountId: order.principal.accountId,
    workspaceId,
    keyId,
    requestId,
    kind: stage.kind,
    model: stage.model,
    promptTokens: line.promptTokens,
    completionTokens: line.completionTokens,
    totalTokens: line.totalTokens,
    costMicro: line.costMicro,
    uncollectedMicro: undefined,
    giftMicro: undefined,
    waivedMicro: undefined,
    upstreamCost: line.upstreamCost,
    upstream: course?.upstream,
    attempts: course?.attempts,
    firstByteMs: course?.firstByteMs,
    latencyMs: line.latencyMs,
    status: 'completed',
    errorCode: undefined,
    estimated: line.estimated,
    priceSnapshotId: stage.priceSnapshotId,
    createdAt,
  }
}

/** What a bill writes when its work has finished. */
export type Settlement = {
  lines: BillLine[]
  records: ActivityRecord[]
  keep?: Keep<Receipt> | undefined
  /** What else belongs into the same commit. */
  writes?: (() => CallWrite[]) | undefined
}

/**
 * Charge, records and kept answer in one; with a key only while the claim on it is still ours. A
 * large answer was written `early`.
 */
export function settlePosting(
  clock: Clock,
  order: BillOrder,
  holdId: string | undefined,
  settlement: Settlement,
  early?: EarlyBody,
): CallPosting {
  const { lines, records, keep, writes } = settlement
  const { accountId } = order.principal
  const charges = lines.map((line, i) => chargeOf(order, line, records[i]!.id))
  return {
    accountId,
    command: holdId === undefined ? undefined : { kind: 'settle', accountId, holdId, charges },
    writes: (outcome) => {
      if (outcome !== undefined && outcome.kind !== 'settled') return []
      return [
        ...recordWrites(chargedRecords(records, outcome)),
        ...(keep ? [answerWrite({ ...keep, answer: keep.answer(receiptOf(outcome)), early })] : []),
        ...(writes?.() ?? []),
      ]
    },
    onlyIf: keep && {
      stillTrue: (tx) => lockClaim(tx, keep.claim),
      otherwise: unchargedPosting(clock, order, holdId, settlement),
    },
  }
}

export function answerWrite(stored: AnswerToKeep): CallWrite {
  return { write: (tx) => storeAnswer(tx, stored) }
}

function recordWrites(records: ActivityRecord[]): CallWrite[] {
  return records.map((row) => ({ row }))
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
  holdId: string | undefined,
  { lines, records }: Settlement,
): CallPosting {
  const { stage, latencyMs, course, costMicro: micro, upstreamCost } = lines.at(-1)!
  const why = { status: 'failed', errorCode: 'interrupted' } as const
  const end = { ...why, stage, latencyMs, course, waived: { micro, upstreamCost } }
  const ids = records.map((one) => one.id)
  return dropPosting(clock, order, holdId, { ...end, ran: lines.slice(0, -1), ids })
}

/** Releases the hold, and records what had run as free. */
export function dropPosting(
  clock: Clock,
  order: BillOrder,
  holdId: string | undefined,
  end: Dropped & { ids?: string[] },
): CallPosting {
  const dropped = droppedRecords(clock, order, end)
  const records = dropped.map((one, i) => ({ ...one, id: end.ids?.[i] ?? one.id }))
  const { accountId } = order.principal
  return {
    accountId,
    command: holdId === undefined ? undefined : { kind: 'release', accountId, holdId },
    // A hold that is gone was closed by someone else, who wrote the record.
    writes: (outcome) =>
      outcome?.kind === 'gone' ? [] : [...recordWrites(records), ...(end.writes ?? [])],
  }
}

/** The records with what the ledger really took, and what it could not. */
export function chargedRecords(
  records: ActivityRecord[],
  outcome: Outcome | undefined,
): ActivityRecord[] {
  if (outcome?.kind !== 'settled') return records.map((one) => ({ ...one, costMicro: 0n }))
  return records.map((one, i) => {
    const costMicro = outcome.chargedMicro[i]!
    const giftMicro = outcome.giftMicro[i]!
    return { ...one, costMicro, giftMicro, uncollectedMicro: one.costMicro - costMicro }
  })
}

export function sumMicro(amounts: bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n)
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

const UNUSED = { costMicro: 0n, estimated: false }

/** One record for each stage that had run and one for the stage that did not complete. */
function droppedRecords(clock: Clock, order: BillOrder, end: Dropped): ActivityRecord[] {
  const { stage, latencyMs, status, errorCode, course, waived } = end
  const ran = (end.ran ?? []).map((line) => ({
    ...completedRecord(clock, order, { ...line, costMicro: 0n }),
    waivedMicro: line.costMicro,
  }))
  const { upstreamCost } = waived ?? {}
  const last = completedRecord(clock, order, { stage, latencyMs, course, upstreamCost, ...UNUSED })
  return [...ran, { ...last, status, errorCode, waivedMicro: waived?.micro }]
}
