/** What can happen to an account's money. Ids, keys and times come from the caller. */
export type Command =
  | { kind: 'grant'; accountId: string; amountMicro: bigint; entry: Entry }
  /** Signed; may not take what is held. */
  | { kind: 'adjust'; accountId: string; amountMicro: bigint; entry: Entry }
  /** Takes `wantMicro`, or what is available if that is less but at least `needMicro`. */
  | {
      kind: 'hold'
      accountId: string
      holdId: string
      wantMicro: bigint
      needMicro: bigint
      owner: HoldOwner
      /** Kept with the hold, for the record of a call whose process died. */
      about: Record<string, unknown>
    }
  | { kind: 'renew'; accountId: string; holdId: string; deadline: Date }
  | { kind: 'settle'; accountId: string; holdId: string; charges: Charge[] }
  | { kind: 'release'; accountId: string; holdId: string }

type CommandKind = Command['kind']
export type CommandOf<K extends CommandKind> = Extract<Command, { kind: K }>

/** A process lives by its heartbeat row; a job holds until its deadline. */
export type HoldOwner = { process: string } | { job: string; deadline: Date }

export type Charge = { costMicro: bigint; entry: Entry }

export type Entry = {
  id: string
  type: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
  /** Unique for ever, such as 'topup:<payment id>': a second entry with it changes nothing. */
  key: string
  description: string
  reference?: { type: string; id: string }
  workspaceId?: string | undefined
  operator?: string
}

type Posted = { kind: 'posted'; balanceMicro: bigint; availableMicro: bigint }
type Duplicate = { kind: 'duplicate' }
type Refused = { kind: 'refused'; availableMicro: bigint }
type Gone = { kind: 'gone' }
type Held = { kind: 'held'; heldMicro: bigint; availableMicro: bigint }
type Settled = {
  kind: 'settled'
  /** Per charge, in the order given. */
  chargedMicro: bigint[]
  /** What the account could not pay: the operator's loss, never the account's debt. */
  uncollectedMicro: bigint
  balanceMicro: bigint
  availableMicro: bigint
}
type Released = { kind: 'released'; availableMicro: bigint }

type Outcomes = {
  grant: Posted | Duplicate
  adjust: Posted | Duplicate | Refused
  hold: Held | Refused
  renew: { kind: 'renewed' } | Gone
  settle: Settled | Gone
  release: Released | Gone
}

export type Outcome = Outcomes[CommandKind]
