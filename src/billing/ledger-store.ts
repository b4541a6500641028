import assert from 'node:assert/strict'
import type { Tx } from '../db/db.ts'
import type { Command, Entry, Outcome } from './commands.ts'
import { EMPTY, step, type Hold, type LedgerAccount, type OpenHold } from './ledger.ts'
import {
  insertUncollected,
  rewriteHolds,
  writeChanges,
  type LedgerChanges,
  type Loss,
} from './ledger-write-store.ts'

/**
 * Applies one command or five hundred alike, in the given order, within the caller's transaction.
 * The accounts' rows are locked in sorted order first, so batches of several processes queue up
 * instead of deadlocking, and everything read after the lock is the latest.
 */
export async function applyCommands(tx: Tx, commands: Command[]): Promise<Outcome[]> {
  const { outcomes, write } = await judgeCommands(tx, commands)
  await write(tx)
  return outcomes
}

/**
 * The same in two halves: what the commands result in, under the accounts' locks, and then the
 * writing, which may travel together with whatever else the outcomes bring about and with COMMIT.
 */
export async function judgeCommands(tx: Tx, commands: Command[]): Promise<Judged> {
  if (commands.length === 0) return { outcomes: [], write: async () => {} }
  const batch = await readBatch(tx, commands)
  const outcomes = commands.map((command) => applyOne(batch, command))
  return { outcomes, write: (into) => writeBatch(into, batch) }
}

export type Judged = { outcomes: Outcome[]; write(tx: Tx): Promise<void> }

type Batch = {
  accounts: Map<string, LedgerAccount>
  touched: Set<string>
  holds: Map<string, Hold | OpenHold>
  holdsBefore: Map<string, OpenHold>
  keys: Set<string>
  entries: LedgerChanges['entries']
  uncollected: Loss[]
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
  return {
    accounts,
    touched: new Set(),
    holds: new Map(holdsBefore),
    holdsBefore,
    keys: known,
    entries: [],
    uncollected: [],
  }
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

async function writeBatch(tx: Tx, batch: Batch): Promise<void> {
  const { accounts, touched, holds, holdsBefore, entries } = batch
  const closed = [...holdsBefore.keys()].filter((id) => !holds.has(id))
  const opened = [...holds.values()].filter((hold) => !holdsBefore.has(hold.holdId))
  const rewritten = [...holds.values()].filter(
    (hold) => holdsBefore.has(hold.holdId) && holdsBefore.get(hold.holdId) !== hold,
  )
  const changed = [...touched].map((accountId) => ({ accountId, ...accounts.get(accountId)! }))
  const nothing = changed.length === 0 && closed.length === 0 && opened.length === 0
  if (!nothing) await writeChanges(tx, { accounts: changed, entries, closed, opened })
  if (rewritten.length > 0) await rewriteHolds(tx, rewritten)
  if (batch.uncollected.length > 0) await insertUncollected(tx, batch.uncollected)
}

/** Locks in the order of the ids, whatever their order in the list. */
async function lockAccounts(tx: Tx, ids: string[]): Promise<Map<string, LedgerAccount>> {
  const rows = await tx.read<AccountRow>(
    `select account_id, balance_micro, held_micro, limits_micro from ledger_accounts
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
      },
    ]),
  )
}

type AccountRow = {
  account_id: string
  balance_micro: bigint
  held_micro: bigint
  limits_micro: bigint
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
