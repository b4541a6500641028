import type { Hold, KnownAccount, OpenHold, PostedEntry, Uncollected } from './ledger.ts'

/** What a batch of commands changes. */
export type LedgerChanges = {
  accounts: { accountId: string; before: KnownAccount; after: KnownAccount }[]
  entries: (PostedEntry & { accountId: string; ordinal: bigint })[]
  closed: OpenHold[]
  opened: (Hold | OpenHold)[]
  rewritten: (Hold | OpenHold)[]
  uncollected: (Uncollected & { accountId: string })[]
  /** Nothing more is written for them: their rows are among the holds. */
  floats: FloatChange[]
}

/**
 * One hold of this process from which its calls draw theirs. Its row covers them all, so a call that
 * draws begins without a journey to the database, and nobody else can spend what it has drawn.
 */
export type Float = {
  readonly holdId: string
  readonly accountId: string
  readonly owner: OpenHold['owner']
  /** As its row says. */
  amountMicro: bigint
  limitMicro: bigint
  /** The holds of calls that run, by their ids. They have no rows of their own. */
  readonly drawn: Map<string, OpenHold>
  drawnMicro: bigint
  drawnLimitsMicro: bigint
  /** From one that is closed nothing more is drawn; it goes with the last of its calls. */
  open: boolean
  readonly openedMs: number
  /** When something was drawn from it last, by the monotonic clock. */
  usedMs: number
}

/** What becomes of an account's float in a batch. */
export type FloatChange = {
  accountId: string
  /** None for one that is opened. */
  float: Float | undefined
  /** None for one that is gone. */
  next: Float | undefined
  /** Holds drawn from it that ended, and those that are no longer as they were. */
  ended: OpenHold[]
  changed: OpenHold[]
  /** What its row says once this is committed, if it is written at all. */
  mark?: string
}
