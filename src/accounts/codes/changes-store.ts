import { columns, orNull, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'
import { WAITING_DAYS } from '../accounts-store.ts'
import type { OwnerProof } from '../owner-proof.ts'

const CHANGE = columns({
  id: text,
  accountId: text,
  createdAt: time,
  /** The identifiers that come back. */
  email: orNull(text),
  phoneNumber: orNull(text),
  loginPhone: orNull(text),
})
export type SignInChange = RowOf<typeof CHANGE>

/** Copies how the account is signed in to at this moment. */
export async function insertChange(
  tx: Tx,
  change: { id: string; accountId: string; tokenHash: Buffer },
): Promise<void> {
  await tx.query(
    `insert into sign_in_changes (id, account_id, token_hash, recovery_hashes, identities,
       passkeys, ${KEPT})
     select $1, id, $3,
       (select coalesce(array_agg(code_hash), '{}') from recovery_codes where account_id = a.id),
       (select coalesce(jsonb_agg(i), '[]') from identities i where account_id = a.id),
       (select coalesce(jsonb_agg(p), '[]') from passkeys p where account_id = a.id), ${KEPT}
     from accounts a where id = $2`,
    [change.id, change.accountId, change.tokenHash],
  )
}

export async function findChange(tx: Tx, tokenHash: Buffer): Promise<SignInChange | undefined> {
  const rows = await tx.read(
    `select ${CHANGE.list} from sign_in_changes
     where token_hash = $1 and created_at > now() - ${LIFE}`,
    [tokenHash],
  )
  return CHANGE.first(rows)
}

/**
 * Brings back what was copied, but no password: whoever made the change may know the one before.
 * The links of later changes no longer work; a thief may have got them.
 */
export async function restoreSignIn(
  tx: Tx,
  { accountId }: OwnerProof,
  changeId: string,
): Promise<void> {
  const of: [string, string] = [accountId, changeId]
  await tx.query(
    `update accounts set (${KEPT}) = (select ${KEPT} from sign_in_changes where id = $2),
       password_hash = null, totp_pending_sealed = null, updated_at = now()
     where id = $1`,
    of,
  )
  await tx.query('delete from recovery_codes where account_id = $1', [accountId])
  await tx.query(
    `insert into recovery_codes (account_id, code_hash)
     select $1, unnest(recovery_hashes) from sign_in_changes where id = $2`,
    of,
  )
  await tx.query('delete from identities where account_id = $1', [accountId])
  await tx.query(
    `insert into identities (issuer, subject, account_id, created_at, id, provider)
     select k.issuer, k.subject, $1, k.created_at, k.id, k.provider
     from sign_in_changes c, jsonb_populate_recordset(null::identities, c.identities) k
     where c.id = $2 on conflict (issuer, subject) do nothing`,
    of,
  )
  await restorePasskeys(tx, of)
  await tx.query(
    `delete from sign_in_changes where account_id = $1
       and created_at >= (select created_at from sign_in_changes where id = $2)`,
    of,
  )
}

/**
 * Those added since go, those removed since come back, even from another account: a thief may have
 * put the same id there with a key of his own. Those that stayed go on counting.
 */
async function restorePasskeys(tx: Tx, of: [accountId: string, changeId: string]): Promise<void> {
  await tx.query(
    `with kept as (
       select k.* from sign_in_changes c, jsonb_populate_recordset(null::passkeys, c.passkeys) k
       where c.id = $2
     ), gone as (
       delete from passkeys where account_id = $1
         and credential_id not in (select credential_id from kept)
     )
     insert into passkeys select * from kept
     on conflict (credential_id) do update set
       id = excluded.id, account_id = excluded.account_id, name = excluded.name,
       public_key = excluded.public_key, counter = excluded.counter
     where passkeys.account_id <> excluded.account_id`,
    of,
  )
}

export async function deleteChanges(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from sign_in_changes where account_id = $1', [accountId])
}

export function purgeChanges(tx: Tx, batch: number): Promise<number> {
  const where = `created_at < now() - ${LIFE}`
  return deleteOldest(tx, batch, { table: 'sign_in_changes', where, order: 'created_at' })
}

const LIFE = `make_interval(days => ${WAITING_DAYS})`
const KEPT = `email, email_verified_at, phone_number, phone_verified_at, phone_confirmed,
  phone_signs_in_at, login_phone, mfa_method, totp_sealed, totp_last_step`
