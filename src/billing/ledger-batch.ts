import assert from 'node:assert/strict'
import { LRUCache } from 'lru-cache'
import { uuidv7 } from '../lib/ids.ts'
import type { Command, CommandOf, Outcome } from './commands.ts'
import {
  drawFrom,
  rememberFloat,
  throughFloats,
  withoutFloat,
  type Floated,
  type FloatRules,
  type OwnFloat,
} from './float.ts'
import {
  EMPTY,
  step,
  type Hold,
  type KnownAccount,
  type LedgerAccount,
  type OpenHold,
  type PostedEntry,
} from './ledger.ts'
import type { Float, FloatChange, LedgerChanges } from './ledger-changes.ts'

/** What commands result in, one after the other, and what is to be written for it. */
export type Judged = { outcomes: Outcome[]; changes: LedgerChanges }

/** Accounts, holds and keys of entries that commands name, as they are before the first of them. */
export type Before = {
  accounts: Map<string, KnownAccount>
  holds: Map<string, OpenHold>
  keys: ReadonlySet<string>
}

export function judgeAll(before: Before, commands: Command[]): Judged {
  const batch: Batch = {
    before,
    accounts: new Map(before.accounts),
    touched: new Set(),
    holds: new Map(before.holds),
    keys: new Set(before.keys),
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
  entries: (PostedEntry & { accountId: string })[]
  uncollected: LedgerChanges['uncollected']
}

function applyOne(batch: Batch, command: Command): Outcome {
  const { accountId } = command
  const hold = 'holdId' in command ? ownHold(batch, command) : undefined
  const known = { hold, hasKey: (key: string) => batch.keys.has(key) }
  const result = step(batch.accounts.get(accountId) ?? EMPTY, command, known)
  if (result.hold) batch.holds.set(result.hold.holdId, result.hold)
  else if (hold) batch.holds.delete(hold.holdId)
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
      const counts = { entries, version: known.version + 1n, steady: known.steady + 1 }
      return { accountId, before: known, after: { ...accounts.get(accountId)!, ...counts } }
    }),
    entries,
    closed: [...before.holds.values()].filter((hold) => !holds.has(hold.holdId)),
    opened: all.filter((hold) => !before.holds.has(hold.holdId)),
    rewritten: all.filter((hold) => (before.holds.get(hold.holdId) ?? hold) !== hold),
    uncollected: batch.uncollected,
    floats: [],
  }
}

/**
 * Accounts and holds as this process left them. Others may have changed them since, so nothing is
 * decided by it alone: what is written on its strength is written only where it is still true.
 */
export type LedgerMemory = {
  accounts: LRUCache<string, KnownAccount>
  holds: Map<string, OpenHold>
  /** By account. */
  floats: Map<string, Float>
  /** By account: what was sent of its float, until it is known what was committed. */
  sent: Map<string, FloatChange[]>
}

const MOST_ACCOUNTS = 20_000
const MOST_HOLDS = 20_000
const MOST_FLOATS = 20_000

export function openLedgerMemory(): LedgerMemory {
  return {
    accounts: new LRUCache({ max: MOST_ACCOUNTS }),
    holds: new Map(),
    floats: new Map(),
    sent: new Map(),
  }
}

/** Told once it is committed: calls go on drawing from floats in the meantime. */
export function rememberChanges(memory: LedgerMemory, changes: LedgerChanges): void {
  const { accounts, holds, floats, sent } = memory
  for (const { accountId, after } of changes.accounts) {
    accounts.set(accountId, after)
    if (sent.size > 0) sent.delete(accountId)
  }
  for (const { holdId } of changes.closed) holds.delete(holdId)
  for (const hold of [...changes.opened, ...changes.rewritten]) {
    if (hold.isFloat) continue
    const { holdId, accountId, amountMicro, limitMicro, owner } = hold
    holds.set(holdId, { holdId, accountId, amountMicro, limitMicro, owner })
  }
  for (const change of changes.floats) rememberFloat(floats, change)
  // Those known longest go first. No LRUCache: when its last entry goes, it clears all its places,
  // which a lone caller would pay for with every call.
  for (const holdId of holds.keys()) {
    if (holds.size <= MOST_HOLDS) break
    holds.delete(holdId)
  }
}

