import type { ActivityKind } from '../../activity/record.ts'
import type { Db } from '../../db/db.ts'
import type { BackgroundJob, Clock } from '../../lib/clock.ts'
import { refusedSince } from './allowance-store.ts'

const EVERY_MS = 1_000
/** Clocks of processes differ, and a row is seen when it is committed. */
const OVERLAP_MS = 60_000
const WINDOW_MS = 24 * 3_600_000

/** Tells this process of whom others refused answers, and of what was before it began. */
export function refusedWatch(
  { db, clock }: { db: Db; clock: Clock },
  doubt: (accountId: string, kind: ActivityKind) => void,
): BackgroundJob {
  let lookedMs = 0
  return {
    name: 'refused-watch',
    everyMs: EVERY_MS,
    async run() {
      const nowMs = clock.now().getTime()
      const since = new Date(Math.max(lookedMs - OVERLAP_MS, nowMs - WINDOW_MS))
      for (const { accountId, kind } of await refusedSince(db, since)) doubt(accountId, kind)
      lookedMs = nowMs
    },
  }
}
