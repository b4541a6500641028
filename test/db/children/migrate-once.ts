import { migrate } from '../../../src/db/migrate.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Run as a process of its own: opens the database, migrates it as at a start, and leaves. */
const db = openDatabase({ url: process.argv[2]!, poolSize: 2, log: silentLog })
try {
  await migrate(db, silentLog)
  console.log('migrated')
} catch (error) {
  console.log(String(error))
} finally {
  await db.close()
}
