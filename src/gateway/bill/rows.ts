import type { ActivityKind, ActivityRecord, ActivityStatus } from '../../activity/record.ts'
import type { CostBounds, Outcome } from '../../ledger/commands.ts'
import type { Keep } from '../../lib/answer.ts'
import type { CallCourse } from '../../lib/telemetry/call-course.ts'
import type { Failure } from '../../lib/failure.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { UpstreamCost } from '../../ledger/upstream-cost.ts'
import type * as ledger from '../../ledger/posting-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { uuidsBefore } from '../../lib/ids.ts'

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
  /** With media of unknown size: what it usually comes to. */
  usual?: UsualCost | undefined
  /** The same by a closer look, for an account that has little more than that. */
  exact?: (() => Pick<BillOrder, 'bounds' | 'usual'>) | undefined
  /** What it is likely to cost, if not the estimate. */
  likely?: (() => bigint) | undefined
  /** Of a job, which has its hold already and outlives the process that works for it. */
  job?: BillJob | undefined
  /** Where the request is followed. */
  trace?: RequestTrace | undefined
  /** Ends the work when it turns out that it cannot be paid for. */
  abort(reason: Failure): void
}

export type BillJob = {
  /** Of its hold and of its record. */
  id: string
  /** Another process goes on: whatever ends the work here, its hold stays. */
  goesOn(): boolean
}

/** What a call with media of unknown size usually comes to. */
export type UsualCost = {
  estimateMicro: bigint
  /** The prompt's part of it, and the least of an answer. */
  promptMicro: bigint
  /** Without the media of unknown size, as the minimum of the bounds. */
  minimumMicro: bigint
  /** What is spent before the first word even if those cost nothing. */
  certainMicro: bigint
  bounds: CostBounds
  /** Nothing but the model's context bounds them: only the upstream's last word says what it cost. */
  anySize: boolean
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

/**
 * The last record of a bill has the id of its hold: whatever ends it, and however often that is
 * tried, one record of it can enter the table.
 */
export type BillIds = { recordId: string; holdId: string | undefined }

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

/** What a bill writes when its work has finished. */
export type Settlement = {
  lines: BillLine[]
  records: ActivityRecord[]
  keep?: Keep<Receipt> | undefined
  /** What else belongs into the same commit. */
  writes?: (() => CallWrite[]) | undefined
}

export function sumMicro(amounts: bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n)
}

/** One record for each stage that ran. Of one moment, their ids put them in their order. */
export function completedRecords(
  clock: Clock,
  order: BillOrder,
  { recordId }: BillIds,
  lines: BillLine[],
): ActivityRecord[] {
  const ids = [...uuidsBefore(recordId, lines.length - 1), recordId]
  return lines.map((line, i) => recordOf(clock, order, line, ids[i]!))
}

/** One record for each stage that had run, as free, and one for the stage that did not complete. */
export function droppedRecords(
  clock: Clock,
  order: BillOrder,
  { recordId }: BillIds,
  end: Dropped & { ranIds?: string[] },
): ActivityRecord[] {
  const { stage, latencyMs, status, errorCode, course, waived, ranIds } = end
  const stagesRan = end.ran ?? []
  const ids = ranIds ?? uuidsBefore(recordId, stagesRan.length)
  const ran = stagesRan.map((line, i) => ({
    ...recordOf(clock, order, { ...line, costMicro: 0n }, ids[i]!),
    waivedMicro: line.costMicro,
  }))
  const { upstreamCost } = waived ?? {}
  const line = { stage, latencyMs, course, upstreamCost, costMicro: 0n, estimated: false }
  const last = recordOf(clock, order, line, recordId)
  return [...ran, { ...last, status, errorCode, waivedMicro: waived?.micro }]
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

/** All its members are named, so that all records have the same form: this runs for every call. */
function recordOf(clock: Clock, order: BillOrder, line: BillLine, id: string): ActivityRecord {
  const { requestId, keyId, workspaceId } = callTraces(order)
  const { stage, course } = line
  return {
    id,
    accountId: order.principal.accountId,
    workspaceId,
    keyId,
    requestId,
    kind: stage.kind,
    model: stage.model,
    promptTokens: line.promptTokens,
    completionTokens: line.completionTokens,
    totalTokens: totalTokens(line),
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
    createdAt: clock.now(),
  }
}

type Counts = Pick<BillLine, 'promptTokens' | 'completionTokens'>

/** None where neither part is known. */
export function totalTokens({ promptTokens, completionTokens }: Counts): number | undefined {
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  return (promptTokens ?? 0) + (completionTokens ?? 0)
}
