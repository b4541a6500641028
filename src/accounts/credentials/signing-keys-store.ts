import type { JWK } from 'jose'
import type { Tx } from '../../db/db.ts'

export type PublicJwk = JWK & { kid: string }
export type NewSigningKey = { kid: string; publicJwk: PublicJwk; privateSealed: Uint8Array }
export type SigningKeyRow = NewSigningKey & { createdAt: Date }

/** Replicas that start at the same time create a single key. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx.read('select pg_advisory_xact_lock(7310579)')
}

/** Newest first. */
export async function listSigningKeys(tx: Tx): Promise<SigningKeyRow[]> {
  const rows = await tx.read<{
    kid: string
    public_jwk: PublicJwk
    private_sealed: Uint8Array
    created_at: Date
  }>(
    `select kid, public_jwk, private_sealed, created_at from signing_keys
     order by created_at desc, kid`,
  )
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.public_jwk,
    privateSealed: row.private_sealed,
    createdAt: row.created_at,
  }))
}

export async function insertSigningKey(tx: Tx, key: NewSigningKey): Promise<void> {
  await tx.query('insert into signing_keys (kid, public_jwk, private_sealed) values ($1, $2, $3)', [
    key.kid,
    JSON.stringify(key.publicJwk),
    key.privateSealed,
  ])
}

export async function deleteSigningKey(tx: Tx, kid: string): Promise<void> {
  await tx.query('delete from signing_keys where kid = $1', [kid])
}
