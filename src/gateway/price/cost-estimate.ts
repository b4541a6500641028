import type { CostBounds } from '../../ledger/commands.ts'
import { lesser } from '../../ledger/money.ts'
import type { UsualCost } from '../bill/rows.ts'

/** What to hold: up to `estimateMicro`, and at least `minimumMicro`. */
export type CostEstimate = {
  estimateMicro: bigint
  minimumMicro: bigint
  /** What the call may cost, where the two amounts do not say it. */
  bounds?: CostBounds | undefined
  /** With media of unknown size: the same by their usual size. The others are then the worst case. */
  usual?: UsualCost | undefined
  /** By a closer look at the text. */
  exact?: (() => Pick<CostEstimate, 'bounds' | 'usual'>) | undefined
  /** What the call is likely to cost, if not that. */
  likely?: (() => bigint) | undefined
  /** For a model with hidden reasoning. */
  thoughts?: Thoughts | undefined
}

export const NOTHING: CostEstimate = { estimateMicro: 0n, minimumMicro: 0n }

/** The most that is held for an answer, and the least. */
export type ReservationRules = { capMicro: bigint; minMicro: bigint }

/** A price known beforehand must be there in full. */
export function reserveWhole(micro: bigint): CostEstimate {
  return { estimateMicro: micro, minimumMicro: micro }
}

/**
 * What a model may think in a second, and what its call may cost at most. Thinking is paid for and
 * often hidden: when a caller leaves meanwhile, only the time tells how much it was.
 */
export type Thoughts = { secondMicro: bigint; worstCaseMicro: bigint }

/** For each choice, by a fast model. */
export const THOUGHT_TOKENS_PER_SECOND = 200

export function thoughtMicro(thoughts: Thoughts | undefined, ms: number): bigint {
  if (thoughts === undefined) return 0n
  const { secondMicro, worstCaseMicro } = thoughts
  return lesser(worstCaseMicro, (secondMicro * BigInt(Math.round(ms))) / 1_000n)
}
