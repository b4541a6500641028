import type { Tx } from '../db/db.ts'
import type { Command, CommandOf, Entry, Outcome, UsualAmounts } from './commands.ts'
import { judgeAll, type Before } from './ledger-batch.ts'
import type { Hold, KnownAccount, KnownGuesses, OpenHold } from './ledger.ts'
import { writeLocked } from './ledger-write-store.ts'

/**
 * Applies one command or five hundred alike, in the given order, within the caller's transaction.
 * The accounts' rows are locked in sorted order first, so batches of several processes queue up
 * instead of deadlocking, and everything read after the lock is the latest.
 */
export async function applyCommands(tx: Tx, commands: Command[]): Promise<Outcome[]> {
  const { outcomes, changes } = judgeAll(await readLocked(tx, commands), commands)
  await writeLocked(tx, changes)
  return outcomes
}

/**
 * Accounts, holds and keys, with the accounts locked. They are sent together: the statements behind
 * the lock wait for it on the server, and read the latest.
 */
export async function readLocked(tx: Tx, commands: Command[]): Promise<Before> {
  const credited = commands.filter(({ kind }) => kind === 'grant' || kind === 'adjust')
  if (credited.length > 0) await createAccounts(tx, accountsOf(credited))
  const ids = accountsOf(commands)
  const holdIds = commands.flatMap((one) => ('holdId' in one ? [one.holdId] : []))
  const keys = commands.flatMap(entriesOf).map((entry) => entry.key)
  const guessing = commands.filter(mayBeGuessed)
  const [accounts, holds, known, guesses] = await Promise.all([
    ids.length > 0 ? lockAccounts(tx, ids) : new Map<string, KnownAccount>(),
    holdIds.length > 0 ? openHolds(tx, holdIds) : new Map<string, OpenHold>(),
    keys.length > 0 ? existingKeys(tx, keys) : new Set<string>(),
    guessing.length > 0 ? knownGuesses(tx, guessing) : new Map<string, KnownGuesses>(),
  ])
  return { accounts, holds, keys: known, guesses }
}

type MayBeGuessed = CommandOf<'hold'> & { usual: UsualAmounts }

function mayBeGuessed(command: Command): command is MayBeGuessed {
  return command.kind === 'hold' && command.usual !== undefined
}

function accountsOf(named: { accountId: string }[]): string[] {
  return [...new Set(named.map(({ accountId }) => accountId))].sort()
}

function entriesOf(command: Command): Entry[] {
  if (command.kind === 'settle') return command.charges.map((charge) => charge.entry)
  return 'entry' in command ? [command.entry] : []
}

/** Locks in the order of the ids, whatever their order in the list. */
async function lockAccounts(tx: Tx, ids: string[]): Promise<Map<string, KnownAccount>> {
  const rows = await tx.read<AccountRow>(
    `select account_id, balance_micro, held_micro, limits_micro, gift_micro, entries, version
     from ledger_accounts where account_id = any($1::uuid[]) order by account_id for update`,
    [ids],
  )
  return new Map(
    rows.map((row) => [
      row.account_id,
      {
        balanceMicro: row.balance_micro,
        heldMicro: row.held_micro,
        limitsMicro: row.limits_micro,
        giftMicro: row.gift_micro,
        entries: row.entries,
        version: row.version,
      },
    ]),
  )
}

type AccountRow = {
  account_id: string
  balance_micro: bigint
  held_micro: bigint
  limits_micro: bigint
  gift_micro: bigint
  entries: bigint
  version: bigint
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
    `select id, account_id, amount_micro, limit_micro, guessed, owner_process, owner_job, deadline
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
  guessed: boolean
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
    guessed: row.guessed || undefined,
    owner:
      row.owner_process === null
        ? { job: row.owner_job!, deadline: row.deadline! }
        : { process: row.owner_process },
  }
}

const REMEMBERED_MS = 30 * 24 * 3_600_000

async function knownGuesses(tx: Tx, holds: MayBeGuessed[]): Promise<Map<string, KnownGuesses>> {
  const ids = accountsOf(holds)
  const since = new Date(Math.max(...holds.map(({ usual }) => usual.at.getTime())) - REMEMBERED_MS)
  const rows = await tx.read<{ id: string; open: boolean; uncollected: bigint }>(
    `select wanted.id, exists (select from holds where account_id = wanted.id and guessed) as open,
       coalesce((select max(amount_micro) from uncollected
         where account_id = wanted.id and created_at > $2), 0) as uncollected
     from unnest($1::uuid[]) as wanted (id)`,
    [ids, since],
  )
  return new Map(rows.map((row) => [row.id, { open: row.open, uncollectedMicro: row.uncollected }]))
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
