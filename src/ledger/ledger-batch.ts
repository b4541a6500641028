import assert from 'node:assert/strict'
import { LRUCache } from 'lru-cache'
import type { Command, Outcome } from './commands.ts'
import {
  EASY_PAYMENT_FACTOR,
  EMPTY,
  step,
  uncommitted,
  type Hold,
  type KnownAccount,
  type KnownGuesses,
  type LedgerAccount,
  type OpenHold,
  type PostedEntry,
  type Uncollected,
} from './ledger.ts'

/** What a batch of commands changes. */
export type LedgerChanges = {
  accounts: { accountId: string; before: KnownAccount; after: KnownAccount }[]
  entries: (PostedEntry & { accountId: string; ordinal: bigint })[]
  closed: OpenHold[]
  opened: (Hold | OpenHold)[]
  rewritten: (Hold | OpenHold)[]
  uncollected: (Uncollected & { accountId: string })[]
}

/** What commands result in, one after the other, and what is to be written for it. */
export type Judged = { outcomes: Outcome[]; changes: LedgerChanges }

/** Accounts, holds and keys of entries that commands name, as they are before the first of them. */
export type Before = {
  accounts: Map<string, KnownAccount>
  holds: Map<string, OpenHold>
  keys: ReadonlySet<string>
  /** Of accounts with a hold that may be guessed. */
  guesses: ReadonlyMap<string, KnownGuesses>
}

export function judgeAll(before: Before, commands: Command[]): Judged {
  const batch: Batch = {
    before,
    accounts: new Map(before.accounts),
    touched: new Set(),
    holds: new Map(before.holds),
    keys: new Set(before.keys),
    guesses: new Map(before.guesses),
    entries: [],
    uncollected: [],
  }
  const outcomes = commands.map((command) => applyOne(batch, command))
  return { outcomes, changes: changesOf(batch) }
}

type Batch = {
  before: Before
  accounts: Map<string, LedgerAccount>
  touched: Set<string>
  holds: Map<string, Hold | OpenHold>
  keys: Set<string>
  guesses: Map<string, KnownGuesses>
  entries: (PostedEntry & { accountId: string })[]
  uncollected: LedgerChanges['uncollected']
}

function applyOne(batch: Batch, command: Command): Outcome {
  const { accountId } = command
  const hold = 'holdId' in command ? ownHold(batch, command) : undefined
  const guesses = batch.guesses.get(accountId)
  const known = { hold, hasKey: (key: string) => batch.keys.has(key), guesses }
  const result = step(batch.accounts.get(accountId) ?? EMPTY, command, known)
  if (result.hold) batch.holds.set(result.hold.holdId, result.hold)
  else if (hold) batch.holds.delete(hold.holdId)
  if (guesses && hold?.guessed !== result.hold?.guessed)
    batch.guesses.set(accountId, { ...guesses, open: result.hold?.guessed === true })
  if (result.account !== batch.accounts.get(accountId) && batch.accounts.has(accountId)) {
    batch.accounts.set(accountId, result.account)
    batch.touched.add(accountId)
  }
  for (const posted of result.entries) {
    batch.keys.add(posted.entry.key)
    batch.entries.push({ ...posted, accountId })
  }
  batch.uncollected.push(...result.uncollected.map((one) => ({ ...one, accountId })))
  return result.outcome
}

/** A hold is found only together with its account: another account's id is as good as none. */
function ownHold(batch: Batch, command: Command & { holdId: string }): OpenHold | undefined {
  const hold = batch.holds.get(command.holdId)
  if (hold?.accountId === command.accountId) return hold
  assert(hold === undefined || command.kind !== 'hold', 'two accounts share the id of a hold')
  return undefined
}

function changesOf(batch: Batch): LedgerChanges {
  const { before, accounts, touched, holds } = batch
  const counted = new Map<string, bigint>()
  const entries = batch.entries.map((posted) => {
    const { accountId } = posted
    const ordinal = (counted.get(accountId) ?? before.accounts.get(accountId)!.entries) + 1n
    counted.set(accountId, ordinal)
    return { ...posted, ordinal }
  })
  const all = [...holds.values()]
  return {
    accounts: [...touched].sort().map((accountId) => {
      const known = before.accounts.get(accountId)!
      const entries = counted.get(accountId) ?? known.entries
      const counts = { entries, version: known.version + 1n }
      return { accountId, before: known, after: { ...accounts.get(accountId)!, ...counts } }
    }),
    entries,
    closed: [...before.holds.values()].filter((hold) => !holds.has(hold.holdId)),
    opened: all.filter((hold) => !before.holds.has(hold.holdId)),
    rewritten: all.filter((hold) => (before.holds.get(hold.holdId) ?? hold) !== hold),
    uncollected: batch.uncollected,
  }
}

