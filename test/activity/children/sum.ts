import { addPendingRollups } from '../../../src/activity/summing-store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Run as a process of its own: moves a few rows at a time into the sums, until it is killed. */
const [url = ''] = process.argv.slice(2)
const db = openDatabase({ url, poolSize: 4, log: silentLog })
for (;;) {
  const moved = await Promise.all([addPendingRollups(db, 20), addPendingRollups(db, 30)])
  if (moved.some((rows) => rows > 0)) console.log(moved.join(' '))
}
