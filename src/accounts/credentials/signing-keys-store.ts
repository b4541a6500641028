import type { JWK } from 'jose'
import { bytes, columns, json, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

export type PublicJwk = JWK & { kid: string }
export type NewSigningKey = { kid: string; publicJwk: PublicJwk; privateSealed: Uint8Array }

const KEY = columns({
  kid: text,
  publicJwk: json<PublicJwk>(),
  privateSealed: bytes,
  createdAt: time,
})
export type SigningKeyRow = RowOf<typeof KEY>

/** Replicas that start at the same time create a single key. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx.read('select pg_advisory_xact_lock(7310579)')
}

/** Newest first. */
export async function listSigningKeys(tx: Tx): Promise<SigningKeyRow[]> {
  const rows = await tx.read(`select ${KEY.list} from signing_keys order by created_at desc, kid`)
  return KEY.all(rows)
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
