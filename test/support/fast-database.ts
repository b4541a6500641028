import { Client } from 'pg'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { silentLog } from '../../src/lib/log.ts'
import { emptyDatabase } from './databases.ts'
import { testClock } from './accounts.ts'

const DAY_MS = 86_400_000

/**
 * A database whose clock can be pushed, defaults of columns included: functions of the same names in
 * a schema that is searched before PostgreSQL's own. The clock beside it goes along.
 */
export async function openFastDatabase(empty?: string) {
  const url = empty ?? (await emptyDatabase())
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create schema fast;
    create table fast.calendar (days int not null);
    insert into fast.calendar values (0);
    create function fast.now() returns timestamptz language sql stable as
      'select pg_catalog.now() + make_interval(days => (select days from fast.calendar))';
    create function fast.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + make_interval(days => (select days from fast.calendar))'`)
  const name = new URL(url).pathname.slice(1)
  await admin.query(`alter database ${name} set search_path = fast, pg_catalog, public`)
  await admin.end()
  const db: Db = openDatabase({ url, poolSize: 4, log: silentLog })
  await migrate(db, silentLog)
  const clock = testClock()
  return {
    url,
    db,
    clock,
    async pass(days: number) {
      clock.push(days * DAY_MS)
      await db.query('update fast.calendar set days = days + $1', [days])
    },
    /** How many rows each table has. */
    async counts(): Promise<Map<string, number>> {
      const tables = await db.query<{ name: string }>(
        `select table_name as name from information_schema.tables
         where table_schema = 'fast' and table_name <> 'calendar' order by 1`,
      )
      const counts = tables.map(
        ({ name: table }) => `select '${table}' as name, count(*) as n from ${table}`,
      )
      const rows = await db.query<{ name: string; n: bigint }>(counts.join(' union all '))
      return new Map(rows.map(({ name: table, n }) => [table, Number(n)]))
    },
  }
}
