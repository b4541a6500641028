import type { Row, Tx } from '../../db/db.ts'

export type Workspace = {
  id: string
  accountId: string
  name: string
  slug: string
  description: string | null
  isDefault: boolean
  createdAt: Date
  updatedAt: Date
}

export type NewWorkspace = Omit<Workspace, 'createdAt' | 'updatedAt'>

/** Undefined when the account uses the slug already. */
export async function insertWorkspace(tx: Tx, w: NewWorkspace): Promise<Workspace | undefined> {
  const [row] = await tx.query(
    `insert into workspaces (id, account_id, name, slug, description, is_default)
     values ($1, $2, $3, $4, $5, $6) on conflict (account_id, slug) do nothing returning *`,
    [w.id, w.accountId, w.name, w.slug, w.description, w.isDefault],
  )
  return row && workspaceFrom(row)
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
    `select * from workspaces where account_id = $1
     order by is_default desc, created_at, id`,
    [accountId],
  )
  return rows.map(workspaceFrom)
}

export async function findWorkspace(
  tx: Tx,
  wanted: { accountId: string; slug?: string | undefined; id?: string | undefined },
): Promise<Workspace | undefined> {
  const [row] = await tx.read(
    `select * from workspaces where account_id = $1
     and ($2::text is null or slug = $2) and ($3::uuid is null or id = $3)
     order by is_default desc limit 1`,
    [wanted.accountId, wanted.slug ?? null, wanted.id ?? null],
  )
  return row && workspaceFrom(row)
}

/** An empty description clears it; what is undefined stays. */
export async function changeWorkspace(
  tx: Tx,
  wanted: { accountId: string; slug: string },
  change: { name?: string | undefined; description?: string | undefined },
): Promise<Workspace | undefined> {
  const [row] = await tx.query(
    `update workspaces set name = coalesce($3, name), updated_at = now(),
       description = case when $4::text is null then description else nullif($4, '') end
     where account_id = $1 and slug = $2 returning *`,
    [wanted.accountId, wanted.slug, change.name ?? null, change.description ?? null],
  )
  return row && workspaceFrom(row)
}

export async function removeWorkspace(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from workspaces where id = $1 and not is_default', [id])
}

function workspaceFrom(row: Row): Workspace {
  return {
    id: row.id as string,
    accountId: row.account_id as string,
    name: row.name as string,
    slug: row.slug as string,
    description: row.description as string | null,
    isDefault: row.is_default as boolean,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
  }
}
