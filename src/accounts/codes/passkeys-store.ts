import {
  as,
  bool,
  bytes,
  columns,
  count,
  optional,
  text,
  texts,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import type { OwnerProof } from '../owner-proof.ts'

const PASSKEY = columns({
  id: text,
  name: text,
  credentialId: bytes,
  publicKey: bytes,
  counter: count,
  transports: texts,
  backedUp: bool,
  createdAt: time,
  usedAt: optional(time),
})
export type Passkey = RowOf<typeof PASSKEY>

export type NewPasskey = Omit<Passkey, 'createdAt' | 'usedAt'>

/** The oldest first. */
export async function listPasskeys(tx: Tx, accountId: string): Promise<Passkey[]> {
  const rows = await tx.read(
    `select ${PASSKEY.list} from passkeys where account_id = $1 order by id`,
    [accountId],
  )
  return PASSKEY.all(rows)
}

const SUM = columns({ passkeys: as('count(*)', count) })

export async function countPasskeys(tx: Tx, accountId: string): Promise<number> {
  const rows = await tx.read(`select ${SUM.list} from passkeys where account_id = $1`, [accountId])
  return SUM.first(rows)?.passkeys ?? 0
}

/** One of this account's: another's is one that does not exist. */
export async function findPasskey(
  tx: Tx,
  wanted: { accountId: string; credentialId: Buffer },
): Promise<Passkey | undefined> {
  const rows = await tx.read(
    `select ${PASSKEY.list} from passkeys where account_id = $1 and credential_id = $2`,
    [wanted.accountId, wanted.credentialId],
  )
  return PASSKEY.first(rows)
}

/** Undefined where some account has this passkey already. */
export async function insertPasskey(
  tx: Tx,
  proof: OwnerProof,
  passkey: NewPasskey,
): Promise<Passkey | undefined> {
  const rows = await tx.query(
    `insert into passkeys
       (id, account_id, name, credential_id, public_key, counter, transports, backed_up)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing
     returning ${PASSKEY.list}`,
    [
      passkey.id,
      proof.accountId,
      passkey.name,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.backedUp,
    ],
  )
  return PASSKEY.first(rows)
}

/** A passkey that has signed: what it said of itself while it did. */
export type SignedPasskey = { id: string; counter: number; backedUp: boolean }

/** False when it is gone, or has counted as far before: then there is a copy of it. */
export async function usePasskey(tx: Tx, signed: SignedPasskey): Promise<boolean> {
  const rows = await tx.query(
    `update passkeys set counter = $2, backed_up = $3, used_at = now()
     where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`,
    [signed.id, signed.counter, signed.backedUp],
  )
  return rows.length === 1
}

export async function renamePasskey(
  tx: Tx,
  { id, accountId, name }: { id: string; accountId: string; name: string },
): Promise<Passkey | undefined> {
  const rows = await tx.query(
    `update passkeys set name = $3 where id = $1 and account_id = $2 returning ${PASSKEY.list}`,
    [id, accountId, name],
  )
  return PASSKEY.first(rows)
}

export async function deletePasskey(tx: Tx, proof: OwnerProof, id: string): Promise<void> {
  await tx.query('delete from passkeys where id = $1 and account_id = $2', [id, proof.accountId])
}

/** A part of the erasure of an account. */
export async function deletePasskeys(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from passkeys where account_id = $1', [accountId])
}
