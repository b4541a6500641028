import assert from 'node:assert/strict'
import { writeSurely } from '../db/checked-write.ts'
import type { Tx } from '../db/db.ts'
import type { Command, Entry, Outcome } from './commands.ts'
import {
  EMPTY,
  step,
  type Hold,
  type LedgerAccount,
  type OpenHold,
  type PostedEntry,
} from './ledger.ts'
import type { KnownAccount, LedgerMemory } from './ledger-memory.ts'
import { ledgerWrite, type LedgerChanges } from './ledger-write-store.ts'

/**
 * Applies one command or five hundred alike, in the given order, within the caller's transaction.
 * The accounts' rows are locked in sorted order first, so batches of several processes queue up
 * instead of deadlocking, and everything read after the lock is the latest.
 */
export async function applyCommands(tx: Tx, commands: Command[]): Promise<Outcome[]> {
  const { outcomes, changes } = await judgeCommands(tx, commands)
  const write = ledgerWrite(changes)
  if (write.writes.length > 0) await writeSurely(tx, write)
  return outcomes
}

/**
 * The first half of it: what the commands result in, under the accounts' locks. The writing may be
 * joined with whatever else the outcomes bring about.
 */
export async function judgeCommands(tx: Tx, commands: Command[]): Promise<Judged> {
  return commands.length === 0 ? NOTHING : judge(await readBatch(tx, commands), commands)
}

/**
 * What the commands result in if the accounts are still as this process left them, which whoever
 * writes it must check. Undefined if it does not know them all.
 */
export function judgeFromMemory(memory: LedgerMemory, commands: Command[]): Judged | undefined {
  if (commands.length === 0) return NOTHING
  const accounts = new Map<string, KnownAccount>()
  const holds = new Map<string, OpenHold>()
  for (const command of commands) {
    const account = memory.accounts.get(command.accountId)
    if (account === undefined || !('holdId' in command)) return undefined
    accounts.set(command.accountId, account)
    const hold = memory.holds.get(command.holdId)
    if (hold !== undefined) holds.set(command.holdId, hold)
    // One that is not known may have been made elsewhere; the id of a new one is new.
    else if (command.kind !== 'hold') return undefined
  }
  return judge(newBatch(accounts, holds, new Set()), commands)
}

export type Judged = { outcomes: Outcome[]; changes: LedgerChanges }

const NOTHING: Judged = {
  outcomes: [],
  changes: { accounts: [], entries: [], closed: [], opened: [], rewritten: [], uncollected: [] },
}

function judge(batch: Batch, commands: Command[]): Judged {
  const outcomes = commands.map((command) => applyOne(batch, command))
  return { outcomes, changes: changesOf(batch) }
}

type Batch = {
  accounts: Map<string, LedgerAccount>
  accountsBefore: Map<string, KnownAccount>
  touched: Set<string>
  holds: Map<string, Hold | OpenHold>
  holdsBefore: Map<string, OpenHold>
  keys: Set<string>
  entries: (PostedEntry & { accountId: string })[]
  uncollected: LedgerChanges['uncollected']
}

function newBatch(
  accountsBefore: Map<string, KnownAccount>,
  holdsBefore: Map<string, OpenHold>,
  keys: Set<string>,
): Batch {
  return {
    accounts: new Map(accountsBefore),
    accountsBefore,
    touched: new Set(),
    holds: new Map(holdsBefore),
    holdsBefore,
    keys,
    entries: [],
    uncollected: [],
  }
}

/** Sent together: the statements after the lock wait their turn on the server, and read the latest. */
async function readBatch(tx: Tx, commands: Command[]): Promise<Batch> {
  const credited = commands.filter(({ kind }) => kind === 'grant' || kind === 'adjust')
  if (credited.length > 0) await createAccounts(tx, accountsOf(credited))
  const ids = accountsOf(commands)
  const holdIds = commands.flatMap((command) => ('holdId' in command ? [command.holdId] : []))
  const keys = commands.flatMap(entriesOf).map((entry) => entry.key)
  const [accounts, holdsBefore, known] = await Promise.all([
    lockAccounts(tx, ids),
    holdIds.length > 0 ? openHolds(tx, holdIds) : new Map<string, OpenHold>(),
    keys.length > 0 ? existingKeys(tx, keys) : new Set<string>(),
  ])
  return newBatch(accounts, holdsBefore, known)
}

