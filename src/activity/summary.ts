import type { Tx } from '../db/db.ts'
import { findBounds, type ModelSum, type Period, sumByModel } from './summary-store.ts'

export type ActivitySummary = {
  requests: bigint
  tokens: bigint
  costMicro: bigint
  startsAt: Date
  /** Exclusive: the instant at which the next period begins. */
  endsAt: Date
  byModel: ModelSum[]
}

/** The totals of the period around `at`, in the account's time zone, equal to the records' sums. */
export async function summarizeActivity(
  tx: Tx,
  asked: { accountId: string; period: Period; at: Date; timeZone: string },
): Promise<ActivitySummary> {
  const { accountId, period } = asked
  const { firstDay, endDay, startsAt, endsAt } = await findBounds(tx, asked)
  const byModel = await sumByModel(tx, { accountId, period, firstDay, endDay })
  const total = (field: 'requests' | 'tokens' | 'costMicro') =>
    byModel.reduce((sum, model) => sum + model[field], 0n)
  return {
    requests: total('requests'),
    tokens: total('tokens'),
    costMicro: total('costMicro'),
    startsAt,
    endsAt,
    byModel,
  }
}
