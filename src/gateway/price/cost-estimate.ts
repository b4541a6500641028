import type { CostBounds } from '../../ledger/commands.ts'
import type { Thoughts } from './thoughts.ts'

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
