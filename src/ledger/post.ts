import type { CommitMode, Db, OpenTx, Tx } from '../db/db.ts'
import type { Command, Outcome } from './commands.ts'
import {
  forgetAccounts,
  judgeAll,
  judgeFromMemory,
  rememberChanges,
  type LedgerMemory,
} from './ledger-batch.ts'
import { readLocked } from './ledger-store.ts'
import { writeIfUnchanged, writeLocked, type CallStatements } from './ledger-write-store.ts'

/** One move of money and everything that must be true together with it. */
export type Posting<Row> = {
  /** Whose money and whose rows: postings of one account are never written at the same time. */
  accountId: string
  /** None for a model that costs nothing. */
  command?: Command | undefined
  /** Pure: what goes into the same commit, made from the ledger's outcome. */
  writes?: ((outcome: Outcome | undefined) => Write<Row>[]) | undefined
  /** Where this is no longer so, `otherwise` is posted in its place. */
  onlyIf?: { stillTrue(tx: Tx): Promise<boolean>; otherwise: Posting<Row> } | undefined
}

/** A row that the charge takes along in its statement, or whatever else belongs into the commit. */
export type Write<Row> = { row: Row } | { write(tx: Tx): Promise<void> }

export type Posted<Row> = {
  outcome: Outcome | undefined
  writes: Write<Row>[]
  /** The posting of `otherwise` was written in its place. */
  replaced: boolean
}

export type BalanceNote = { accountId: string; availableMicro: bigint }

export type PostOptions<Row> = {
  db: Db
  statements: CallStatements<Row>
  /** Writes the rows of `Write` in a transaction. */
  writeRows(tx: Tx, rows: Row[]): Promise<void>
  /** Given new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
  /** Whether that would write anything. */
  isNews(notes: BalanceNote[]): boolean
}

/** What a batch has changed is remembered with its first posting. */
export type Remembering<Row> = Posted<Row> & { remember?: () => void }

/**
 * A hold need not wait for the disk: it keeps the account's other calls from spending the same
 * credits, which takes being seen, and should the database's server crash before it is on disk, it is
 * released, as the holds of the dead are. The same goes for its limit. A charge, which is never
 * undone, reaches the disk after it.
 */
export function modeOf({ command, writes, onlyIf }: Posting<unknown>): CommitMode {
  const holds = command?.kind === 'hold' || command?.kind === 'extend'
  return holds && writes === undefined && onlyIf === undefined ? 'visible' : 'durable'
}

/**
 * Most accounts are as this process left them. Then the outcome is known beforehand, and one
 * statement checks that, writes it all and commits. Undefined where it is not so simple.
 */
export async function postFromMemory<Row>(
  options: PostOptions<Row>,
  memory: LedgerMemory,
  postings: Posting<Row>[],
  mode: CommitMode,
): Promise<Posted<Row>[] | undefined> {
  if (postings.some(({ onlyIf }) => onlyIf !== undefined)) return undefined
  const commands = commandsOf(postings)
  const judged = judgeFromMemory(memory, commands)
  if (judged === undefined) return undefined
  const posted = postedOf(postings, postings, judged.outcomes)
  const beside = rowsOf(posted)
  if (beside.length < posted.flatMap(({ writes }) => writes).length) return undefined
  if (options.isNews(balancesAfter(commands, judged.outcomes))) return undefined
  const written = { changes: judged.changes, beside }
  const isWritten = await writeIfUnchanged(options.db, options.statements, written, mode)
  if (isWritten === false) forgetAccounts(memory, commands)
  if (!isWritten) return undefined
  rememberChanges(memory, judged.changes)
  return posted
}

/** The same under locks, whatever the accounts have become. */
export async function postUnderLocks<Row>(
  options: PostOptions<Row>,
  memory: LedgerMemory,
  tx: OpenTx,
  submitted: Posting<Row>[],
): Promise<Remembering<Row>[]> {
  const postings = await Promise.all(submitted.map((posting) => stillMeant(tx, posting)))
  const commands = commandsOf(postings)
  const before = await readLocked(tx, commands)
  const { outcomes, changes } = judgeAll(before, commands)
  const posted = postedOf(submitted, postings, outcomes)
  // These make one journey together with COMMIT.
  await writeLocked(tx.later, changes)
  await options.writeRows(tx.later, rowsOf(posted))
  for (const one of posted.flatMap(({ writes }) => writes)) {
    if ('write' in one) await one.write(tx.later)
  }
  await options.noteBalances(tx, balancesAfter(commands, outcomes))
  const remember = () => {
    for (const [accountId, account] of before.accounts) memory.accounts.set(accountId, account)
    rememberChanges(memory, changes)
  }
  return posted.map((one, i) => (i === 0 ? { ...one, remember } : one))
}

async function stillMeant<Row>(tx: Tx, posting: Posting<Row>): Promise<Posting<Row>> {
  const { onlyIf } = posting
  return onlyIf === undefined || (await onlyIf.stillTrue(tx)) ? posting : onlyIf.otherwise
}

function commandsOf(postings: Posting<unknown>[]): Command[] {
  return postings.flatMap(({ command }) => (command === undefined ? [] : [command]))
}

/** Gives each posting its outcome and what is written for it. */
function postedOf<Row>(
  submitted: Posting<Row>[],
  postings: Posting<Row>[],
  outcomes: Outcome[],
): Posted<Row>[] {
  let next = 0
  return postings.map((posting, i) => {
    const outcome = posting.command === undefined ? undefined : outcomes[next++]
    const writes = posting.writes?.(outcome) ?? []
    return { outcome, writes, replaced: posting !== submitted[i] }
  })
}

export function rowsOf<Row>(posted: Posted<Row>[]): Row[] {
  return posted.flatMap(({ writes }) => writes.flatMap((one) => ('row' in one ? [one.row] : [])))
}

function balancesAfter(commands: Command[], outcomes: Outcome[]): BalanceNote[] {
  return commands.flatMap(({ accountId }, i) => {
    const outcome = outcomes[i]!
    return outcome.kind === 'settled' ? [{ accountId, availableMicro: outcome.availableMicro }] : []
  })
}
