import type { Tx } from '../db/db.ts'

/** Answers those who had not been warned since their last top-up. */
export async function insertWarnings(tx: Tx, accountIds: string[]): Promise<string[]> {
  const rows = await tx.query(
    `insert into balance_warnings (account_id) select unnest($1::uuid[])
     on conflict do nothing returning account_id`,
    [accountIds],
  )
  return rows.map((row) => row.account_id as string)
}

export async function deleteWarnings(tx: Tx, accountIds: string[]): Promise<void> {
  await tx.query('delete from balance_warnings where account_id = any($1::uuid[])', [accountIds])
}
