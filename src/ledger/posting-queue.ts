import { setTimeout as wait } from 'node:timers/promises'
import { groupCommit, type GroupCommit } from '../db/group-commit.ts'
import { Failure } from '../lib/failure.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import { openLedgerMemory } from './ledger-batch.ts'
import { callStatements, type RowsBeside } from './ledger-write-store.ts'
import {
  modeOf,
  postFromMemory,
  postUnderLocks,
  rowsOf,
  type Posted,
  type Posting,
  type PostOptions,
  type Remembering,
} from './post.ts'
import { openUnconfirmed, type Unconfirmed } from './unconfirmed.ts'

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
  rowsBeside: RowsBeside<Row>
  /** The most that an account's calls may cost in all while their holds are not confirmed. */
  unconfirmedCapMicro: bigint
  /** Told of the rows that were committed. */
  onRows?(rows: Row[]): void
  meter?: Pick<Meter, 'committed'> | undefined
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
    queue.onRows?.(rowsOf([posted]))
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
