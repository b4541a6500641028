import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { addPendingRollups } from './summing-store.ts'

/** Readers pass over what is pending: it should be little. The longer the rest, the more is one upsert. */
const EVERY_MS = 2_000
/** Each row may be four upserts, and a statement has five seconds even on a slow disk. */
const BATCH = 4_000

/**
 * Adds what charges wrote beside the counters and sums to these. Readers add up both, so it does not
 * matter when; it keeps what is beside them small.
 */
export function activitySumming({ db }: { db: Db }): BackgroundJob {
  return {
    name: 'activity-sums',
    everyMs: EVERY_MS,
    async run(signal) {
      for (let last = BATCH; last === BATCH && !signal.aborted;) {
        last = await addPendingRollups(db, BATCH)
      }
    },
  }
}
