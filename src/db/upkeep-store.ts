import type { Db } from './db.ts'

/** Tables that have changed enough for their dead rows to be cleared and their statistics renewed. */
export async function tablesDueForUpkeep(db: Db): Promise<string[]> {
  const rows = await db.read<{ name: string }>(
    `select quote_ident(relname) as name from pg_stat_user_tables
     where n_dead_tup > 200 + n_live_tup / 5 or n_mod_since_analyze > 1000 + n_live_tup / 5
     order by relname`,
  )
  return rows.map((row) => row.name)
}

/** The name comes from the catalogue, quoted: a table cannot be a parameter. */
export async function vacuumTable(db: Db, name: string): Promise<void> {
  await db.script(`vacuum (analyze) ${name}`)
}
