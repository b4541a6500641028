import type { Tx } from '../../db/db.ts'

export type DatabaseFacts = {
  now: Date
  /** Whether the server's list of time zones has ours. */
  knowsZone: boolean
  recovering: boolean
  maxConnections: number
  bytes: bigint
  migrations: number
}

/** Without any table of ours: there may be none yet. */
export async function readDatabaseFacts(tx: Tx, timeZone: string): Promise<DatabaseFacts> {
  const [row] = await tx.query<{
    now: Date
    knows_zone: boolean
    recovering: boolean
    max_connections: string
    bytes: bigint
    has_migrations: boolean
  }>(
    `select clock_timestamp() as now,
       exists (select 1 from pg_timezone_names where name = $1) as knows_zone,
       pg_is_in_recovery() as recovering,
       current_setting('max_connections') as max_connections,
       pg_database_size(current_database())::int8 as bytes,
       to_regclass('migrations') is not null as has_migrations`,
    [timeZone],
  )
  const facts = row!
  return {
    now: facts.now,
    knowsZone: facts.knows_zone,
    recovering: facts.recovering,
    maxConnections: Number(facts.max_connections),
    bytes: facts.bytes,
    migrations: facts.has_migrations ? await countMigrations(tx) : 0,
  }
}

async function countMigrations(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>('select count(*) from migrations')
  return Number(row!.count)
}
