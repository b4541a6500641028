import { setTimeout as wait } from 'node:timers/promises'
import { costsOf } from '../../activity/activity-store.ts'
import { recallFloats } from '../../billing/float-store.ts'
import { openLedgerMemory } from '../../billing/ledger-batch.ts'
import { groupCommit, type GroupCommit } from '../../db/group-commit.ts'
import type { Claim, EarlyBody, KeptAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Meter } from '../../lib/telemetry/meter.ts'
import { keepEarly } from '../../replay/replay-store.ts'
import {
  drawPosting,
  modeOf,
  postUnderLocks,
  postFromMemory,
  type Posted,
  type Posting,
  type PostOptions,
  type Remembering,
} from './post.ts'

export type PostingQueue = GroupCommit<Posting, Posted> & {
  /** As `submit`, but outlasts a database that goes away for a moment. */
  submitSurely<Result>(posting: Posting, reading: PostingReading<Result>): Promise<Result>
  /** Writes a large answer before the commit that keeps it, which is short for it. */
  keepEarly(claim: Claim, draft: KeptAnswer): Promise<EarlyBody | undefined>
  /** What these records cost, if all of them were written. */
  recordedCosts(recordIds: string[]): Promise<bigint[] | undefined>
  /** What this process holds of an account beyond what its calls have drawn. */
  undrawnMicro(accountId: string): bigint
  /** Has processes other than the asker give back what they hold of it; says if there was any. */
  recallFloats(accountId: string, asker: string): Promise<boolean>
  /** Gives back the account's float, as far as it is not drawn. */
  returnFloat(accountId: string): Promise<void>
  /** The same for floats that were not used for so long; with 0 for all. */
  returnFloats(unusedMs: number): Promise<void>
}

type PostingReading<Result> = {
  fromPosted(posted: Posted): Result
  /** Asked after a second try: what an earlier one did, if it was committed after all. */
  fromDatabase(): Promise<Result | undefined>
}

export type PostingQueueOptions = PostOptions & {
  meter?: Pick<Meter, 'recorded' | 'committed'> | undefined
}

/** While the database has just failed, a call had better not begin without asking it. */
const SHY_MS = 5_000

/** Many calls, one transaction: ledger, activity, roll-ups and kept answers move as one. */
export function openPostingQueue(options: PostingQueueOptions): PostingQueue {
  const { db, meter, floats } = options
  const memory = openLedgerMemory()
  let failedMs = -Infinity
  const plain = groupCommit<Posting, Remembering>({
    db,
    attempt: (postings, mode) => postFromMemory(options, memory, postings, mode),
    apply: (tx, postings) => postUnderLocks(options, memory, tx, postings),
    committed: (posted) => posted.forEach(({ remember }) => remember?.()),
    without(posting) {
      if (floats === undefined || performance.now() - failedMs < SHY_MS) return undefined
      return drawPosting(memory, posting, floats.heartbeat.steadySinceMs())
    },
    mode: modeOf,
    rowsOf: ({ accountId }) => accountId,
    observe(batch) {
      if (!batch.ok) failedMs = performance.now()
      meter?.committed(batch)
    },
  })
  const commits = meter === undefined ? plain : measured(plain, meter)

  async function returnFloat(accountId: string): Promise<void> {
    const float = memory.floats.get(accountId)
    if (float === undefined) return
    float.open = false
    await plain.submit({ accountId, returnsFloat: true })
  }

  return {
    ...commits,
    submitSurely: (posting, reading) => submitSurely(commits, posting, reading),
    keepEarly: (claim, draft) => patiently(() => keepEarly(db, claim, draft)),
    async recordedCosts(recordIds) {
      const costs = await costsOf(db, recordIds)
      const known = recordIds.flatMap((id) => costs.get(id) ?? [])
      return known.length === recordIds.length ? known : undefined
    },
    undrawnMicro(accountId) {
      const float = memory.floats.get(accountId)
      return float === undefined ? 0n : float.amountMicro - float.drawnMicro
    },
    recallFloats: (accountId, asker) => recallFloats(db, accountId, asker),
    returnFloat,
    async returnFloats(unusedMs) {
      const sinceMs = performance.now() - unusedMs
      const unused = [...memory.floats.values()].filter(
        ({ drawn, usedMs }) => drawn.size === 0 && usedMs <= sinceMs,
      )
      await Promise.all(unused.map(({ accountId }) => returnFloat(accountId)))
    },
  }
}

function measured(
  commits: GroupCommit<Posting, Posted>,
  meter: Pick<Meter, 'recorded'>,
): GroupCommit<Posting, Posted> {
  return {
    ...commits,
    async submit(posting) {
      const posted = await commits.submit(posting)
      for (const record of posted.rows.records ?? []) meter.recorded(record)
      return posted
    },
  }
}

/** From the first failure on: a caller who waits long for an answer must have time to ask again. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is submitted again: if it had been done, this changes nothing, and its rows say so.
 */
function submitSurely<Result>(
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
