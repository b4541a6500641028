import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import { tellOfChange } from '../codes/changes.ts'
import { setMfa } from '../codes/mfa-store.ts'
import { hasRecoveryCodes } from '../codes/mfa.ts'
import { askForNewPasskey, takeAsked, type CreationOptions } from '../codes/passkeys.ts'
import {
  countPasskeys,
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type NewPasskey,
  type Passkey,
} from '../codes/passkeys-store.ts'
import { deleteRecoveryCodes } from '../codes/recovery-codes-store.ts'
import { firstRecoveryCodes } from '../codes/recovery-codes.ts'
import type { RelyingParty } from '../codes/relying-party.ts'
import type { Caller } from '../codes/second-factor.ts'
import { readAttestation, type Attestation } from '../codes/webauthn.ts'
import { forgetSecondFactors, markSecondFactor } from '../credentials/sessions-store.ts'
import { ownerProof, type OwnerProof } from '../owner-proof.ts'
import { confirmOwner, type Confirmation } from '../sessions/confirm-owner.ts'

/** More than anybody has devices and keys for. */
const MOST_PASSKEYS = 10

/**
 * Only the owner gets a challenge for a new passkey, and without one of this session's no passkey is
 * added: that is what shows `addPasskey` who asks.
 */
export async function startPasskey(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  { party, ...given }: Confirmation & { party: RelyingParty },
): Promise<CreationOptions> {
  const { sessionId } = caller
  return confirmOwner(accounts, caller, given, async (tx, account) => {
    requireRoom(await countPasskeys(tx, account.id))
    return askForNewPasskey(tx, { party, account, sessionId })
  })
}

export type AddedPasskey = { passkey: Passkey; recoveryCodes: string[] | undefined }

/** The first one turns the second factor on, with recovery codes where there are none yet. */
export async function addPasskey(
  accounts: Pick<Accounts, 'db' | 'pagesUrl'>,
  { accountId, sessionId }: Caller,
  given: { party: RelyingParty; name: string; attestation: Attestation },
): Promise<AddedPasskey> {
  const { db } = accounts
  const { party, name, attestation } = given
  const challenge = await takeAsked(db, { use: 'add', boundTo: sessionId, accountId })
  const read = await readAttestation(attestation, { party, challenge })
  return db.begin(async (tx) => {
    const account = present(await lockAccount(tx, accountId))
    requireRoom(await countPasskeys(tx, accountId))
    const proof = ownerProof(accountId)
    await tellOfChange(accounts, tx, { accountId, type: 'security.passkey_added', data: { name } })
    const passkey = await insertNew(tx, proof, { ...read, id: uuidv7(), name })
    if (account.mfaMethod === 'none') await setMfa(tx, proof, 'passkey')
    await forgetSecondFactors(tx, accountId)
    await markSecondFactor(tx, sessionId, 'device')
    return { passkey, recoveryCodes: await firstRecoveryCodes(tx, proof) }
  })
}

/** With the last one the second factor is off, unless another method is on beside it. */
export async function removePasskey(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  { id, ...given }: Confirmation & { id: string },
): Promise<void> {
  await confirmOwner(accounts, caller, given, async (tx, account, proof) => {
    const { id: accountId, mfaMethod } = account
    const all = await listPasskeys(tx, accountId)
    const passkey = all.find((one) => one.id === id)
    if (!passkey) throw noSuchPasskey()
    const data = { name: passkey.name }
    await tellOfChange(accounts, tx, { accountId, type: 'security.passkey_removed', data })
    await deletePasskey(tx, proof, id)
    const left = all.length - 1
    if (left === 0 && mfaMethod === 'passkey') await setMfa(tx, proof, 'none')
    if (!hasRecoveryCodes(mfaMethod, left)) await deleteRecoveryCodes(tx, accountId)
    await forgetSecondFactors(tx, accountId, caller.sessionId)
  })
}

export function noSuchPasskey(): Failure {
  return new Failure('not_found', 'There is no such passkey.')
}

async function insertNew(tx: Tx, proof: OwnerProof, passkey: NewPasskey): Promise<Passkey> {
  const added = await insertPasskey(tx, proof, passkey)
  if (added) return added
  throw new Failure('conflict', 'This passkey is in use already.', { param: 'credential' })
}

function requireRoom(passkeys: number): void {
  if (passkeys < MOST_PASSKEYS) return
  throw new Failure('conflict', `An account has at most ${MOST_PASSKEYS} passkeys. Remove one.`)
}

function present(account: Account | undefined): Account {
  if (account) return account
  throw new Failure('unauthorized', 'This account has been deleted.')
}
