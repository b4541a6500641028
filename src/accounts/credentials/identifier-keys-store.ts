import type { Tx } from '../../db/db.ts'

export type IdentifierKeyRow = { id: number; sealed: Uint8Array }

/** Replicas that start at the same time create a single key. */
export async function lockIdentifierKeys(tx: Tx): Promise<void> {
  await tx.read('select pg_advisory_xact_lock(7310580)')
}

/** Newest first. */
export async function listIdentifierKeys(tx: Tx): Promise<IdentifierKeyRow[]> {
  return tx.read<IdentifierKeyRow>('select id, sealed from identifier_keys order by id desc')
}

export async function insertIdentifierKey(tx: Tx, sealed: Buffer): Promise<void> {
  await tx.query('insert into identifier_keys (sealed) values ($1)', [sealed])
}

export async function resealIdentifierKey(tx: Tx, id: number, sealed: Buffer): Promise<void> {
  await tx.query('update identifier_keys set sealed = $2 where id = $1', [id, sealed])
}

export async function deleteIdentifierKey(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from identifier_keys where id = $1', [id])
}
