import type { Tx } from '../db/db.ts'
import type { Account, Hold, OpenHold } from './ledger.ts'

/** Locks in the order of the ids, whatever order they are given in. */
export async function lockAccounts(tx: Tx, ids: string[]): Promise<Map<string, Account>> {
  const rows = await tx.read<{ account_id: string; balance_micro: bigint; held_micro: bigint }>(
    `select account_id, balance_micro, held_micro from ledger_accounts
     where account_id = any($1::uuid[]) order by account_id for update`,
    [ids],
  )
  return new Map(
    rows.map((row) => [
      row.account_id,
      { balanceMicro: row.balance_micro, heldMicro: row.held_micro },
    ]),
  )
}

export async function createAccounts(tx: Tx, sortedIds: string[]): Promise<void> {
  await tx.query(
    `insert into ledger_accounts (account_id) select unnest($1::uuid[]) on conflict do nothing`,
    [sortedIds],
  )
}

export async function openHolds(tx: Tx, ids: string[]): Promise<Map<string, OpenHold>> {
  const rows = await tx.read<OpenHoldRow>(
    `select id, account_id, amount_micro, owner_process, owner_job, deadline
     from holds where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, openHoldOf(row)]))
}

type OpenHoldRow = {
  id: string
  account_id: string
  amount_micro: bigint
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
    owner:
      row.owner_process === null
        ? { job: row.owner_job!, deadline: row.deadline! }
        : { process: row.owner_process },
  }
}

export async function existingKeys(tx: Tx, keys: string[]): Promise<Set<string>> {
  // Key by key, so that the kept plan uses the index from the first day: one that was made for an
  // empty table would read the whole of a table that grew since.
  const rows = await tx.read<{ key: string }>(
    `select given.key from unnest($1::text[]) as given (key) cross join lateral
       (select from ledger_entries where ledger_entries.key = given.key limit 1) as found`,
    [keys],
  )
  return new Set(rows.map((row) => row.key))
}
