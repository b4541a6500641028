import type { ActivityKind, ActivityRecord } from '../../activity/record.ts'
import type { Hold } from '../../ledger/ledger.ts'
import type { callTraces } from './rows.ts'

/**
 * What a process that died was doing, read from the holds it left: one failed record for each call,
 * with the id that the call itself would have given its record, so that there is never a second.
 */
export function interruptedRecords(holds: Hold[], now: Date): ActivityRecord[] {
  return holds.map(({ holdId, accountId, about }) => {
    const { kind, model, priceSnapshotId, ...traces } = about as About
    return {
      ...traces,
      id: holdId,
      accountId,
      kind,
      model,
      priceSnapshotId,
      costMicro: 0n,
      latencyMs: 0,
      status: 'failed',
      errorCode: 'interrupted',
      estimated: false,
      createdAt: now,
    }
  })
}

/** As `openBill` wrote it. */
type About = ReturnType<typeof callTraces> & {
  kind: ActivityKind
  model: string
  priceSnapshotId?: string
}