function accountsOf(commands: Command[]): string[] {
  return [...new Set(commands.map((command) => command.accountId))].sort()
}

function entriesOf(command: Command): Entry[] {
  if (command.kind === 'settle') return command.charges.map((charge) => charge.entry)
  return 'entry' in command ? [command.entry] : []
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
  const { accounts, accountsBefore, touched, holds, holdsBefore } = batch
  const counted = new Map<string, bigint>()
  const entries = batch.entries.map((posted) => {
    const { accountId } = posted
    const ordinal = (counted.get(accountId) ?? accountsBefore.get(accountId)!.entries) + 1n
    counted.set(accountId, ordinal)
    return { ...posted, ordinal }
  })
  const all = [...holds.values()]
  return {
    accounts: [...touched].sort().map((accountId) => {
      const before = accountsBefore.get(accountId)!
      const after = accounts.get(accountId)!
      return {
        accountId,
        before,
        after: { ...after, entries: counted.get(accountId) ?? before.entries },
      }
    }),
    entries,
    closed: [...holdsBefore.values()].filter((hold) => !holds.has(hold.holdId)),
    opened: all.filter((hold) => !holdsBefore.has(hold.holdId)),
    rewritten: all.filter((hold) => (holdsBefore.get(hold.holdId) ?? hold) !== hold),
    uncollected: batch.uncollected,
  }
}

/** Locks in the order of the ids, whatever their order in the list. */
async function lockAccounts(tx: Tx, ids: string[]): Promise<Map<string, KnownAccount>> {
  const rows = await tx.read<AccountRow>(
    `select account_id, balance_micro, held_micro, limits_micro, entries from ledger_accounts
     where account_id = any($1::uuid[]) order by account_id for update`,
    [ids],
  )
  return new Map(
    rows.map((row) => [
      row.account_id,
      {
        balanceMicro: row.balance_micro,
        heldMicro: row.held_micro,
        limitsMicro: row.limits_micro,
        entries: row.entries,
      },
    ]),
  )
}

type AccountRow = {
  account_id: string
  balance_micro: bigint
  held_micro: bigint
  limits_micro: bigint
  entries: bigint
}

/**
 * Credits need a row to be added to. It is made before any lock is taken: whoever waits for a row
 * that another transaction is making must not keep that one waiting.
 */
async function createAccounts(tx: Tx, sortedIds: string[]): Promise<void> {
  await tx.query(
    `insert into ledger_accounts (account_id) select unnest($1::uuid[]) on conflict do nothing`,
    [sortedIds],
  )
}

export async function openHolds(tx: Tx, ids: string[]): Promise<Map<string, OpenHold>> {
  const rows = await tx.read<OpenHoldRow>(
    `select id, account_id, amount_micro, limit_micro, owner_process, owner_job, deadline
     from holds where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, openHoldOf(row)]))
}

type OpenHoldRow = {
  id: string
  account_id: string
  amount_micro: bigint
  limit_micro: bigint
  owner_process: string | null
  owner_job: string | null
  deadline: Date | null
}

export type HoldRow = OpenHoldRow & { about: Record<string, unknown> }

export function holdOf(row: HoldRow): Hold {
  return { ...openHoldOf(row), about: row.about }
}

function openHoldOf(row: OpenHoldRow): OpenHold {
  return {
    holdId: row.id,
    accountId: row.account_id,
    amountMicro: row.amount_micro,
    limitMicro: row.limit_micro,
    owner:
      row.owner_process === null
        ? { job: row.owner_job!, deadline: row.deadline! }
        : { process: row.owner_process },
  }
}

async function existingKeys(tx: Tx, keys: string[]): Promise<Set<string>> {
  // Key by key, so that the kept plan uses the index from the first day: one that was made for an
  // empty table would read the whole of a table that grew since.
  const rows = await tx.read<{ key: string }>(
    `select wanted.key from unnest($1::text[]) as wanted (key) cross join lateral
       (select from ledger_entries where ledger_entries.key = wanted.key limit 1) as found`,
    [keys],
  )
  return new Set(rows.map((row) => row.key))
}
