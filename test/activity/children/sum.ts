import { addSumsDue } from '../../../src/activity/cost-sums-store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Run as a process of its own: moves a few rows at a time into the sums, until it is killed. */
const [url = ''] = process.argv.slice(2)
const db = openDatabase({ url, poolSize: 4, log: silentLog })
for (;;) {
  const moved = await Promise.all([addSumsDue(db, 2), addSumsDue(db, 3)])
  if (moved.some((rows) => rows > 0)) console.log(moved.join(' '))
}
