import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Duty } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { trimRecords } from './activity-store.ts'

const HOUR_MS = 3_600_000
const BATCH = 1_000
/** Between batches, so that trimming years of records leaves the database to the callers. */
const REST_MS = 50

/** A duty for the job loop: trims records older than `days`, in small transactions. */
export function activityRetention(deps: { db: Db; days: number; log: Log }): Duty {
  return {
    name: 'activity-retention',
    everyMs: HOUR_MS,
    async run(signal) {
      let trimmed = 0
      for (let last = BATCH; last === BATCH && !signal.aborted; trimmed += last) {
        if (trimmed > 0) await pause(REST_MS)
        last = await trimRecords(deps.db, { olderThanDays: deps.days, batch: BATCH })
      }
      if (trimmed > 0) deps.log.info('Old activity records were deleted.', { count: trimmed })
    },
  }
}
