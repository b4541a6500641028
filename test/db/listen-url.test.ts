import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshDatabase } from '../support/databases.ts'

const open: Db[] = []
after(() => Promise.all(open.map((db) => db.close())))

test('with an address of its own, LISTEN does not go the way of the statements', async () => {
  const [url, listenUrl] = [await freshDatabase(), await freshDatabase()]
  const db = openDatabase({ url, listenUrl, poolSize: 1, log: silentLog })
  const other = openDatabase({ url: listenUrl, poolSize: 1, log: silentLog })
  open.push(db, other)
  const heard = new Promise<string>((done) => void db.listen('news', done))
  // Asked once the listener is there: a statement of its channel names the database that it is on.
  while ((await listeners(other)) === 0) await listeners(other)
  await db.query(`select pg_notify('news', 'the way of the statements')`)
  await other.query(`select pg_notify('news', 'straight')`)
  assert.equal(await heard, 'straight')
})

async function listeners(db: Db): Promise<number> {
  const rows = await db.query(
    `select 1 from pg_stat_activity where datname = current_database() and query like 'listen%'`,
  )
  return rows.length
}
