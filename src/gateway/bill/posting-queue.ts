import { setTimeout as wait } from 'node:timers/promises'
import { costsOf, insertRecords } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Command, Outcome } from '../../billing/commands.ts'
import { judgeCommands } from '../../billing/ledger-store.ts'
import type { Db, OpenTx, Tx } from '../../db/db.ts'
import { commitLanes } from '../../db/group-commit.ts'
import type { GroupCommit } from '../../db/group-commit.ts'
import type { Claim, EarlyBody, KeptAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { keepAnswers, keepEarly, lockClaims, type AnswerToKeep } from '../../replay/replay-store.ts'

/** One move of money and everything that must be true together with it. */
export type Posting = {
  /** Whose money and whose rows: postings of one account keep their order. */
  accountId: string
  /** None for a model that costs nothing. */
  command?: Command | undefined
  /** Pure: the rows that go into the same commit, made from the ledger's outcome. */
  rows?: ((outcome: Outcome | undefined) => Rows) | undefined
  /** Done only while the claim is still ours; else `otherwise` is done in its place. */
  claimed?: { claim: Claim; otherwise: Posting } | undefined
}

export type Rows = {
  records?: ActivityRecord[] | undefined
  kept?: AnswerToKeep | undefined
  /** Writes rows of the caller's own, which this queue need not know, in the same commit. */
  write?: ((tx: Tx) => Promise<void>) | undefined
}

export type Posted = { outcome: Outcome | undefined; rows: Rows }

export type PostingQueue = GroupCommit<Posting, Posted> & {
  /** As `submit`, but outlasts a database that goes away for a moment. */
  submitSurely<Result>(posting: Posting, reading: PostingReading<Result>): Promise<Result>
  /** Writes a large answer before the commit that keeps it, which is short for it. */
  keepEarly(claim: Claim, draft: KeptAnswer): Promise<EarlyBody | undefined>
  /** What these records cost, if all of them were written. */
  recordedCosts(recordIds: string[]): Promise<bigint[] | undefined>
}

type PostingReading<Result> = {
  fromPosted(posted: Posted): Result
  /** Asked after a second try: what an earlier one did, if it was committed after all. */
  fromDatabase(): Promise<Result | undefined>
}

export type BalanceNote = { accountId: string; availableMicro: bigint }

export type PostingQueueOptions = {
  db: Db
  timeZone: string
  /** Given new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
}

/** More would overlap more waiting, and make smaller batches that cost the database more. */
const LANES = 2

/** Many calls, one transaction: ledger, activity, roll-ups and kept answers move as one. */
export function openPostingQueue(options: PostingQueueOptions): PostingQueue {
  const { db } = options
  const commits = commitLanes({
    db,
    lanes: LANES,
    laneOf: ({ accountId }: Posting) => accountId,
    apply: (tx, postings: Posting[]) => post(options, tx, postings),
  })
  return {
    ...commits,
    submitSurely: (posting, reading) => submitSurely(commits, posting, reading),
    keepEarly: (claim, draft) => patiently(() => keepEarly(db, claim, draft)),
    async recordedCosts(recordIds) {
      const costs = await costsOf(db, recordIds)
      const known = recordIds.flatMap((id) => costs.get(id) ?? [])
      return known.length === recordIds.length ? known : undefined
    },
  }
}

async function post(
  options: PostingQueueOptions,
  tx: OpenTx,
  submitted: Posting[],
): Promise<Posted[]> {
  const postings = await withoutLostClaims(tx, submitted)
  const { outcomes, write } = await judge(tx, postings)
  const posted = postings.map((posting, i) => ({
    outcome: outcomes[i],
    rows: posting.rows?.(outcomes[i]) ?? {},
  }))
  const records = posted.flatMap(({ rows }) => rows.records ?? [])
  const kept = posted.flatMap(({ rows }) => (rows.kept === undefined ? [] : [rows.kept]))
  // These make one journey together with COMMIT.
  await write(tx.later)
  if (records.length > 0) await insertRecords(tx.later, records, options.timeZone)
  if (kept.length > 0) await keepAnswers(tx.later, kept)
  for (const { rows } of posted) if (rows.write !== undefined) await rows.write(tx.later)
  await options.noteBalances(tx, balances(postings, outcomes))
  return posted
}

async function withoutLostClaims(tx: Tx, postings: Posting[]): Promise<Posting[]> {
  const claims = postings.flatMap(({ claimed }) => (claimed === undefined ? [] : [claimed.claim]))
  if (claims.length === 0) return postings
  const ours = await lockClaims(tx, claims)
  return postings.map((posting) => {
    const { claimed } = posting
    return claimed === undefined || ours.has(claimed.claim.id) ? posting : claimed.otherwise
  })
}

/** Runs the commands in order and gives each posting its outcome. */
async function judge(
  tx: Tx,
  postings: Posting[],
): Promise<{ outcomes: (Outcome | undefined)[]; write(tx: Tx): Promise<void> }> {
  const commands = postings.flatMap(({ command }) => (command === undefined ? [] : [command]))
  const { outcomes, write } = await judgeCommands(tx, commands)
  let next = 0
  return {
    outcomes: postings.map(({ command }) => (command === undefined ? undefined : outcomes[next++])),
    write,
  }
}

function balances(postings: Posting[], outcomes: (Outcome | undefined)[]): BalanceNote[] {
  return postings.flatMap(({ command }, i) => {
    const outcome = outcomes[i]
    if (command === undefined || outcome?.kind !== 'settled') return []
    return [{ accountId: command.accountId, availableMicro: outcome.availableMicro }]
  })
}

/** From the first failure on: a caller who waits long for an answer must have time to ask again. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is submitted again: if it had been done, this changes nothing, and its rows say so.
 */
async function submitSurely<Result>(
  commits: GroupCommit<Posting, Posted>,
  posting: Posting,
  reading: PostingReading<Result>,
): Promise<Result> {
  return patiently(async (tries) => {
    const posted = await commits.submit(posting)
    const earlier = tries > 1 ? await reading.fromDatabase() : undefined
    return earlier ?? reading.fromPosted(posted)
  })
}

async function patiently<Result>(act: (tries: number) => Promise<Result>): Promise<Result> {
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
