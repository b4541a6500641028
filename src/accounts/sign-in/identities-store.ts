import { columns, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { ACCOUNT, type Account } from '../account.ts'
import type { OwnerProof } from '../owner-proof.ts'

type IdentityName = { issuer: string; subject: string }

const IDENTITY = columns({ id: text, provider: text, createdAt: time })
export type LinkedIdentity = RowOf<typeof IDENTITY>

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
export async function linkIdentity(
  tx: Tx,
  proof: OwnerProof,
  identity: IdentityName & { provider: string },
): Promise<void> {
  await tx.query(
    `insert into identities (issuer, subject, account_id, id, provider) values ($1, $2, $3, $4, $5)
     on conflict (issuer, subject) do update set account_id = excluded.account_id,
       id = excluded.id, provider = excluded.provider, created_at = now()`,
    [identity.issuer, identity.subject, proof.accountId, uuidv7(), identity.provider],
  )
}

/** The oldest first. */
export async function listIdentities(tx: Tx, accountId: string): Promise<LinkedIdentity[]> {
  const rows = await tx.read(
    `select ${IDENTITY.list} from identities where account_id = $1 order by created_at, id`,
    [accountId],
  )
  return IDENTITY.all(rows)
}

export async function unlinkIdentity(tx: Tx, proof: OwnerProof, id: string): Promise<void> {
  await tx.query('delete from identities where account_id = $1 and id = $2', [proof.accountId, id])
}

export async function unlinkIdentities(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from identities where account_id = $1', [accountId])
}
