import type { Tx } from '../../db/db.ts'
import { ACCOUNT, type Account } from '../account.ts'
import { WITHOUT_MONEY } from '../accounts-store.ts'

/** From now on nothing finds the account, and its identifiers are free. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query('update accounts set deleted_at = now(), updated_at = now() where id = $1', [id])
}

export async function markRestored(tx: Tx, id: string): Promise<void> {
  await tx.query('update accounts set deleted_at = null, updated_at = now() where id = $1', [id])
}

/** For 30 days, as the owner was told; then the account is erased. */
const RESTORABLE = 'deleted_at is not null and erased_at is null'

export async function lockDeleted(tx: Tx, id: string): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where id = $1 and ${RESTORABLE} for update`,
    [id],
  )
  return ACCOUNT.first(rows)
}

/** Those that had proven this email address or phone number, the one deleted last first. */
export async function listDeleted(tx: Tx, identifier: string): Promise<string[]> {
  const rows = await tx.read<{ id: string }>(
    `select id from accounts where ${RESTORABLE}
       and ((email = $1 and email_verified_at is not null) or login_phone = $1)
     order by deleted_at desc`,
    [identifier],
  )
  return rows.map(({ id }) => id)
}

/** The next account that is to be erased. */
export async function lockToErase(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.read<{ id: string }>(
    `select id from accounts where ${RESTORABLE} and deleted_at < now() - interval '30 days'
     order by deleted_at limit 1 for update skip locked`,
  )
  return row?.id
}

/**
 * Erases everything that names the person. The row stays where the ledger or a payment refers to
 * it; the identifiers stay on record as proven.
 */
export async function eraseAccount(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update accounts set erased_at = now(), updated_at = now(), full_name = '', avatar_url = null,
       email = null, email_verified_at = null, phone_number = null, phone_verified_at = null,
       phone_confirmed = false, phone_signs_in_at = null, login_phone = null, password_hash = null, mfa_method = 'none', totp_sealed = null,
       totp_pending_sealed = null, totp_last_step = null
     where id = $1`,
    [id],
  )
  await tx.query(`delete from accounts where id = $1 and ${WITHOUT_MONEY}`, [id])
}
