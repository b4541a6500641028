import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { watchArrivals } from '../../../src/accounts/credentials/arrivals-store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import type { Db } from '../../../src/db/db.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { testClock } from '../../support/accounts.ts'
import { freshDatabase } from '../../support/databases.ts'

const open: Db[] = []
after(() => Promise.all(open.map((db) => db.close())))

test('notifications that do not arrive are found out, and the operator is told once', async () => {
  // What is sent goes to one database and LISTEN to another, as good as a pooler that loses them.
  const [url, listenUrl] = [await freshDatabase(), await freshDatabase()]
  const db = openDatabase({ url, listenUrl, poolSize: 1, log: silentLog })
  open.push(db)
  const clock = testClock()
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  const arrivals = await watchArrivals({ db, clock, log })
  await arrivals.send()
  assert.ok(arrivals.areCurrent(), 'ten seconds have not passed')
  assert.deepEqual(warnings, [])
  clock.push(10_000)
  assert.ok(!arrivals.areCurrent())
  for (let i = 0; i < 3; i++) await arrivals.send()
  assert.ok(!arrivals.areCurrent())
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /DATABASE_LISTEN_URL/)
})
