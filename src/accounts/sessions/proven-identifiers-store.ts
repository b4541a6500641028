import type { Tx } from '../../db/db.ts'

/** True the first time ever that this identifier was proven, by any account. */
export async function insertProven(
  tx: Tx,
  identifierHmac: Buffer,
  accountId: string,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into proven_identifiers (identifier_hmac, account_id) values ($1, $2)
     on conflict do nothing returning identifier_hmac`,
    [identifierHmac, accountId],
  )
  return rows.length === 1
}
