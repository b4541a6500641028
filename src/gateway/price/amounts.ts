import type { Bounds } from '../../ledger/commands.ts'
import type { Thoughts } from './thoughts.ts'

/** What to hold for a call: as much of `wantMicro` as there is, and no less than `needMicro`. */
export type Amounts = {
  wantMicro: bigint
  needMicro: bigint
  /** What it may come to cost, where that is something else. */
  bounds?: Bounds | undefined
  closerBounds?: (() => Bounds) | undefined
  /** Of a model that thinks unseen. */
  thoughts?: Thoughts | undefined
}

export const NOTHING: Amounts = { wantMicro: 0n, needMicro: 0n }

/** The most that is held for an answer, and the least that must be there for one. */
export type ReservationRules = { capMicro: bigint; minMicro: bigint }

/** A price that is known beforehand must be there in full. */
export function reserveWhole(micro: bigint): Amounts {
  return { wantMicro: micro, needMicro: micro }
}
