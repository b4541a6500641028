import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { purgeRecords } from './activity-store.ts'

const HOUR_MS = 3_600_000
const BATCH = 1_000
/** Between batches, so that purging years of records leaves the database to the callers. */
const REST_MS = 50

/** Purges records older than `days`, in small transactions. */
export function activityRetention(deps: { db: Db; days: number; log: Log }): BackgroundJob {
  return {
    name: 'activity-retention',
    everyMs: HOUR_MS,
    async run(signal) {
      let purged = 0
      for (let last = BATCH; last === BATCH && !signal.aborted; purged += last) {
        if (purged > 0) await pause(REST_MS)
        last = await purgeRecords(deps.db, { olderThanDays: deps.days, batch: BATCH })
      }
      if (purged > 0) deps.log.info('Old activity records were deleted.', { count: purged })
    },
  }
}
