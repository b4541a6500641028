import type { CostBounds } from '../../ledger/commands.ts'
import { lesser } from '../../ledger/money.ts'

/** What to hold for a call: as much of `estimateMicro` as there is, and no less than `minimumMicro`. */
export type CostEstimate = {
  estimateMicro: bigint
  minimumMicro: bigint
  /** What it may come to cost, where that is something else. */
  bounds?: CostBounds | undefined
  exactBounds?: (() => CostBounds) | undefined
  /** Of a model that thinks unseen. */
  thoughts?: Thoughts | undefined
}

export const NOTHING: CostEstimate = { estimateMicro: 0n, minimumMicro: 0n }

/** The most that is held for an answer, and the least that must be there for one. */
export type ReservationRules = { capMicro: bigint; minMicro: bigint }

/** A price that is known beforehand must be there in full. */
export function reserveWhole(micro: bigint): CostEstimate {
  return { estimateMicro: micro, minimumMicro: micro }
}

/**
 * What a model may think in a second, and what its whole call may cost. Thinking is paid for and
 * often not shown: when a caller leaves meanwhile, only the time tells how much it was.
 */
export type Thoughts = { secondMicro: bigint; worstCaseMicro: bigint }

/** For each choice, by a fast model. */
export const THOUGHT_TOKENS_PER_SECOND = 200

/** The worth of what was thought in so long. */
export function thoughtMicro(thoughts: Thoughts | undefined, ms: number): bigint {
  if (thoughts === undefined) return 0n
  const { secondMicro, worstCaseMicro } = thoughts
  return lesser(worstCaseMicro, (secondMicro * BigInt(Math.round(ms))) / 1_000n)
}
