/** What can happen to an account's money. Ids, keys and times come from the caller. */
export type Command =
  | { kind: 'grant'; accountId: string; amountMicro: bigint; entry: Entry }
  /** Signed; may not take what is held. */
  | { kind: 'adjust'; accountId: string; amountMicro: bigint; entry: Entry }
  /** Holds `estimateMicro`, or what is available if that is less but at least `minimumMicro`. */
  | {
      kind: 'hold'
      accountId: string
      holdId: string
      estimateMicro: bigint
      minimumMicro: bigint
      /** Left out: it costs no less than the minimum and no more than the estimate. */
      bounds?: CostBounds | undefined
      /**
       * Where nobody knows how much is sent, the above is the worst case, and this is what is held if
       * the account cannot easily pay that: for one call of an account at a time.
       */
      usual?: UsualAmounts | undefined
      owner: HoldOwner
      /** Kept with the hold, for the record of a call whose process died. */
      about: Record<string, unknown>
    }
  /** Lets a call cost more, as far as there is uncommitted money. */
  | { kind: 'extend'; accountId: string; holdId: string; byMicro: bigint }
  | { kind: 'renew'; accountId: string; holdId: string; deadline: Date }
  | { kind: 'settle'; accountId: string; holdId: string; charges: Charge[] }
  | { kind: 'release'; accountId: string; holdId: string }

type CommandKind = Command['kind']
export type CommandOf<K extends CommandKind> = Extract<Command, { kind: K }>

/**
 * What a call may come to cost. From these the ledger makes its limit: the limits of all open holds
 * together are never more than the balance, so whoever keeps to them is paid.
 */
export type CostBounds = {
  /** Without this much the call cannot be begun. */
  minimumMicro: bigint
  /** What of it is spent before the first word of an answer. */
  committedMicro: bigint
  /** The limit to begin with, for a call that is watched and can be given more. */
  initialLimitMicro: bigint
  /** The worst case. */
  worstCaseMicro: bigint
  /** It cannot be watched: the limit that it begins with is its last. */
  fixed: boolean
  /** Quickly estimated: where they do not fit easily, exact ones are asked for. */
  rough: boolean
}

export type UsualAmounts = {
  estimateMicro: bigint
  minimumMicro: bigint
  bounds: CostBounds
  /** Not for an account that left more than this uncollected with one call in 30 days. */
  allowanceMicro: bigint
  at: Date
}

/** A process lives by its heartbeat row; a job holds until its deadline. */
export type HoldOwner = { process: string } | { job: string; deadline: Date }

export type Charge = { costMicro: bigint; entry: Entry }

export type Entry = {
  id: string
  type: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
  /** Unique for ever, such as 'topup:<payment id>': a second entry with it changes nothing. */
  key: string
  description: string
  reference?: { type: string; id: string } | undefined
  workspaceId?: string | undefined
  operator?: string | undefined
}

type Posted = { kind: 'posted'; balanceMicro: bigint; availableMicro: bigint }
type Duplicate = { kind: 'duplicate' }
/** `guessed`: even the usual amounts are more than there is. */
type Refused = { kind: 'refused'; availableMicro: bigint; guessed?: true }
type Gone = { kind: 'gone' }
type Held = {
  kind: 'held'
  heldMicro: bigint
  availableMicro: bigint
  /** The most that the call may cost now, and the most that it can be extended to. */
  limitMicro: bigint
  ceilingMicro: bigint
  /** By the usual amounts: it may cost more than its limit. */
  guessed: boolean
}
/** Nothing was held: another hold of the account is a guess. */
type GuessOpen = { kind: 'guess_open' }
/** Nothing was held: send the command again, with bounds that are not rough. */
type NeedsExactBounds = { kind: 'needs_exact_bounds' }
type Settled = {
  kind: 'settled'
  /** Per charge, in the order of the command. */
  chargedMicro: bigint[]
  /** The part of each charge that was paid with gifts. */
  giftMicro: bigint[]
  /** What the account could not pay: the operator's loss, never the account's debt. */
  uncollectedMicro: bigint
  balanceMicro: bigint
  availableMicro: bigint
}
type Released = { kind: 'released'; availableMicro: bigint }

type Outcomes = {
  grant: Posted | Duplicate
  adjust: Posted | Duplicate | Refused
  hold: Held | Refused | GuessOpen | NeedsExactBounds
  extend: { kind: 'extended'; limitMicro: bigint } | Gone
  renew: { kind: 'renewed' } | Gone
  settle: Settled | Gone
  release: Released | Gone
}

export type Outcome = Outcomes[CommandKind]