/**
 * Accounts and holds as this process left them. Others may have changed them since, so nothing is
 * decided by it alone: what is written on its strength is written only where it is still true.
 */
export type LedgerMemory = {
  accounts: LRUCache<string, KnownAccount>
  holds: Map<string, OpenHold>
}

const MOST_ACCOUNTS = 20_000
const MOST_HOLDS = 20_000

export function openLedgerMemory(): LedgerMemory {
  return { accounts: new LRUCache({ max: MOST_ACCOUNTS }), holds: new Map() }
}

/** Called once the changes are committed. */
export function rememberChanges({ accounts, holds }: LedgerMemory, changes: LedgerChanges): void {
  for (const { accountId, after } of changes.accounts) accounts.set(accountId, after)
  for (const { holdId } of changes.closed) holds.delete(holdId)
  for (const hold of [...changes.opened, ...changes.rewritten]) {
    const { holdId, accountId, amountMicro, limitMicro, guessed, owner } = hold
    holds.set(holdId, { holdId, accountId, amountMicro, limitMicro, guessed, owner })
  }
  // The oldest go first. No LRUCache: when its last entry goes it clears all its places, which a
  // process with one call at a time would pay for with every call.
  for (const holdId of holds.keys()) {
    if (holds.size <= MOST_HOLDS) break
    holds.delete(holdId)
  }
}

/** The accounts are not as this process believed: until they are read again it knows nothing. */
export function forgetAccounts({ accounts }: LedgerMemory, commands: Command[]): void {
  for (const { accountId } of commands) accounts.delete(accountId)
}

/**
 * What the commands result in if the accounts are still as this process left them, which the
 * statement that writes it checks. Undefined if an account or a hold is not known, or if nothing
 * would be written and so nothing checked, as for a refusal.
 */
export function judgeFromMemory(memory: LedgerMemory, commands: Command[]): Judged | undefined {
  const accounts = new Map<string, KnownAccount>()
  const holds = new Map<string, OpenHold>()
  for (const command of commands) {
    const account = memory.accounts.get(command.accountId)
    if (account === undefined || !('holdId' in command)) return undefined
    // Whether another is open is read under the lock.
    if (command.kind === 'hold' && command.usual !== undefined) return undefined
    accounts.set(command.accountId, account)
    const hold = memory.holds.get(command.holdId)
    if (hold !== undefined) holds.set(command.holdId, hold)
    // One that is not known may have been made elsewhere; the id of a new one is new.
    else if (command.kind !== 'hold') return undefined
  }
  const judged = judgeAll({ accounts, holds, keys: new Set(), guesses: new Map() }, commands)
  return judged.changes.accounts.length === accounts.size ? judged : undefined
}

/**
 * Calls that ask their upstream while their hold is on its way. An upstream takes tens to thousands
 * of milliseconds, so nobody waits for a hold; what an account can cost beyond what it pays because
 * of this is at most `capMicro` for each process.
 */
export type Unconfirmed = {
  /**
   * Counts the call if its upstream may be asked at once: the account, as this process last
   * committed it, pays many times over what this call and its others that are counted may cost, and
   * all of them together are within the cap. Gives what ends the count; undefined if the hold must be
   * committed first, as it must for a day after the account turned out to have less than expected:
   * else two processes could be played off against each other again and again.
   */
  enter(accountId: string, worstCaseMicro: bigint): Leave | undefined
}

/** Told whether the hold was granted with the limit that the account was expected to afford. */
type Leave = (outcome: { asExpected: boolean }) => void

const DISTRUST_MS = 24 * 3_600_000
const MOST_DISTRUSTED = 20_000

export function openUnconfirmed(options: {
  capMicro: bigint
  /** The account as it was last committed, where that can be relied on. */
  known(accountId: string): LedgerAccount | undefined
  nowMs?: () => number
}): Unconfirmed {
  const { capMicro, known, nowMs = () => performance.now() } = options
  const sums = new Map<string, bigint>()
  const distrustedUntilMs = new LRUCache<string, number>({ max: MOST_DISTRUSTED })
  return {
    enter(accountId, worstCaseMicro) {
      const account = known(accountId)
      if (account === undefined) return undefined
      if ((distrustedUntilMs.get(accountId) ?? -Infinity) > nowMs()) return undefined
      const sumMicro = (sums.get(accountId) ?? 0n) + worstCaseMicro
      if (sumMicro > capMicro || sumMicro * EASY_PAYMENT_FACTOR > uncommitted(account))
        return undefined
      sums.set(accountId, sumMicro)
      return ({ asExpected }) => {
        if (!asExpected) distrustedUntilMs.set(accountId, nowMs() + DISTRUST_MS)
        const leftMicro = sums.get(accountId)! - worstCaseMicro
        if (leftMicro === 0n) sums.delete(accountId)
        else sums.set(accountId, leftMicro)
      }
    },
  }
}
