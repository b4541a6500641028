import { as, bool, columns, type RowOf } from './columns.ts'
import type { Db, Tx } from './db.ts'
import { MIGRATION_LOCK } from './migrate.ts'

/** Rows of these are only ever added: neither a mistake nor a theft of the service can change them. */
const ONLY_ADDED = ['operator_actions', 'ledger_entries', 'price_snapshots']

/**
 * Gives the role in which the service works what it needs: to read and write rows, but not to make
 * tables or drop triggers. For the owner of the tables, after the migrations.
 */
export async function grantToService(db: Db, role: string): Promise<void> {
  await db.begin(async (tx) => {
    await tx.script(MIGRATION_LOCK)
    if (await hasItsRights(tx, role)) return
    const [names] = await tx.read<{ role: string; schema: string }>(
      'select quote_ident($1) as role, quote_ident(current_schema()) as schema',
      [role],
    )
    const to = names!.role
    const all = `in schema ${names!.schema}`
    await tx.script(`grant usage on schema ${names!.schema} to ${to};
      grant select, insert, update, delete on all tables ${all} to ${to};
      grant usage, select on all sequences ${all} to ${to};
      revoke update, delete, truncate on ${ONLY_ADDED.join(', ')} from ${to};
      revoke insert, update, delete, truncate on migrations from ${to}`)
  })
}

/** So that another start changes nothing in the catalog of a busy database. */
async function hasItsRights(tx: Tx, role: string): Promise<boolean> {
  const [row] = await tx.read<{ wrong: bigint }>(
    `select count(*) as wrong from pg_class c where relnamespace = current_schema()::regnamespace and
       case when relkind = 'S' then not has_sequence_privilege($1::name, c.oid, 'usage')
         when relkind not in ('r', 'p') then false
         else not has_table_privilege($1::name, c.oid, 'select')
           or has_table_privilege($1::name, c.oid, 'insert') <> (relname <> 'migrations')
           or has_table_privilege($1::name, c.oid, 'update')
             <> (relname <> 'migrations' and relname <> all($2::text[]))
           or has_table_privilege($1::name, c.oid, 'delete')
             <> (relname <> 'migrations' and relname <> all($2::text[])) end`,
    [role, ONLY_ADDED],
  )
  return row!.wrong === 0n
}

const RIGHTS = columns({
  superuser: as('(select rolsuper from pg_roles where rolname = $1)', bool),
  /** It can change what is only added: as the owner of the tables, or since it was allowed to. */
  changesLog: as(
    `coalesce((select bool_or(has_table_privilege($1::name, oid, 'update, delete, truncate, trigger'))
       from pg_class where oid = to_regclass('operator_actions')), false)`,
    bool,
  ),
})
export type ServiceRights = RowOf<typeof RIGHTS>

/** Of a role, else of the one that asks. */
export async function readRights(tx: Tx, role?: string): Promise<ServiceRights> {
  const asked = role ?? (await roleOf(tx))
  return RIGHTS.first(await tx.read(`select ${RIGHTS.list}`, [asked]))!
}

export async function roleOf(tx: Tx): Promise<string> {
  const [row] = await tx.read<{ role: string }>('select current_user::text as role')
  return row!.role
}
