import type { Tx } from '../../db/db.ts'
import type { OwnerProof } from '../owner-proof.ts'

/** The codes before them no longer work. */
export async function replaceRecoveryCodes(
  tx: Tx,
  { accountId }: OwnerProof,
  hashes: Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(tx, accountId)
  await tx.query(
    'insert into recovery_codes (account_id, code_hash) select $1, unnest($2::bytea[])',
    [accountId, hashes],
  )
}

/** True for the first who takes it. */
export async function takeRecoveryCode(tx: Tx, accountId: string, hash: Buffer): Promise<boolean> {
  const rows = await tx.query(
    'delete from recovery_codes where account_id = $1 and code_hash = $2 returning account_id',
    [accountId, hash],
  )
  return rows.length === 1
}

export async function countRecoveryCodes(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.read<{ left: number }>(
    'select count(*)::int4 as left from recovery_codes where account_id = $1',
    [accountId],
  )
  return row?.left ?? 0
}

export async function deleteRecoveryCodes(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from recovery_codes where account_id = $1', [accountId])
}
