import { arrays, type Check, type CheckedWrite, type Clause } from '../db/checked-write.ts'
import type { LedgerChanges } from './ledger-changes.ts'
import type { Hold, OpenHold } from './ledger.ts'

/** Everything a batch changed, written only if its accounts are still as they were. */
export function ledgerWrite(changes: LedgerChanges): CheckedWrite {
  const { accounts, entries, closed, opened, rewritten, uncollected } = changes
  if (accounts.length === 0 && rewritten.length === 0) return { checks: [], writes: [] }
  return {
    checks: [{ clause: ACCOUNTS_AS_BELIEVED, values: accountColumns(accounts) }],
    writes: [
      { clause: UPDATE_ACCOUNTS, values: [] },
      ...filled(INSERT_ENTRIES, entries, entryColumns),
      ...filled(DELETE_HOLDS, closed, closedColumns),
      ...filled(INSERT_HOLDS, opened, holdColumns),
      ...filled(REWRITE_HOLDS, rewritten, holdColumns),
      ...filled(INSERT_UNCOLLECTED, uncollected, lossColumns),
    ],
  }
}

function filled<Row>(clause: Clause, rows: Row[], columns: (rows: Row[]) => unknown[]) {
  return rows.length > 0 ? [{ clause, values: columns(rows) }] : []
}

/** Locks in the order of the ids, so that batches of several processes wait and do not deadlock. */
const ACCOUNTS_AS_BELIEVED: Check = {
  table: 'accounts_as_believed',
  text: (first) => `
    believed as (
      select * from unnest(${arrays(first, ['uuid', ...Array<string>(10).fill('int8')])})
        as believed (id, balance_was, held_was, limits_was, entries_was, version_was,
          balance, held, limits, gift, entries_now)
    ),
    locked as (
      select account_id, balance_micro, held_micro, limits_micro, entries, version
      from ledger_accounts
      where account_id = any($${first}::uuid[]) order by account_id for update
    ),
    accounts_as_believed as (
      select count(*) = cardinality($${first}::uuid[]) as ok
      from locked join believed on account_id = id and balance_micro = balance_was
        and held_micro = held_was and limits_micro = limits_was and entries = entries_was
        and version = version_was
    )`,
}

const UPDATE_ACCOUNTS: Clause = {
  text: () => `
    changed as (
      update ledger_accounts set balance_micro = balance, held_micro = held,
        limits_micro = limits, gift_micro = gift, entries = entries_now,
        gift_entries = entries_now, version = version_was + 1
      from believed where account_id = id and (select ok from verdict)
    )`,
}

const INSERT_ENTRIES: Clause = {
  text: (first) => `
    posted as (
      insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
        description, reference_type, reference_id, workspace_id, operator, ordinal)
      select id, account_id, type, amount, after, key, description, ref_type, ref_id, workspace,
        operator, ordinal
      from unnest(${arrays(first, ENTRY_TYPES)}) with ordinality
        as new (id, account_id, type, amount, after, key, description, ref_type, ref_id, workspace,
          operator, ordinal, n)
      where (select ok from verdict)
      order by n
    )`,
}

/** With its account's row locked, a hold that was seen cannot go away. */
const DELETE_HOLDS: Clause = {
  text: (first) => `
    closed as (
      delete from holds using unnest(${arrays(first, ['uuid', 'int8', 'int8'])})
        as gone (id, amount, max)
      where holds.id = gone.id and amount_micro = amount and limit_micro = max
        and (select ok from verdict)
      returning holds.id
    )`,
  promise: (first) => `kept_promise(not ok
    or (select count(*) from closed) = cardinality($${first}::uuid[]),
    'a hold was closed without its account being locked')`,
}

const HOLD_TYPES = ['uuid', 'uuid', 'int8', 'int8', 'uuid', 'text', 'timestamptz', 'text', 'bool']

const INSERT_HOLDS: Clause = {
  text: (first) => `
    opened as (
      insert into holds
        (id, account_id, amount_micro, limit_micro, owner_process, owner_job, deadline, about,
          is_float)
      select id, account_id, amount, max, process, job, deadline, about::jsonb, is_float
      from unnest(${arrays(first, HOLD_TYPES)})
        as new (id, account_id, amount, max, process, job, deadline, about, is_float)
      where (select ok from verdict)
    )`,
}

/**
 * Holds that changed while their row stays: a limit or a deadline that moved, or one that was closed
 * and made again under its id within the batch. What a hold is about is written only when it is made.
 */
const REWRITE_HOLDS: Clause = {
  text: (first) => `
    rewritten as (
      update holds set amount_micro = amount, limit_micro = max, owner_process = process,
        owner_job = job, deadline = new.deadline, about = coalesce(new.about::jsonb, holds.about)
      from unnest(${arrays(first, HOLD_TYPES)})
        as new (id, account_id, amount, max, process, job, deadline, about, is_float)
      where holds.id = new.id and (select ok from verdict)
      returning holds.id
    )`,
  promise: (first) => `kept_promise(not ok
    or (select count(*) from rewritten) = cardinality($${first}::uuid[]),
    'a hold was changed without its account being locked')`,
}

const INSERT_UNCOLLECTED: Clause = {
  text: (first) => `
    lost as (
      insert into uncollected
        (key, account_id, amount_micro, description, reference_type, reference_id)
      select * from unnest(${arrays(first, ['text', 'uuid', 'int8', 'text', 'text', 'text'])})
      where (select ok from verdict)
      on conflict do nothing
    )`,
}

function accountColumns(accounts: LedgerChanges['accounts']): unknown[] {
  return [
    accounts.map(({ accountId }) => accountId),
    accounts.map(({ before }) => before.balanceMicro),
    accounts.map(({ before }) => before.heldMicro),
    accounts.map(({ before }) => before.limitsMicro),
    accounts.map(({ before }) => before.entries),
    accounts.map(({ before }) => before.version),
    accounts.map(({ after }) => after.balanceMicro),
    accounts.map(({ after }) => after.heldMicro),
    accounts.map(({ after }) => after.limitsMicro),
    accounts.map(({ after }) => after.giftMicro),
    accounts.map(({ after }) => after.entries),
  ]
}

const ENTRY_TYPES = 'uuid, uuid, text, int8, int8, text, text, text, text, uuid, text, int8'.split(
  ', ',
)

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
    entries.map((posted) => posted.ordinal),
  ]
}

function closedColumns(holds: OpenHold[]): unknown[] {
  return [
    holds.map((hold) => hold.holdId),
    holds.map((hold) => hold.amountMicro),
    holds.map((hold) => hold.limitMicro),
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
    holds.map((hold) => hold.isFloat ?? false),
  ]
}

function deadlineOf({ owner }: OpenHold): Date | null {
  return 'job' in owner ? owner.deadline : null
}

function lossColumns(losses: LedgerChanges['uncollected']): unknown[] {
  return [
    losses.map(({ entry }) => entry.key),
    losses.map((loss) => loss.accountId),
    losses.map((loss) => loss.amountMicro),
    losses.map(({ entry }) => entry.description),
    losses.map(({ entry }) => entry.reference?.type ?? null),
    losses.map(({ entry }) => entry.reference?.id ?? null),
  ]
}
