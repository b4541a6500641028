import {
  arrays,
  rowsClause,
  writeRows,
  type Check,
  type CheckedWrite,
  type Clause,
} from '../db/checked-write.ts'
import { oneRow, rowList, selectAll, selectOne, type RowType } from '../db/row-list.ts'
import type { LedgerChanges } from './ledger-changes.ts'
import type { Hold, OpenHold } from './ledger.ts'

/**
 * Everything a batch changed, written only if its accounts are still as they were. `checkedAlone`:
 * the statement checks nothing else.
 */
export function ledgerWrite(changes: LedgerChanges, checkedAlone = true): CheckedWrite {
  const { accounts, entries, closed, opened, rewritten, uncollected } = changes
  if (accounts.length === 0 && rewritten.length === 0) return { checks: [], writes: [] }
  const isOne = accounts.length === 1 && checkedAlone
  return {
    checks: isOne
      ? [{ clause: ACCOUNT_UPDATED, values: [oneRow(ACCOUNT_CHANGE, accounts[0]!)] }]
      : [{ clause: ACCOUNTS_AS_BELIEVED, values: believed(accounts) }],
    writes: [
      ...(isOne ? [] : [{ clause: UPDATE_ACCOUNTS, values: [] }]),
      ...writeRows(INSERT_ENTRIES, entries),
      ...filled(DELETE_HOLDS, CLOSED_HOLD, closed),
      ...filled(INSERT_HOLDS, WRITTEN_HOLD, opened),
      ...filled(REWRITE_HOLDS, WRITTEN_HOLD, rewritten),
      ...lossesWrite(uncollected),
    ],
  }
}

function believed(accounts: LedgerChanges['accounts']): unknown[] {
  return [accounts.map(({ accountId }) => accountId), rowList(ACCOUNT_CHANGE, accounts)]
}

function filled<R>(clause: Clause, type: RowType<R>, rows: R[]): CheckedWrite['writes'] {
  return rows.length > 0 ? [{ clause, values: [rowList(type, rows)] }] : []
}

/** The account is as this process left it. */
const AS_BELIEVED = `balance_micro = balance_was and held_micro = held_was
  and limits_micro = limits_was and entries = entries_was and version = version_was`

const NEW_VALUES = `balance_micro = balance, held_micro = held, limits_micro = limits,
  gift_micro = gift, entries = entries_now, gift_entries = entries_now, version = version_was + 1`

/**
 * For a batch of one account, as that of a lone call is: its row is checked and written in one step,
 * without a join. Only as the one check of a statement, since another could still find that nothing
 * may be written.
 */
const ACCOUNT_UPDATED: Check = {
  table: 'account_updated',
  text: (first) => `
    changed as (
      update ledger_accounts set ${NEW_VALUES}
      from (${selectOne(ACCOUNT_CHANGE, first)}) as believed
      where account_id = believed.id and ${AS_BELIEVED}
      returning account_id
    ),
    account_updated as (select exists (select from changed) as ok)`,
}

/** Locks in the order of the ids, so that batches of several processes wait and do not deadlock. */
const ACCOUNTS_AS_BELIEVED: Check = {
  table: 'accounts_as_believed',
  text: (first) => `
    believed as (${selectAll(ACCOUNT_CHANGE, first + 1)}),
    locked as (
      select account_id, balance_micro, held_micro, limits_micro, entries, version
      from ledger_accounts
      where account_id = any($${first}::uuid[]) order by account_id for update
    ),
    accounts_as_believed as (
      select count(*) = cardinality($${first}::uuid[]) as ok
      from locked join believed on account_id = believed.id and ${AS_BELIEVED}
    )`,
}

const UPDATE_ACCOUNTS: Clause = {
  text: () => `
    changed as (
      update ledger_accounts set ${NEW_VALUES}
      from believed where account_id = believed.id and (select ok from verdict)
    )`,
}

/** With its account's row locked, a hold that was seen cannot go away. */
const DELETE_HOLDS: Clause = {
  text: (first) => `
    closed as (
      delete from holds using unnest($${first}::closed_hold[]) as gone
      where holds.id = gone.id and amount_micro = amount and limit_micro = max
        and (select ok from verdict)
      returning holds.id
    )`,
  promise: (first) => `kept_promise(not ok
    or (select count(*) from closed) = cardinality($${first}::closed_hold[]),
    'a hold was closed without its account being locked')`,
}

