import { bool, columns, orNull, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

const WORKSPACE = columns({
  id: text,
  accountId: text,
  name: text,
  slug: text,
  description: orNull(text),
  isDefault: bool,
  createdAt: time,
  updatedAt: time,
})
export type Workspace = RowOf<typeof WORKSPACE>

export type NewWorkspace = Omit<Workspace, 'createdAt' | 'updatedAt'>

/** Undefined when the account uses the slug already. */
export async function insertWorkspace(tx: Tx, w: NewWorkspace): Promise<Workspace | undefined> {
  const rows = await tx.query(
    `insert into workspaces (id, account_id, name, slug, description, is_default)
     values ($1, $2, $3, $4, $5, $6) on conflict (account_id, slug) do nothing returning ${WORKSPACE.list}`,
    [w.id, w.accountId, w.name, w.slug, w.description, w.isDefault],
  )
  return WORKSPACE.first(rows)
}

export async function countAdditional(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.read<{ n: bigint }>(
    'select count(*) as n from workspaces where account_id = $1 and not is_default',
    [accountId],
  )
  return Number(row!.n)
}

/** The default one first, then by age. */
export async function listWorkspaces(tx: Tx, accountId: string): Promise<Workspace[]> {
  const rows = await tx.read(
    `select ${WORKSPACE.list} from workspaces where account_id = $1
     order by is_default desc, created_at, id`,
    [accountId],
  )
  return WORKSPACE.all(rows)
}

export async function findWorkspace(
  tx: Tx,
  wanted: { accountId: string; slug?: string | undefined; id?: string | undefined },
): Promise<Workspace | undefined> {
  const rows = await tx.read(
    `select ${WORKSPACE.list} from workspaces where account_id = $1
     and ($2::text is null or slug = $2) and ($3::uuid is null or id = $3)
     order by is_default desc limit 1`,
    [wanted.accountId, wanted.slug ?? null, wanted.id ?? null],
  )
  return WORKSPACE.first(rows)
}

/** An empty description clears it; what is undefined stays. */
export async function changeWorkspace(
  tx: Tx,
  wanted: { accountId: string; slug: string },
  change: { name?: string | undefined; description?: string | undefined },
): Promise<Workspace | undefined> {
  const rows = await tx.query(
    `update workspaces set name = coalesce($3, name), updated_at = now(),
       description = case when $4::text is null then description else nullif($4, '') end
     where account_id = $1 and slug = $2 returning ${WORKSPACE.list}`,
    [wanted.accountId, wanted.slug, change.name ?? null, change.description ?? null],
  )
  return WORKSPACE.first(rows)
}

export async function removeWorkspace(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from workspaces where id = $1 and not is_default', [id])
}
