import type { ActivityRecord } from '../../activity/record.ts'
import type { Outcome } from '../../ledger/commands.ts'
import type { Clock } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { callTraces, type BillIds, type BillLine, type BillOrder, type Dropped } from './rows.ts'

/** One record for each stage that ran. */
export function completedRecords(
  clock: Clock,
  order: BillOrder,
  { recordId }: BillIds,
  lines: BillLine[],
): ActivityRecord[] {
  return lines.map((line, i) =>
    recordOf(clock, order, line, i === lines.length - 1 ? recordId : uuidv7()),
  )
}

/** One record for each stage that had run, as free, and one for the stage that did not complete. */
export function droppedRecords(
  clock: Clock,
  order: BillOrder,
  { recordId }: BillIds,
  end: Dropped & { ranIds?: string[] },
): ActivityRecord[] {
  const { stage, latencyMs, status, errorCode, course, waived, ranIds } = end
  const ran = (end.ran ?? []).map((line, i) => ({
    ...recordOf(clock, order, { ...line, costMicro: 0n }, ranIds?.[i] ?? uuidv7()),
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
    createdAt: clock.now(),
  }
}
