import type { Tx } from '../../db/db.ts'
import { accountFrom } from '../account.ts'
import type { Account } from '../account.ts'

type IdentityName = { issuer: string; subject: string }

/** The account that this identity signs in to, unless it was deleted. */
export async function findByIdentity(tx: Tx, name: IdentityName): Promise<Account | undefined> {
  const [row] = await tx.read(
    `select a.* from identities i join accounts a on a.id = i.account_id
     where i.issuer = $1 and i.subject = $2 and a.deleted_at is null`,
    [name.issuer, name.subject],
  )
  return row && accountFrom(row)
}

/** An identity of a deleted account can be linked to another. */
export async function linkIdentity(tx: Tx, name: IdentityName, accountId: string): Promise<void> {
  await tx.query(
    `insert into identities (issuer, subject, account_id) values ($1, $2, $3)
     on conflict (issuer, subject) do update set account_id = excluded.account_id,
       created_at = now()`,
    [name.issuer, name.subject, accountId],
  )
}

export async function unlinkIdentities(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from identities where account_id = $1', [accountId])
}
