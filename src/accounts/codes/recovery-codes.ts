import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { sha256 } from '../../lib/secrets.ts'
import { notify } from '../../notices/notices.ts'
import { base32 } from '../credentials/totp.ts'
import type { OwnerProof } from '../owner-proof.ts'
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
  takeRecoveryCode,
} from './recovery-codes-store.ts'

const CODES = 10

/** `ABCD-EFGH-2345-WXYZ`: 80 random bits. People may type small letters. */
export const RECOVERY_CODE = /^[A-Za-z2-7]{4}(-[A-Za-z2-7]{4}){3}$/

/** New codes for when the second factor is lost. They are shown once; only hashes are kept. */
export async function makeRecoveryCodes(tx: Tx, proof: OwnerProof): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () =>
    base32(randomBytes(10)).replaceAll(/.{4}(?=.)/g, '$&-'),
  )
  await replaceRecoveryCodes(
    tx,
    proof,
    codes.map((code) => hashOf(proof.accountId, code)),
  )
  return codes
}

/** Undefined where some are left: those go on working. */
export async function firstRecoveryCodes(tx: Tx, proof: OwnerProof): Promise<string[] | undefined> {
  const left = await countRecoveryCodes(tx, proof.accountId)
  return left === 0 ? makeRecoveryCodes(tx, proof) : undefined
}

/** True for a code of this account that was never used; its owner is told how many are left. */
export async function spendRecoveryCode(tx: Tx, accountId: string, code: string): Promise<boolean> {
  if (!(await takeRecoveryCode(tx, accountId, hashOf(accountId, code)))) return false
  const data = { left: await countRecoveryCodes(tx, accountId) }
  await notify(tx, { accountId, type: 'security.recovery_code_used', data })
  return true
}

function hashOf(accountId: string, code: string): Buffer {
  return sha256(`${accountId} ${code.toUpperCase()}`)
}
