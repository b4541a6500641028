import type { CommitMode, Tx } from '../db/db.ts'
import { binaryRows, type RowType } from '../db/binary-rows.ts'
import {
  conditionalStatement,
  type ConditionalStatement,
  type StatementPart,
  type Precondition,
} from './conditional-statement.ts'
import type { LedgerChanges } from './ledger-batch.ts'
import type { Hold, OpenHold } from './ledger.ts'

/** Rows that nearly every charge writes beside the ledger's own, such as the record of the call. */
export type RowsBeside<Row> = StatementPart<{ beside: Row[] }> & {
  /** The same in a statement of their own. */
  insert(tx: Tx, rows: Row[]): Promise<void>
}

type Written<Row> = { changes: LedgerChanges; beside: Row[] }

/** The two statements by which calls begin and end, if their accounts are as this process left them. */
export type CallStatements<Row> = {
  hold: ConditionalStatement<Written<Row>>
  charge: ConditionalStatement<Written<Row>>
}

export function callStatements<Row>(rowsBeside: RowsBeside<Row>): CallStatements<Row> {
  const ends = [UPDATE_ACCOUNTS, INSERT_ENTRIES, DELETE_HOLDS]
  return {
    hold: conditionalStatement('visible', ACCOUNTS_AS_BELIEVED, [UPDATE_ACCOUNTS, INSERT_HOLDS]),
    charge: conditionalStatement<Written<Row>>('durable', ACCOUNTS_AS_BELIEVED, [
      ...ends,
      rowsBeside,
    ]),
  }
}

/** Says whether it was written; undefined where neither statement writes all of it. */
export async function writeIfUnchanged<Row>(
  tx: Tx,
  statements: CallStatements<Row>,
  written: Written<Row>,
  mode: CommitMode,
): Promise<boolean | undefined> {
  const { entries, closed, opened, rewritten, uncollected } = written.changes
  const opensOnly = entries.length === 0 && closed.length === 0 && written.beside.length === 0
  if (rewritten.length > 0 || uncollected.length > 0) return undefined
  if (mode === 'visible' ? !opensOnly : opened.length > 0) return undefined
  const rows = await run(tx, mode === 'visible' ? statements.hold : statements.charge, written)
  return rows.length > 0
}

/** Writes the changes in a transaction that has locked their accounts. */
export async function writeLocked(tx: Tx, changes: LedgerChanges): Promise<void> {
  if (changes.accounts.length === 0 && changes.rewritten.length === 0) return
  await run(tx, LOCKED, { changes })
}

function run<Given>(
  tx: Tx,
  { text, values }: ConditionalStatement<Given>,
  given: Given,
): Promise<unknown[]> {
  return tx.query(
    text,
    values.map((valueOf) => valueOf(given)),
  )
}

type Changed = { changes: LedgerChanges }

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

/** Locks in the order of the ids, so that batches of several processes wait and do not deadlock. */
const ACCOUNTS_AS_BELIEVED: Precondition<Changed> = {
  table: 'accounts_as_believed',
  text: (first) => `
    believed as (select * from unnest($${first}::account_change[])),
    locked as (
      select account_id, balance_micro, held_micro, limits_micro, entries, version
      from ledger_accounts
      where account_id = any($${first + 1}::uuid[]) order by account_id for update
    ),
    accounts_as_believed as (
      select count(*) = cardinality($${first + 1}::uuid[]) as ok
      from locked join believed on account_id = believed.id
        and balance_micro = balance_was and held_micro = held_was
        and limits_micro = limits_was and entries = entries_was and version = version_was
    )`,
  values: [
    ({ changes }) => binaryRows(ACCOUNT_CHANGE, changes.accounts),
    ({ changes }) => changes.accounts.map(({ accountId }) => accountId),
  ],
}