const INSERT_HOLDS: Clause = {
  text: (first) => `
    opened as (
      insert into holds
        (id, account_id, amount_micro, limit_micro, owner_process, owner_job, deadline, about,
          is_float)
      select id, account_id, amount, max, process, job, deadline, about::jsonb, is_float
      from unnest($${first}::written_hold[]) as new
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
      from unnest($${first}::written_hold[]) as new
      where holds.id = new.id and (select ok from verdict)
      returning holds.id
    )`,
  promise: (first) => `kept_promise(not ok
    or (select count(*) from rewritten) = cardinality($${first}::written_hold[]),
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

const ACCOUNT_CHANGE: RowType<LedgerChanges['accounts'][number]> = {
  name: 'account_change',
  columns: [
    ['id', 'uuid', ({ accountId }) => accountId],
    ['balance_was', 'int8', ({ before }) => before.balanceMicro],
    ['held_was', 'int8', ({ before }) => before.heldMicro],
    ['limits_was', 'int8', ({ before }) => before.limitsMicro],
    ['entries_was', 'int8', ({ before }) => before.entries],
    ['version_was', 'int8', ({ before }) => before.version],
    ['balance', 'int8', ({ after }) => after.balanceMicro],
    ['held', 'int8', ({ after }) => after.heldMicro],
    ['limits', 'int8', ({ after }) => after.limitsMicro],
    ['gift', 'int8', ({ after }) => after.giftMicro],
    ['entries_now', 'int8', ({ after }) => after.entries],
  ],
}

const NEW_ENTRY: RowType<LedgerChanges['entries'][number]> = {
  name: 'new_entry',
  columns: [
    ['id', 'uuid', ({ entry }) => entry.id],
    ['account_id', 'uuid', ({ accountId }) => accountId],
    ['type', 'text', ({ entry }) => entry.type],
    ['amount', 'int8', ({ amountMicro }) => amountMicro],
    ['after', 'int8', ({ balanceAfterMicro }) => balanceAfterMicro],
    ['key', 'text', ({ entry }) => entry.key],
    ['description', 'text', ({ entry }) => entry.description],
    ['ref_type', 'text', ({ entry }) => entry.reference?.type],
    ['ref_id', 'text', ({ entry }) => entry.reference?.id],
    ['workspace', 'uuid', ({ entry }) => entry.workspaceId],
    ['operator', 'text', ({ entry }) => entry.operator],
    ['ordinal', 'int8', ({ ordinal }) => ordinal],
  ],
}

/** In the order of the list: `seq` counts them in the database, and the audit compares the two. */
const INSERT_ENTRIES = rowsClause(
  NEW_ENTRY,
  (rows) => `
    posted as (
      insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
        description, reference_type, reference_id, workspace_id, operator, ordinal)
      ${rows} where (select ok from verdict)
    )`,
)

const CLOSED_HOLD: RowType<OpenHold> = {
  name: 'closed_hold',
  columns: [
    ['id', 'uuid', ({ holdId }) => holdId],
    ['amount', 'int8', ({ amountMicro }) => amountMicro],
    ['max', 'int8', ({ limitMicro }) => limitMicro],
  ],
}

const WRITTEN_HOLD: RowType<Hold | OpenHold> = {
  name: 'written_hold',
  columns: [
    ['id', 'uuid', ({ holdId }) => holdId],
    ['account_id', 'uuid', ({ accountId }) => accountId],
    ['amount', 'int8', ({ amountMicro }) => amountMicro],
    ['max', 'int8', ({ limitMicro }) => limitMicro],
    ['process', 'uuid', ({ owner }) => ('process' in owner ? owner.process : null)],
    ['job', 'text', ({ owner }) => ('job' in owner ? owner.job : null)],
    ['deadline', 'timestamptz', ({ owner }) => ('job' in owner ? owner.deadline : null)],
    ['about', 'text', (hold) => ('about' in hold ? JSON.stringify(hold.about) : null)],
    ['is_float', 'bool', ({ isFloat }) => isFloat ?? false],
  ],
}

export const LEDGER_ROW_TYPES = [ACCOUNT_CHANGE, NEW_ENTRY, CLOSED_HOLD, WRITTEN_HOLD]

function lossesWrite(losses: LedgerChanges['uncollected']): CheckedWrite['writes'] {
  if (losses.length === 0) return []
  const values = [
    losses.map(({ entry }) => entry.key),
    losses.map((loss) => loss.accountId),
    losses.map((loss) => loss.amountMicro),
    losses.map(({ entry }) => entry.description),
    losses.map(({ entry }) => entry.reference?.type ?? null),
    losses.map(({ entry }) => entry.reference?.id ?? null),
  ]
  return [{ clause: INSERT_UNCOLLECTED, values }]
}
