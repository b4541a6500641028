import { as, columns, orNull, text, time, type RowOf } from '../../db/columns.ts'
import type { Row, Tx } from '../../db/db.ts'

/** The account and workspace that a key acts for. */
const HOLDER = columns({
  keyId: as('k.id', text),
  accountId: as('k.account_id', text),
  workspaceId: text,
  expiresAt: orNull(time),
})
export type KeyHolder = RowOf<typeof HOLDER>

/** In the order of the hashes. */
export async function findKeyHolders(
  tx: Tx,
  keyHashes: Buffer[],
): Promise<(KeyHolder | undefined)[]> {
  const rows = await tx.read<Row & { key_hash: Buffer }>(
    `select key_hash, ${HOLDER.list}
     from api_keys k join accounts a on a.id = k.account_id
     where k.key_hash = any($1::bytea[]) and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > now())
       and a.status = 'active' and a.deleted_at is null`,
    [keyHashes],
  )
  const holders = new Map(rows.map((row) => [row.key_hash.toString('base64'), HOLDER.from(row)]))
  return keyHashes.map((hash) => holders.get(hash.toString('base64')))
}

export async function writeKeyUses(tx: Tx, uses: { keyId: string; at: Date }[]): Promise<void> {
  await tx.query(
    `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
     from unnest($1::uuid[], $2::timestamptz[]) as u (id, at) where k.id = u.id`,
    [uses.map((use) => use.keyId), uses.map((use) => use.at.toISOString())],
  )
}
