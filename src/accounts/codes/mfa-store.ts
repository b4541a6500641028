import type { Tx } from '../../db/db.ts'
import type { MfaMethod } from '../account.ts'
import type { OwnerProof } from '../owner-proof.ts'

export async function setMfa(
  tx: Tx,
  proof: OwnerProof,
  method: Exclude<MfaMethod, 'totp'>,
): Promise<void> {
  await tx.query(
    `update accounts set mfa_method = $2, totp_sealed = null, totp_pending_sealed = null,
       totp_last_step = null, updated_at = now() where id = $1`,
    [proof.accountId, method],
  )
}

export async function offerTotp(tx: Tx, proof: OwnerProof, sealed: Buffer): Promise<void> {
  await tx.query('update accounts set totp_pending_sealed = $2, updated_at = now() where id = $1', [
    proof.accountId,
    sealed,
  ])
}

export async function confirmTotp(tx: Tx, proof: OwnerProof, step: number): Promise<void> {
  await tx.query(
    `update accounts set mfa_method = 'totp', totp_sealed = totp_pending_sealed,
       totp_pending_sealed = null, totp_last_step = $2, updated_at = now() where id = $1`,
    [proof.accountId, step],
  )
}

/** A code works once: true for the first who spends its step. */
export async function spendTotpStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const rows = await tx.query(
    `update accounts set totp_last_step = $2
     where id = $1 and (totp_last_step is null or totp_last_step < $2) returning id`,
    [id, step],
  )
  return rows.length === 1
}
