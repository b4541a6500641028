/** How long an attempt took, in steps: sums of these can be added up over minutes and processes. */
export const LATENCY_STEPS_MS = [
  25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_200, 1_600, 2_400, 3_200, 4_800, 6_400, 9_600,
  12_800, 19_200, 25_600, 38_400, 51_200, 102_400,
]

/** One more than the steps: the last is for whatever took longer. */
export function emptyLatencies(): number[] {
  return Array.from({ length: LATENCY_STEPS_MS.length + 1 }, () => 0)
}

/**
 * The time that this share of the attempts did not exceed, as if they were spread evenly within their
 * step. Undefined without any.
 */
export function latencyAt(share: number, latencies: readonly number[]): number | undefined {
  const all = latencies.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let left = share * all
  for (const [step, count] of latencies.entries()) {
    if (count > 0 && left <= count) {
      const low = LATENCY_STEPS_MS[step - 1] ?? 0
      const high = LATENCY_STEPS_MS[step] ?? low
      return Math.round(low + (high - low) * (left / count))
    }
    left -= count
  }
  return LATENCY_STEPS_MS.at(-1)
}

export function addLatencies(a: readonly number[], b: readonly number[]): number[] {
  return a.map((count, step) => count + (b[step] ?? 0))
}
