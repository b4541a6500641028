import { setTimeout as wait } from 'node:timers/promises'
import type { CommitMode, Db, OpenTx, Tx } from '../db/db.ts'
import { groupCommit, type GroupCommit } from '../db/group-commit.ts'
import { Failure } from '../lib/failure.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { Command, Outcome } from './commands.ts'
import {
  forgetAccounts,
  judgeAll,
  judgeFromMemory,
  openLedgerMemory,
  openUnconfirmed,
  rememberChanges,
  type LedgerMemory,
  type Unconfirmed,
} from './ledger-batch.ts'
import { readLocked } from './ledger-store.ts'
import {
  callStatements,
  writeIfUnchanged,
  writeLocked,
  type CallStatements,
  type RowsBeside,
} from './ledger-write-store.ts'

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

export type PostingQueue<Row> = GroupCommit<Posting<Row>, Posted<Row>> & {
  /**
   * Outlasts a database that goes away for a moment. Nobody knows then whether the commit happened,
   * so the same posting is submitted again: if it had been done, this changes nothing, and
   * `fromDatabase` says what an earlier try did.
   */
  submitSurely<Result>(posting: Posting<Row>, reading: PostingReading<Row, Result>): Promise<Result>
  /** Calls whose hold was sent and not yet answered. */
  unconfirmed: Unconfirmed
}

type PostingReading<Row, Result> = {
  fromPosted(posted: Posted<Row>): Result
  /** Asked after a second try: what an earlier one did, if it was committed after all. */
  fromDatabase(): Promise<Result | undefined>
}

export type PostingQueueOptions<Row> = Omit<PostOptions<Row>, 'statements'> & {
  /** The most that an account's calls may cost in all while their holds are not confirmed. */
  unconfirmedCapMicro: bigint
  /** Told of each row that was committed. */
  onRow?: ((row: Row) => void) | undefined
  meter?: Pick<Meter, 'committed'> | undefined
}

type PostOptions<Row> = {
  db: Db
  statements: CallStatements<Row>
  /** How the rows of `Write` are written. */
  rowsBeside: RowsBeside<Row>
  /** Given new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
  /** Whether that would write anything. */
  isNews(notes: BalanceNote[]): boolean
}

/** While the database has just failed, a call had better not begin before its hold is confirmed. */
const DISTRUST_MEMORY_AFTER_FAILURE_MS = 5_000

/** Many calls, one transaction: the ledger and what is written beside it move as one. */
export function openPostingQueue<Row>(queue: PostingQueueOptions<Row>): PostingQueue<Row> {
  const options = { ...queue, statements: callStatements(queue.rowsBeside) }
  const memory = openLedgerMemory()
  let failedMs = -Infinity
  const commits = groupCommit<Posting<Row>, Remembering<Row>>({
    db: queue.db,
    attempt: (postings, mode) => postFromMemory(options, memory, postings, mode),
    apply: (tx, postings) => postUnderLocks(options, memory, tx, postings),
    committed: (posted) => posted.forEach(({ remember }) => remember?.()),
    mode: modeOf,
    rowsOf: ({ accountId }) => accountId,
    observe(batch) {
      if (!batch.ok) failedMs = performance.now()
      queue.meter?.committed(batch)
    },
  })
  async function submit(posting: Posting<Row>): Promise<Posted<Row>> {
    const posted = await commits.submit(posting)
    for (const row of rowsOf([posted])) queue.onRow?.(row)
    return posted
  }
  return {
    ...commits,
    submit,
    submitSurely: (posting, reading) =>
      patiently(async (tries) => {
        const posted = await submit(posting)
        const earlier = tries > 1 ? await reading.fromDatabase() : undefined
        return earlier ?? reading.fromPosted(posted)
      }),
    unconfirmed: openUnconfirmed({
      capMicro: queue.unconfirmedCapMicro,
      known(accountId) {
        const distrusted = performance.now() - failedMs < DISTRUST_MEMORY_AFTER_FAILURE_MS
        return distrusted ? undefined : memory.accounts.get(accountId)
      },
    }),
  }
}

/** What a batch has changed is remembered with its first posting. */
type Remembering<Row> = Posted<Row> & { remember?: () => void }

/**
 * A hold need not wait for the disk: it keeps the account's other calls from spending the same
 * credits, which takes being seen, and should the database's server crash before it is on disk, it is
 * released, as the holds of the dead are. The same goes for its limit. A charge, which is never
 * undone, reaches the disk after it.
 */
function modeOf({ command, writes, onlyIf }: Posting<unknown>): CommitMode {
  const holds = command?.kind === 'hold' || command?.kind === 'extend'
  return holds && writes === undefined && onlyIf === undefined ? 'visible' : 'durable'
}

/**
 * Most accounts are as this process left them. Then the outcome is known beforehand, and one
 * statement checks that, writes it all and commits. Undefined where it is not so simple.
 */
async function postFromMemory<Row>(
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
async function postUnderLocks<Row>(
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
  await options.rowsBeside.insert(tx.later, rowsOf(posted))
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

function rowsOf<Row>(posted: Posted<Row>[]): Row[] {
  return posted.flatMap(({ writes }) => writes.flatMap((one) => ('row' in one ? [one.row] : [])))
}

function balancesAfter(commands: Command[], outcomes: Outcome[]): BalanceNote[] {
  return commands.flatMap(({ accountId }, i) => {
    const outcome = outcomes[i]!
    return outcome.kind === 'settled' ? [{ accountId, availableMicro: outcome.availableMicro }] : []
  })
}

/** From the first failure on: a caller who waits long for an answer must have time to ask again. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/** Tries again while the database cannot be reached. */
export async function patiently<Result>(act: (tries: number) => Promise<Result>): Promise<Result> {
  let giveUpMs = Infinity
  for (let tries = 1; ; tries++) {
    try {
      return await act(tries)
    } catch (error) {
      giveUpMs = Math.min(giveUpMs, performance.now() + PATIENCE_MS)
      if (!isUnavailable(error) || performance.now() > giveUpMs) throw error
      await wait(RETRY_MS)
    }
  }
}

/** The database cannot be reached: whether a commit happened is not known. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable'
}