/** Two calls, one after the other, that nobody came between. */
const STEADY = 4

export function floatRules(memory: LedgerMemory, capMicro: bigint): FloatRules {
  return {
    capMicro,
    nowMs: performance.now(),
    newId: uuidv7,
    mayOpen: ({ steady }) => steady >= STEADY && memory.floats.size < MOST_FLOATS,
  }
}

/**
 * Draws the hold of a call from the float of its account, if there is enough in it, and nobody can
 * have released it: it was opened since this process is certain to be taken for alive.
 */
export function drawHold(
  memory: LedgerMemory,
  command: CommandOf<'hold'>,
  steadySinceMs: number,
): Outcome | undefined {
  const { accountId, holdId } = command
  const float = memory.floats.get(accountId)
  if (float === undefined || memory.holds.has(holdId)) return undefined
  if (float.openedMs < steadySinceMs) float.open = false
  const account = memory.accounts.get(accountId)
  return account && drawFrom(float, account, command, performance.now())
}

/**
 * Told before it is written. A float that shrinks is closed: nothing may be drawn from it any more.
 * What opens a float or changes its row is kept until there is an answer.
 */
export function expectChanges({ sent }: LedgerMemory, { floats }: LedgerChanges): void {
  for (const change of floats) {
    const { accountId, float, next, mark } = change
    if (float !== undefined && !next?.open) float.open = false
    if (float !== undefined && mark === undefined) continue
    const earlier = sent.get(accountId)
    if (earlier === undefined) sent.set(accountId, [change])
    else earlier.push(change)
  }
}

/** The account's float in this process, or those of which one may have been opened. */
export function ownFloats({ floats, sent }: LedgerMemory, accountId: string): OwnFloat[] {
  const float = floats.get(accountId)
  const changes = sent.get(accountId) ?? []
  if (float !== undefined) return [{ float, sent: changes, isNew: false }]
  return changes.flatMap(({ float, next }) =>
    float === undefined && next !== undefined ? [{ float: next, sent: [], isNew: true }] : [],
  )
}

/**
 * What the commands result in if the accounts are still as this process left them, which whoever
 * writes it must check. Undefined if it does not know them all, or if that cannot be checked: a
 * refusal writes nothing. `returning` names accounts whose floats are given back.
 */
export function judgeFromMemory(
  memory: LedgerMemory,
  commands: Command[],
  returning: string[],
  rules: FloatRules,
): Judged | undefined {
  const known = new Map<string, KnownAccount>()
  const accounts = new Map<string, KnownAccount>()
  const holds = new Map<string, OpenHold>()
  const floats = new Map<string, Floated>()
  for (const accountId of [...returning, ...commands.map((command) => command.accountId)]) {
    if (known.has(accountId)) continue
    const account = memory.accounts.get(accountId)
    if (account === undefined) return undefined
    const float = memory.floats.get(accountId)
    known.set(accountId, account)
    accounts.set(accountId, float === undefined ? account : withoutFloat(account, float))
    if (float !== undefined) floats.set(accountId, { float, row: float })
  }
  for (const command of commands) {
    if (!('holdId' in command)) return undefined
    const { accountId, holdId } = command
    const hold = floats.get(accountId)?.float.drawn.get(holdId) ?? memory.holds.get(holdId)
    if (hold !== undefined) holds.set(holdId, hold)
    // One that is not known may have been made elsewhere; the id of a new one is new.
    else if (command.kind !== 'hold') return undefined
  }
  const { outcomes, changes } = judgeAll({ accounts, holds, keys: new Set() }, commands)
  const touched = new Set(commands.map(({ accountId }) => accountId)).size
  if (changes.accounts.length !== touched) return undefined
  return { outcomes, changes: throughFloats(changes, known, floats, rules) }
}
