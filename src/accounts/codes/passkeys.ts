import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import { PASSKEY_CHALLENGE_S, putChallenge, takeChallenge } from './passkey-challenges-store.ts'
import type { PasskeyUse } from './passkey-challenges-store.ts'
import { findPasskey, listPasskeys } from './passkeys-store.ts'
import type { Passkey, SignedPasskey } from './passkeys-store.ts'
import type { RelyingParty } from './relying-party.ts'
import { ALGORITHMS, knownTransports, passkeyWrong, readAssertion } from './webauthn.ts'
import type { Assertion } from './webauthn.ts'

/** What a browser is to sign with one of the account's passkeys. */
export async function askForPasskey(
  db: Tx,
  party: RelyingParty,
  use: PasskeyUse,
): Promise<RequestOptions> {
  const passkeys = await listPasskeys(db, use.accountId)
  if (passkeys.length === 0) throw new Failure('forbidden', 'This account has no passkey.')
  return {
    rpId: party.id,
    challenge: await newChallenge(db, use),
    timeout: PASSKEY_CHALLENGE_S * 1000,
    userVerification: 'preferred',
    allowCredentials: passkeys.map(nameCredential),
  }
}

/**
 * Checks what the browser has signed. The caller must then call `usePasskey`, in the transaction
 * that does what the passkey allows.
 */
export async function checkPasskey(
  db: Tx,
  sent: Assertion,
  { party, use }: { party: RelyingParty; use: PasskeyUse },
): Promise<SignedPasskey> {
  const challenge = await takeAsked(db, use)
  const { accountId } = use
  const credentialId = Buffer.from(sent.id, 'base64url')
  const passkey = await findPasskey(db, { accountId, credentialId })
  if (!passkey) throw passkeyWrong()
  return readAssertion(sent, { party, challenge, passkey })
}

/** From what a browser is to make a new passkey; those that are there already make no second one. */
export async function askForNewPasskey(
  tx: Tx,
  { party, account, sessionId }: { party: RelyingParty; account: Account; sessionId: string },
): Promise<CreationOptions> {
  const passkeys = await listPasskeys(tx, account.id)
  const id = Buffer.from(account.id.replaceAll('-', ''), 'hex').toString('base64url')
  const name = account.email ?? account.phoneNumber ?? account.fullName
  return {
    rp: { id: party.id, name: 'Mlango' },
    user: { id, name, displayName: account.fullName },
    challenge: await newChallenge(tx, { use: 'add', boundTo: sessionId, accountId: account.id }),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: PASSKEY_CHALLENGE_S * 1000,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    excludeCredentials: passkeys.map(nameCredential),
  }
}

/** The challenge that was made for this use: whoever takes it is the only one who does. */
export async function takeAsked(db: Tx, use: PasskeyUse): Promise<Uint8Array> {
  const challenge = await takeChallenge(db, use)
  if (challenge) return challenge
  throw new Failure('otp_expired', 'The passkey was used too late. Please try again.', {
    param: 'credential',
  })
}

/** In the words of WebAuthn, as browsers take them. Bytes are base64url. */
export type RequestOptions = {
  rpId: string
  challenge: string
  timeout: number
  userVerification: 'preferred'
  allowCredentials: CredentialName[]
}

export type CreationOptions = {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  attestation: 'none'
  authenticatorSelection: { residentKey: 'preferred'; userVerification: 'preferred' }
  excludeCredentials: CredentialName[]
}

type CredentialName = {
  type: 'public-key'
  id: string
  transports: ReturnType<typeof knownTransports>
}

function nameCredential({ credentialId, transports }: Passkey): CredentialName {
  const id = Buffer.from(credentialId).toString('base64url')
  return { type: 'public-key', id, transports: knownTransports(transports) }
}

async function newChallenge(tx: Tx, use: PasskeyUse): Promise<string> {
  const challenge = randomBytes(32)
  await putChallenge(tx, use, challenge)
  return challenge.toString('base64url')
}
