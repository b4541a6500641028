import type { Decision, Standing } from './transition.ts'

/** When to ask again. `pendingS` repeats its last step; `lateS` ends, and with it the asking. */
export type Timing = {
  /** Another process may take a check over after this long: longer than a provider may take. */
  leaseS: number
  pendingS: readonly number[]
  /** Past its hour and still no answer from the provider. */
  overdueS: number
  /** Money that comes after `expired` or `failed` still counts; this is how long we watch for it. */
  lateS: readonly number[]
}

export const TIMING: Timing = {
  leaseS: 20,
  pendingS: [3, 5, 10, 20, 40, 60, 120],
  overdueS: 600,
  lateS: [900, 3_600, 14_400, 86_400, 172_800],
}

/** Seconds from now to the next look; undefined for never. `checks` counts looks at this status. */
export function nextLookS(
  timing: Timing,
  before: Standing & { checks: number },
  after: Decision,
  now: Date,
): number | undefined {
  if (after.status === 'completed' || after.closed) return undefined
  const checks = after.status === before.status ? before.checks : 0
  if (after.status !== 'pending') return timing.lateS[checks]
  const leftS = (before.expiresAt.getTime() - now.getTime()) / 1000
  if (leftS <= 0) return timing.overdueS
  const last = timing.pendingS.length - 1
  const stepS = timing.pendingS[Math.min(Math.max(checks - 1, 0), last)]!
  return Math.min(stepS, leftS + 0.05) // so that it expires on time
}
