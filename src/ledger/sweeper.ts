import { DEAD_AFTER_MS } from './heartbeat-store.ts'
import type { Hold } from './ledger.ts'
import { applyCommands } from './ledger-store.ts'
import { holdsOf, holdsOfTheDead, holdsPastDeadline } from './sweep-store.ts'
import type { Db, Tx } from '../db/db.ts'
import { groupCommit, type GroupCommit } from '../db/group-commit.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type SweeperOptions = {
  db: Db
  log: Log
  /** Writes, in the very transaction, what is to be known of the holds that were released. */
  onReleased(tx: Tx, holds: Hold[]): Promise<void>
  /** Of these holds past their deadline, the ids that a job still answers for: they stay. */
  claimed(tx: Tx, holds: Hold[]): Promise<Set<string>>
  /** This process, and the holds that it sent and does not know to be closed. */
  own: { processId: string; openHolds: ReadonlySet<string> }
  /** Shorter in tests only. */
  deadAfterMs?: number
  forgottenAfterMs?: number
}

const EVERY_MS = 10_000
const LIMIT = 500
/** More calls than one process ever runs at once. */
const MOST_OPEN = 100_000
/** Longer than the answer to a statement can take. */
const FORGOTTEN_AFTER_MS = 60_000

/**
 * Releases the holds of dead processes, of jobs past their deadline, and those of this process that
 * it does not know. A process counts as dead after 20 s, a hold as forgotten after 60 s, and the next
 * round is at most 11 s away. It only ever releases, through the ledger like everybody else, so
 * several sweepers and an owner that wakes up may meet: one of them closes the hold, once.
 */
export function sweeper(options: SweeperOptions): BackgroundJob {
  const releases = groupCommit<Hold, boolean>({
    db: options.db,
    apply: (tx, holds) => releaseAll(tx, holds, options),
    maxBatch: 100,
  })
  return {
    name: 'sweeper',
    everyMs: EVERY_MS,
    async run(signal) {
      for (let more = true; more && !signal.aborted;) more = await sweep(options, releases)
    },
  }
}

/** One round; true when there may be more to do at once. */
async function sweep(options: SweeperOptions, releases: GroupCommit<Hold, boolean>) {
  const { db, log, deadAfterMs = DEAD_AFTER_MS } = options
  const dead = await holdsOfTheDead(db, { deadAfterMs, limit: LIMIT })
  const late = await holdsPastDeadline(db, { limit: LIMIT })
  const claimed = late.length > 0 ? await options.claimed(db, late) : new Set<string>()
  const forgotten = await forgottenHolds(options)
  const holds = [...dead, ...late.filter((hold) => !claimed.has(hold.holdId)), ...forgotten]
  const results = await Promise.allSettled(holds.map((hold) => releases.submit(hold)))
  const count = results.filter((result) => result.status === 'fulfilled' && result.value).length
  if (count > 0) log.info('Abandoned holds were released.', { job: 'sweeper', count })
  const failed = results.find((result) => result.status === 'rejected')
  // What could be released is; the rest is logged by the loop and tried again in the next round.
  if (failed) throw failed.reason
  return dead.length === LIMIT
}

/**
 * Holds of this process that are not among those it knows to be open: a statement may be executed
 * long after its sender gave up.
 */
async function forgottenHolds({
  db,
  own,
  forgottenAfterMs = FORGOTTEN_AFTER_MS,
}: SweeperOptions): Promise<Hold[]> {
  const { processId, openHolds } = own
  const holds = await holdsOf(db, { processId, olderThanMs: forgottenAfterMs, limit: MOST_OPEN })
  return holds.filter((hold) => !openHolds.has(hold.holdId))
}

async function releaseAll(tx: Tx, holds: Hold[], options: SweeperOptions): Promise<boolean[]> {
  const outcomes = await applyCommands(
    tx,
    holds.map(({ accountId, holdId }) => ({ kind: 'release', accountId, holdId })),
  )
  const released = outcomes.map((outcome) => outcome.kind === 'released')
  const ours = holds.filter((_, i) => released[i])
  if (ours.length > 0) await options.onReleased(tx, ours)
  return released
}
