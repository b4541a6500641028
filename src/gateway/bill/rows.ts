import type { ActivityKind, ActivityRecord, ActivityStatus } from '../../activity/record.ts'
import type { Charge, Outcome } from '../../billing/commands.ts'
import type { Clock } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Principal } from '../../lib/principal.ts'

/** What is about to be bought. Both amounts zero: the model is free and nothing is held. */
export type Order = {
  principal: Principal
  requestId: string
  stage: Stage
  wantMicro: bigint
  needMicro: bigint
}

/** A call has one stage; the combined voice flow has three. */
export type Stage = {
  kind: ActivityKind
  /** The bare catalog id. */
  model: string
  priceSnapshotId?: string | undefined
}

/** A stage that ran, and what it used. */
export type Line = {
  stage: Stage
  costMicro: bigint
  latencyMs: number
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
  /** The upstream told no usage that could be believed. */
  estimated: boolean
}

export type Dropped = {
  status: Exclude<ActivityStatus, 'completed'>
  errorCode: string
  stage: Stage
  latencyMs: number
  /** Stages that had completed before; they are recorded and not charged. */
  ran?: Line[]
}

export type Receipt = {
  chargedMicro: bigint
  /** Available after the charge; unknown when nothing was held. */
  remainingMicro: bigint | undefined
}

/** What a line costs, under a key that can be charged once, ever. */
export function charge(order: Order, line: Line, recordId: string): Charge {
  const { principal } = order
  return {
    costMicro: line.costMicro,
    entry: {
      id: recordId,
      type: 'usage',
      key: `usage:${recordId}`,
      description: line.stage.model,
      reference: { type: 'activity', id: recordId },
      ...(principal.kind === 'key' ? { workspaceId: principal.workspaceId } : {}),
    },
  }
}

/** The records say what the ledger really took, and what it could not. */
export function paid(records: ActivityRecord[], outcome: Outcome | undefined): ActivityRecord[] {
  if (outcome?.kind !== 'settled') return records.map((one) => ({ ...one, costMicro: 0n }))
  return records.map((one, i) => {
    const costMicro = outcome.chargedMicro[i]!
    return { ...one, costMicro, uncollectedMicro: one.costMicro - costMicro }
  })
}

export function record(clock: Clock, order: Order, line: Line): ActivityRecord {
  const { stage, ...rest } = line
  const createdAt = clock.now()
  return {
    ...rest,
    ...stage,
    ...traces(order),
    id: uuidv7(createdAt.getTime()),
    accountId: order.principal.accountId,
    status: 'completed',
    createdAt,
  }
}

/** Which request and which key, for the record and for the hold of a process that dies. */
export function traces(order: Pick<Order, 'principal' | 'requestId'>): {
  requestId: string
  keyId?: string
  workspaceId?: string
} {
  const { principal, requestId } = order
  if (principal.kind !== 'key') return { requestId }
  return { requestId, keyId: principal.keyId, workspaceId: principal.workspaceId }
}
