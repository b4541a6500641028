import type { Db } from '../db/db.ts'
import type { Duty } from '../lib/duty.ts'
import { addSumsDue } from './cost-sums-store.ts'

const EVERY_MS = 5_000
const BATCH = 5_000

/**
 * Adds what settlements wrote beside the sums of costs to the sums. Readers add up both, so it does
 * not matter when; it keeps what is beside them small.
 */
export function costSumming({ db }: { db: Db }): Duty {
  return {
    name: 'cost-sums',
    everyMs: EVERY_MS,
    async run(signal) {
      for (let last = BATCH; last === BATCH && !signal.aborted;) last = await addSumsDue(db, BATCH)
    },
  }
}
