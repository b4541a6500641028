import { as, bool, columns, int, int8, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

const FACTS = columns({
  now: as('clock_timestamp()', time),
  /** Whether the server's list of time zones has ours. */
  knowsZone: as('exists (select 1 from pg_timezone_names where name = $1)', bool),
  recovering: as('pg_is_in_recovery()', bool),
  maxConnections: as(`current_setting('max_connections')::int`, int),
  bytes: as('pg_database_size(current_database())', int8),
  /** False before the first start. */
  hasTables: as(`to_regclass('accounts') is not null`, bool),
})
export type DatabaseFacts = RowOf<typeof FACTS>

/** Without any table of ours: there may be none yet. */
export async function readDatabaseFacts(tx: Tx, timeZone: string): Promise<DatabaseFacts> {
  return FACTS.first(await tx.query(`select ${FACTS.list}`, [timeZone]))!
}
