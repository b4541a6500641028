import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import { setMfa } from '../codes/mfa-store.ts'
import { askForNewPasskey, takeAsked, type CreationOptions } from '../codes/passkeys.ts'
import {
  countPasskeys,
  deletePasskey,
  insertPasskey,
  type NewPasskey,
  type Passkey,
} from '../codes/passkeys-store.ts'
import { countRecoveryCodes, deleteRecoveryCodes } from '../codes/recovery-codes-store.ts'
import { makeRecoveryCodes } from '../codes/recovery-codes.ts'
import type { RelyingParty } from '../codes/relying-party.ts'
import { withSecondFactor, type Caller } from '../codes/second-factor.ts'
import { readAttestation, type Attestation } from '../codes/webauthn.ts'
import { forgetSecondFactors, markSecondFactor } from '../credentials/sessions-store.ts'
import { confirmOwner } from '../sessions/confirm-owner.ts'

/** More than anybody has devices and keys for. */
const MOST_PASSKEYS = 10

type Proof = { password: string | undefined; mfaCode: string | undefined }
type Parts = CodeSender & Pick<Accounts, 'db' | 'passwords'>

/**
 * Only the owner gets a challenge for a new passkey, and without one of this session's no passkey is
 * added: that is what shows `addPasskey` who asks.
 */
export async function startPasskey(
  accounts: Parts,
  caller: Caller,
  { party, proof }: { party: RelyingParty; proof: Proof },
): Promise<CreationOptions> {
  const { sessionId } = caller
  return asOwner(accounts, caller, proof, async (tx, account) => {
    requireRoom(await countPasskeys(tx, account.id))
    return askForNewPasskey(tx, { party, account, sessionId })
  })
}

export type AddedPasskey = { passkey: Passkey; recoveryCodes: string[] | undefined }

/** The first one turns the second factor on, with recovery codes where there are none yet. */
export async function addPasskey(
  { db }: Pick<Accounts, 'db'>,
  { accountId, sessionId }: Caller,
  given: { party: RelyingParty; name: string; attestation: Attestation },
): Promise<AddedPasskey> {
  const { party, name, attestation } = given
  const challenge = await takeAsked(db, { use: 'add', boundTo: sessionId, accountId })
  const read = await readAttestation(attestation, { party, challenge })
  return db.begin(async (tx) => {
    const account = present(await lockAccount(tx, accountId))
    requireRoom(await countPasskeys(tx, accountId))
    const passkey = await insertNew(tx, { ...read, id: uuidv7(), accountId, name })
    if (account.mfaMethod === 'none') await setMfa(tx, accountId, 'passkey')
    await forgetSecondFactors(tx, accountId)
    await markSecondFactor(tx, sessionId, 'device')
    await notify(tx, { accountId, type: 'security.passkey_added', data: { name } })
    return { passkey, recoveryCodes: await firstRecoveryCodes(tx, accountId) }
  })
}

/** With the last one the second factor is off, unless another method is on beside it. */
export async function removePasskey(
  accounts: Parts,
  caller: Caller,
  { id, proof }: { id: string; proof: Proof },
): Promise<void> {
  await asOwner(accounts, caller, proof, async (tx, { id: accountId, mfaMethod }) => {
    const gone = await deletePasskey(tx, { id, accountId })
    if (!gone) throw noSuchPasskey()
    if ((await countPasskeys(tx, accountId)) === 0) {
      if (mfaMethod === 'passkey') await setMfa(tx, accountId, 'none')
      if (mfaMethod !== 'totp') await deleteRecoveryCodes(tx, accountId)
    }
    await forgetSecondFactors(tx, accountId, caller.sessionId)
    await notify(tx, { accountId, type: 'security.passkey_removed', data: { name: gone.name } })
  })
}

export function noSuchPasskey(): Failure {
  return new Failure('not_found', 'There is no such passkey.')
}

async function asOwner<T>(
  accounts: Parts,
  caller: Caller,
  { password, mfaCode }: Proof,
  work: (tx: Tx, account: Account) => Promise<T>,
): Promise<T> {
  await confirmOwner(accounts, caller, { password, field: 'password' })
  return withSecondFactor(accounts, caller, {
    code: mfaCode,
    async change(tx, required) {
      const account = present(await lockAccount(tx, caller.accountId))
      await required(account)
      return work(tx, account)
    },
  })
}

async function insertNew(tx: Tx, passkey: NewPasskey): Promise<Passkey> {
  const added = await insertPasskey(tx, passkey)
  if (added) return added
  throw new Failure('conflict', 'This passkey is in use already.', { param: 'credential' })
}

async function firstRecoveryCodes(tx: Tx, accountId: string): Promise<string[] | undefined> {
  const left = await countRecoveryCodes(tx, accountId)
  return left === 0 ? makeRecoveryCodes(tx, accountId) : undefined
}

function requireRoom(passkeys: number): void {
  if (passkeys < MOST_PASSKEYS) return
  throw new Failure('conflict', `An account has at most ${MOST_PASSKEYS} passkeys. Remove one.`)
}

function present(account: Account | undefined): Account {
  if (account) return account
  throw new Failure('unauthorized', 'This account has been deleted.')
}