const UPDATE_ACCOUNTS: StatementPart<Changed> = {
  text: () => `
    changed as (
      update ledger_accounts set balance_micro = balance, held_micro = held, limits_micro = limits,
        gift_micro = gift, entries = entries_now, version = version_was + 1
      from believed where account_id = believed.id and (select ok from preconditions_hold)
    )`,
  values: [],
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
const INSERT_ENTRIES: StatementPart<Changed> = {
  text: (first) => `
    posted as (
      insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
        description, reference_type, reference_id, workspace_id, operator, ordinal)
      select * from unnest($${first}::new_entry[])
      where (select ok from preconditions_hold)
    )`,
  values: [({ changes }) => binaryRows(NEW_ENTRY, changes.entries)],
}

const CLOSED_HOLD: RowType<OpenHold> = {
  name: 'closed_hold',
  columns: [
    ['id', 'uuid', ({ holdId }) => holdId],
    ['amount', 'int8', ({ amountMicro }) => amountMicro],
    ['max', 'int8', ({ limitMicro }) => limitMicro],
  ],
}

/** The types of the database that rows are sent as. */
export const LEDGER_ROW_TYPES = [ACCOUNT_CHANGE, NEW_ENTRY, CLOSED_HOLD]

/** With its account's row locked, a hold that was seen cannot go away. */
const DELETE_HOLDS: StatementPart<Changed> = {
  text: (first) => `
    closed as (
      delete from holds using unnest($${first}::closed_hold[]) as gone
      where holds.id = gone.id and amount_micro = amount and limit_micro = max
        and (select ok from preconditions_hold)
      returning holds.id
    )`,
  values: [({ changes }) => binaryRows(CLOSED_HOLD, changes.closed)],
  postcondition: (first) => `assert_postcondition(not ok
    or (select count(*) from closed) = cardinality($${first}::closed_hold[]),
    'a hold was closed without its account being locked')`,
}

/** Reads a list of holds sent as JSON. */
const holdsFrom = (first: number) => `json_to_recordset($${first}::json) as new
  (id uuid, account_id uuid, amount int8, max int8, process uuid, job text, deadline timestamptz,
   about jsonb, guessed bool)`

const INSERT_HOLDS: StatementPart<Changed> = {
  text: (first) => `
    opened as (
      insert into holds
        (id, account_id, amount_micro, limit_micro, owner_process, owner_job, deadline, about, guessed)
      select * from ${holdsFrom(first)}
      where (select ok from preconditions_hold)
    )`,
  values: [({ changes }) => JSON.stringify(changes.opened.map(holdRow))],
}

/**
 * Holds that changed while their row stays: a limit or a deadline that moved, or one that was closed
 * and made again under its id within the batch. What a hold is about is written only when it is made.
 */
const REWRITE_HOLDS: StatementPart<Changed> = {
  text: (first) => `
    rewritten as (
      update holds set amount_micro = amount, limit_micro = max, owner_process = process,
        owner_job = job, deadline = new.deadline, guessed = new.guessed,
        about = coalesce(new.about, holds.about)
      from ${holdsFrom(first)}
      where holds.id = new.id and (select ok from preconditions_hold)
      returning holds.id
    )`,
  values: [({ changes }) => JSON.stringify(changes.rewritten.map(holdRow))],
  postcondition: (first) => `assert_postcondition(not ok
    or (select count(*) from rewritten) = json_array_length($${first}::json),
    'a hold was changed without its account being locked')`,
}

function holdRow(hold: Hold | OpenHold): Record<string, unknown> {
  const { owner } = hold
  return {
    id: hold.holdId,
    account_id: hold.accountId,
    amount: String(hold.amountMicro),
    max: String(hold.limitMicro),
    guessed: hold.guessed === true,
    ...('process' in owner ? { process: owner.process } : owner),
    about: 'about' in hold ? hold.about : undefined,
  }
}

const INSERT_UNCOLLECTED: StatementPart<Changed> = {
  text: (first) => `
    lost as (
      insert into uncollected
        (key, account_id, amount_micro, description, reference_type, reference_id)
      select * from json_to_recordset($${first}::json) as new
        (key text, account_id uuid, amount int8, description text, ref_type text, ref_id text)
      where (select ok from preconditions_hold)
      on conflict do nothing
    )`,
  values: [
    ({ changes }) =>
      JSON.stringify(
        changes.uncollected.map(({ accountId, amountMicro, entry }) => ({
          key: entry.key,
          account_id: accountId,
          amount: String(amountMicro),
          description: entry.description,
          ref_type: entry.reference?.type,
          ref_id: entry.reference?.id,
        })),
      ),
  ],
}

const LOCKED = conditionalStatement<Changed>('locked', ACCOUNTS_AS_BELIEVED, [
  UPDATE_ACCOUNTS,
  INSERT_ENTRIES,
  DELETE_HOLDS,
  INSERT_HOLDS,
  REWRITE_HOLDS,
  INSERT_UNCOLLECTED,
])
