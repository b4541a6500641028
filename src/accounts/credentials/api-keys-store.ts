import { as, columns, oneOf, orNull, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

export const KEYS_CHANNEL = 'keys_changed'

const KEY = columns({
  id: as('k.id', text),
  accountId: as('k.account_id', text),
  workspaceId: text,
  workspaceSlug: as('w.slug', text),
  name: as('k.name', text),
  prefix: text,
  last4: text,
  status: as(
    `case when revoked_at is not null then 'revoked'
      when expires_at <= now() then 'expired' else 'active' end`,
    oneOf<'active' | 'revoked' | 'expired'>(),
  ),
  createdAt: as('k.created_at', time),
  lastUsedAt: orNull(time),
  expiresAt: orNull(time),
})
export type ApiKey = RowOf<typeof KEY>

export type NewKey = {
  id: string
  accountId: string
  workspaceId: string
  name: string
  keyHash: Buffer
  prefix: string
  last4: string
  expiresAt: Date | null
}

export async function insertKey(tx: Tx, key: NewKey): Promise<void> {
  await tx.query(
    `insert into api_keys
       (id, account_id, workspace_id, name, key_hash, prefix, last4, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      key.id,
      key.accountId,
      key.workspaceId,
      key.name,
      key.keyHash,
      key.prefix,
      key.last4,
      key.expiresAt,
    ],
  )
}

export async function countActiveKeys(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.read<{ n: bigint }>(
    `select count(*) as n from api_keys where account_id = $1 and revoked_at is null
     and (expires_at is null or expires_at > now())`,
    [accountId],
  )
  return Number(row!.n)
}

export async function findKey(tx: Tx, accountId: string, id: string): Promise<ApiKey | undefined> {
  const rows = await tx.query(`${SELECT} where k.account_id = $1 and k.id = $2`, [accountId, id])
  return KEY.first(rows)
}

export type KeyFilter = {
  accountId: string
  workspaceId?: string | undefined
  includeRevoked: boolean
}

export async function listKeys(
  tx: Tx,
  filter: KeyFilter & { limit: number; offset: number },
): Promise<ApiKey[]> {
  const rows = await tx.query(
    `${SELECT} where ${FILTER} order by k.created_at desc, k.id desc limit $4 offset $5`,
    [
      filter.accountId,
      filter.workspaceId ?? null,
      filter.includeRevoked,
      filter.limit,
      filter.offset,
    ],
  )
  return KEY.all(rows)
}

export async function countKeys(tx: Tx, filter: KeyFilter): Promise<number> {
  const [row] = await tx.read<{ n: bigint }>(
    `select count(*) as n from api_keys k where ${FILTER}`,
    [filter.accountId, filter.workspaceId ?? null, filter.includeRevoked],
  )
  return Number(row!.n)
}

export async function renameKey(
  tx: Tx,
  key: { accountId: string; id: string; name: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update api_keys set name = $3
     where account_id = $1 and id = $2 and revoked_at is null returning id`,
    [key.accountId, key.id, key.name],
  )
  return rows.length === 1
}

/** False when there is no such key, or it was revoked before. */
export async function revokeKey(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    `with revoked as (
       update api_keys set revoked_at = now()
       where account_id = $1 and id = $2 and revoked_at is null returning id
     ) select pg_notify('${KEYS_CHANNEL}', id::text) from revoked`,
    [accountId, id],
  )
  return rows.length === 1
}

export async function revokeAllKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.query(
    'update api_keys set revoked_at = now() where account_id = $1 and revoked_at is null',
    [accountId],
  )
  await announceKeys(tx, accountId)
}

/** Of every account. */
export async function revokeEveryKey(tx: Tx): Promise<void> {
  await tx.query('update api_keys set revoked_at = now() where revoked_at is null')
  await announceKeys(tx, '')
}

export async function countEveryKey(tx: Tx): Promise<number> {
  const [row] = await tx.read<{ n: number }>(
    `select count(*)::int as n from api_keys
     where revoked_at is null and (expires_at is null or expires_at > now())`,
  )
  return row!.n
}

/** Those made at that moment or later. */
export async function revokeKeysSince(tx: Tx, accountId: string, since: Date): Promise<void> {
  await tx.query(
    `update api_keys set revoked_at = now()
     where account_id = $1 and created_at >= $2 and revoked_at is null`,
    [accountId, since],
  )
  await announceKeys(tx, accountId)
}

export async function moveKeys(tx: Tx, fromId: string, toId: string): Promise<void> {
  await tx.query('update api_keys set workspace_id = $2 where workspace_id = $1', [fromId, toId])
}

/** A key that is gone is refused as a revoked one is. Records of its calls go on naming its id. */
export function purgeKeys(tx: Tx, batch: number, days: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'api_keys',
    where: 'least(revoked_at, expires_at) < now() - make_interval(days => $2::int)',
    order: 'least(revoked_at, expires_at)',
    params: [days],
  })
}

/** Every process drops the account's keys from its cache; those of all, without an id. */
export async function announceKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.query(`select pg_notify('${KEYS_CHANNEL}', $1)`, [accountId])
}

const SELECT = `select ${KEY.list} from api_keys k join workspaces w on w.id = k.workspace_id`
const FILTER = `k.account_id = $1 and ($2::uuid is null or k.workspace_id = $2)
  and ($3::boolean or k.revoked_at is null)`
