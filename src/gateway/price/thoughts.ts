import { lesser } from '../../ledger/money.ts'

/*
 * What a model thinks before it speaks is paid for and often not shown. When a caller leaves
 * meanwhile, only the time tells how much it was.
 */

/** What a model may think in a second, and what its whole call may cost. */
export type Thoughts = { secondMicro: bigint; worstCaseMicro: bigint }

/** For each choice, by a fast model. */
export const THOUGHT_TOKENS_PER_SECOND = 200

/** The worth of what was thought in so long. */
export function thoughtMicro(thoughts: Thoughts | undefined, ms: number): bigint {
  if (thoughts === undefined) return 0n
  const { secondMicro, worstCaseMicro } = thoughts
  return lesser(worstCaseMicro, (secondMicro * BigInt(Math.round(ms))) / 1_000n)
}
