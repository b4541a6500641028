import { costsOf, insertRecords } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Command, Outcome } from '../../billing/commands.ts'
import { judgeCommands } from '../../billing/ledger-store.ts'
import type { Db, Tx } from '../../db/db.ts'
import { commitLanes, type GroupCommit } from '../../db/group-commit.ts'
import type { Claim, KeptAnswer } from '../../lib/answer.ts'
import { keepAnswers, lockClaims } from '../../replay/replay-store.ts'
import { insertVideoJobs, type NewVideoJob } from '../videos/jobs-store.ts'

/** One move of money and everything that must be true together with it. */
export type Posting = {
  /** Whose money and whose rows: postings of one account keep their order. */
  accountId: string
  /** None for a model that costs nothing. */
  command?: Command
  /** Pure: the rows that go into the same commit, made from what the ledger said. */
  rows?: (outcome: Outcome | undefined) => Rows
  /** Done only while the claim is still ours; else `otherwise` is done in its place. */
  claimed?: { claim: Claim; otherwise: Posting }
}

export type Rows = {
  records?: ActivityRecord[]
  kept?: { claim: Claim; answer: KeptAnswer }
  /** Durable from the first moment: committed together with their holds. */
  videoJobs?: NewVideoJob[]
}

export type Posted = { outcome: Outcome | undefined; rows: Rows }

export type Books = GroupCommit<Posting, Posted> & {
  /** After a commit whose answer was lost: what these records cost, if all were written. */
  costs(recordIds: string[]): Promise<bigint[] | undefined>
}

export type BalanceNote = { accountId: string; availableMicro: bigint }

/** More would overlap more waiting, and make smaller batches that cost the database more. */
const LANES = 2

/** Many calls, one transaction: ledger, activity, roll-ups and kept answers move as one. */
export function openBooks(options: {
  db: Db
  timeZone: string
  /** Told of new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
}): Books {
  const { db } = options
  const commits = commitLanes({
    db,
    lanes: LANES,
    laneOf: ({ accountId }: Posting) => accountId,
    async apply(tx, given: Posting[]) {
      const postings = await withoutLost(tx, given)
      const { outcomes, write } = await ledger(tx, postings)
      const posted = postings.map((posting, i) => ({
        outcome: outcomes[i],
        rows: posting.rows?.(outcomes[i]) ?? {},
      }))
      const records = posted.flatMap(({ rows }) => rows.records ?? [])
      const kept = posted.flatMap(({ rows }) => (rows.kept === undefined ? [] : [rows.kept]))
      const jobs = posted.flatMap(({ rows }) => rows.videoJobs ?? [])
      // These make one journey together with COMMIT.
      await write(tx.later)
      if (records.length > 0) await insertRecords(tx.later, records, options.timeZone)
      if (kept.length > 0) await keepAnswers(tx.later, kept)
      if (jobs.length > 0) await insertVideoJobs(tx.later, jobs)
      await options.noteBalances(tx, balances(postings, outcomes))
      return posted
    },
  })
  return {
    ...commits,
    async costs(recordIds) {
      const costs = await costsOf(db, recordIds)
      const known = recordIds.flatMap((id) => costs.get(id) ?? [])
      return known.length === recordIds.length ? known : undefined
    },
  }
}

async function withoutLost(tx: Tx, postings: Posting[]): Promise<Posting[]> {
  const claims = postings.flatMap(({ claimed }) => (claimed === undefined ? [] : [claimed.claim]))
  if (claims.length === 0) return postings
  const ours = await lockClaims(tx, claims)
  return postings.map((posting) => {
    const { claimed } = posting
    return claimed === undefined || ours.has(claimed.claim.id) ? posting : claimed.otherwise
  })
}

/** Runs the commands in order and puts each outcome back at its posting's place. */
async function ledger(
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
