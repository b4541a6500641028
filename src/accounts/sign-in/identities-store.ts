import type { Tx } from '../../db/db.ts'
import { ACCOUNT, type Account } from '../account.ts'

type IdentityName = { issuer: string; subject: string }

/** The account that this identity signs in to, unless it was deleted. */
export async function findByIdentity(tx: Tx, name: IdentityName): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where deleted_at is null
     and id = (select account_id from identities where issuer = $1 and subject = $2)`,
    [name.issuer, name.subject],
  )
  return ACCOUNT.first(rows)
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
