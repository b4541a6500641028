import type { Decision, PaymentState } from './payment-state.ts'

/** When to check again. `pendingS` repeats its last step; after the last of `lateS` we stop. */
export type CheckTiming = {
  /** Another process may take a check over after this long: longer than a provider may take. */
  leaseS: number
  pendingS: readonly number[]
  /** Past `expires_at`, and the provider has still not answered. */
  overdueS: number
  /** How long we still ask after `expired` or `failed`, since late money counts. */
  lateS: readonly number[]
  /** Least time between two checks that callbacks about a completed payment can cause. */
  wordS: number
}

export const DEFAULT_TIMING: CheckTiming = {
  leaseS: 20,
  pendingS: [3, 5, 10, 20, 40, 60, 120],
  overdueS: 600,
  lateS: [900, 3_600, 14_400, 86_400, 172_800],
  wordS: 600,
}

/** Seconds to the next check; undefined for never. `checks` counts those in the present status. */
export function nextCheckS(
  timing: CheckTiming,
  before: PaymentState & { checks: number },
  after: Decision,
  now: Date,
): number | undefined {
  if (after.status === 'completed') return after.unanswered ? timing.overdueS : undefined
  if (after.closed) return undefined
  const checks = after.status === before.status ? before.checks : 0
  if (after.status !== 'pending') return timing.lateS[checks]
  const leftS = (before.expiresAt.getTime() - now.getTime()) / 1000
  if (leftS <= 0) return timing.overdueS
  const last = timing.pendingS.length - 1
  const stepS = timing.pendingS[Math.min(Math.max(checks - 1, 0), last)]!
  return Math.min(stepS, leftS + 0.05) // so that it expires on time
}
