import type { Tx } from '../db/db.ts'
import type { Hold, LedgerAccount, OpenHold, PostedEntry, Uncollected } from './ledger.ts'

export type LedgerChanges = {
  accounts: (LedgerAccount & { accountId: string })[]
  entries: (PostedEntry & { accountId: string })[]
  closed: string[]
  opened: (Hold | OpenHold)[]
}

/** Everything a batch changed. The statements are sent together, in this order. */
export async function writeChanges(tx: Tx, changes: LedgerChanges): Promise<void> {
  const { accounts, entries, closed, opened } = changes
  await Promise.all([
    entries.length > 0 && insertEntries(tx, entries),
    accounts.length > 0 && updateAccounts(tx, changes),
    closed.length > 0 && deleteHolds(tx, closed),
    opened.length > 0 && insertHolds(tx, opened),
  ])
}

/** Before the accounts are updated: the entries' ordinals follow those that are counted there. */
async function insertEntries(tx: Tx, entries: LedgerChanges['entries']): Promise<void> {
  await tx.query(
    `insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
       description, reference_type, reference_id, workspace_id, operator, ordinal)
     select id, account_id, type, amount, after, key, description, ref_type, ref_id, workspace,
       operator, entries + row_number() over (partition by account_id order by n)
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::uuid[], $11::text[]) with ordinality as new (id, account_id,
       type, amount, after, key, description, ref_type, ref_id, workspace, operator, n)
       join ledger_accounts using (account_id)
     order by n`,
    entryColumns(entries),
  )
}

async function updateAccounts(tx: Tx, changes: LedgerChanges): Promise<void> {
  await tx.query(
    `update ledger_accounts set balance_micro = new.balance, held_micro = new.held,
       limits_micro = new.limits, entries = entries + new.posted
     from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int8[])
       as new (id, balance, held, limits, posted)
     where account_id = new.id`,
    accountColumns(changes),
  )
}

/** Fails if one is not there: with its account's row locked, a hold that was read cannot go away. */
async function deleteHolds(tx: Tx, ids: string[]): Promise<void> {
  await tx.query(
    `with closed as (delete from holds where id = any($1::uuid[]) returning id)
     select kept_promise((select count(*) from closed) = cardinality($1::uuid[]),
       'a hold was closed without its account being locked')`,
    [ids],
  )
}

async function insertHolds(tx: Tx, holds: (Hold | OpenHold)[]): Promise<void> {
  await tx.query(
    `insert into holds
       (id, account_id, amount_micro, limit_micro, owner_process, owner_job, deadline, about)
     select id, account_id, amount, max, process, job, deadline, about::jsonb
     from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::int8[], $5::uuid[], $6::text[],
       $7::timestamptz[], $8::text[])
       as new (id, account_id, amount, max, process, job, deadline, about)`,
    holdColumns(holds),
  )
}

/**
 * Holds that changed while their row stays: a limit or a deadline that moved, or one that was closed and made
 * again under its id within the batch. What a hold is about is written only when it is made.
 */
export async function rewriteHolds(tx: Tx, holds: (Hold | OpenHold)[]): Promise<void> {
  await tx.query(
    `update holds set amount_micro = amount, limit_micro = max, owner_process = process,
       owner_job = job, deadline = new.deadline, about = coalesce(new.about::jsonb, holds.about)
     from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::int8[], $5::uuid[], $6::text[],
       $7::timestamptz[], $8::text[])
       as new (id, account_id, amount, max, process, job, deadline, about)
     where holds.id = new.id`,
    holdColumns(holds),
  )
}

export type Loss = Uncollected & { accountId: string }

export async function insertUncollected(tx: Tx, losses: Loss[]): Promise<void> {
  await tx.query(
    `insert into uncollected
       (key, account_id, amount_micro, description, reference_type, reference_id)
     select * from unnest($1::text[], $2::uuid[], $3::int8[], $4::text[], $5::text[], $6::text[])
     on conflict do nothing`,
    [
      losses.map(({ entry }) => entry.key),
      losses.map((loss) => loss.accountId),
      losses.map((loss) => loss.amountMicro),
      losses.map(({ entry }) => entry.description),
      losses.map(({ entry }) => entry.reference?.type ?? null),
      losses.map(({ entry }) => entry.reference?.id ?? null),
    ],
  )
}

function accountColumns(changes: LedgerChanges): unknown[] {
  const { accounts } = changes
  return [
    accounts.map((account) => account.accountId),
    accounts.map((account) => account.balanceMicro),
    accounts.map((account) => account.heldMicro),
    accounts.map((account) => account.limitsMicro),
    entryCounts(changes),
  ]
}

/** How many entries each account gains: the next one's ordinal follows from it. */
function entryCounts({ accounts, entries }: LedgerChanges): number[] {
  const counts = new Map<string, number>()
  for (const { accountId } of entries) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return accounts.map(({ accountId }) => counts.get(accountId) ?? 0)
}

function entryColumns(entries: LedgerChanges['entries']): unknown[] {
  return [
    entries.map(({ entry }) => entry.id),
    entries.map((posted) => posted.accountId),
    entries.map(({ entry }) => entry.type),
    entries.map((posted) => posted.amountMicro),
    entries.map((posted) => posted.balanceAfterMicro),
    entries.map(({ entry }) => entry.key),
    entries.map(({ entry }) => entry.description),
    entries.map(({ entry }) => entry.reference?.type ?? null),
    entries.map(({ entry }) => entry.reference?.id ?? null),
    entries.map(({ entry }) => entry.workspaceId ?? null),
    entries.map(({ entry }) => entry.operator ?? null),
  ]
}

function holdColumns(holds: (Hold | OpenHold)[]): unknown[] {
  return [
    holds.map((hold) => hold.holdId),
    holds.map((hold) => hold.accountId),
    holds.map((hold) => hold.amountMicro),
    holds.map((hold) => hold.limitMicro),
    holds.map(({ owner }) => ('process' in owner ? owner.process : null)),
    holds.map(({ owner }) => ('job' in owner ? owner.job : null)),
    holds.map((hold) => deadlineOf(hold)),
    holds.map((hold) => ('about' in hold ? JSON.stringify(hold.about) : null)),
  ]
}

function deadlineOf({ owner }: OpenHold): Date | null {
  return 'job' in owner ? owner.deadline : null
}
