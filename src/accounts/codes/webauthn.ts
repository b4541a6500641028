import type * as library from '@simplewebauthn/server'
import { Failure } from '../../lib/failure.ts'
import type { RelyingParty } from './relying-party.ts'
import type { NewPasskey, Passkey, SignedPasskey } from './passkeys-store.ts'

/** What a browser sends of a new passkey, and of one that has signed. Bytes are base64url. */
export type Attestation = Sent<{ attestationObject: string; transports?: string[] | undefined }>
export type Assertion = Sent<{ authenticatorData: string; signature: string }>

type Sent<Response> = {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string } & Response
}

/** What must be as we asked for it. */
export type Expected = { party: RelyingParty; challenge: Uint8Array }

/** Named here, so that the runtime does not decide it: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

export const TRANSPORTS = [
  'ble',
  'cable',
  'hybrid',
  'internal',
  'nfc',
  'smart-card',
  'usb',
] as const
type Transport = (typeof TRANSPORTS)[number]

export function knownTransports(named: string[]): Transport[] {
  return TRANSPORTS.filter((one) => named.includes(one))
}

export async function readAttestation(
  sent: Attestation,
  { party, challenge }: Expected,
): Promise<Omit<NewPasskey, 'id' | 'name'>> {
  const transports = knownTransports(sent.response.transports ?? [])
  return refuseWhatFails(async ({ verifyRegistrationResponse }) => {
    await requireNoCertificate(sent.response.attestationObject)
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...sent, response: { ...sent.response, transports }, clientExtensionResults: {} },
      ...expectations(party, challenge),
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!registrationInfo) return undefined
    const { credential, credentialBackedUp: backedUp } = registrationInfo
    const { id, publicKey, counter } = credential
    return { credentialId: Buffer.from(id, 'base64url'), publicKey, counter, transports, backedUp }
  })
}

export async function readAssertion(
  sent: Assertion,
  { party, challenge, passkey }: Expected & { passkey: Passkey },
): Promise<SignedPasskey> {
  return refuseWhatFails(async ({ verifyAuthenticationResponse }) => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...sent, clientExtensionResults: {} },
      ...expectations(party, challenge),
      credential: {
        id: sent.id,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
    })
    const { newCounter: counter, credentialBackedUp: backedUp } = authenticationInfo
    return verified ? { id: passkey.id, counter, backedUp } : undefined
  })
}

/** One sentence, whatever is wrong. */
export function passkeyWrong(cause?: unknown): Failure {
  return new Failure('otp_invalid', 'The passkey was not accepted.', { param: 'credential', cause })
}

function expectations({ id, origins }: RelyingParty, challenge: Uint8Array) {
  return {
    expectedChallenge: Buffer.from(challenge).toString('base64url'),
    expectedOrigin: origins,
    expectedRPID: id,
    requireUserVerification: false,
  }
}

type Library = typeof library

/**
 * The library throws at whatever does not fit, so this is the place where that becomes a refusal. It
 * is loaded with the first passkey: it takes 0.4 s and 26 MB.
 */
async function refuseWhatFails<T>(read: (library: Library) => Promise<T | undefined>): Promise<T> {
  const loaded = await import('@simplewebauthn/server')
  let found: T | undefined
  try {
    found = await read(loaded)
  } catch (error) {
    throw passkeyWrong(error)
  }
  if (found === undefined) throw passkeyWrong()
  return found
}

/**
 * To check a certificate the library would fetch addresses that it names. Browsers send none, since
 * we ask for none; what a key says of itself needs none.
 */
async function requireNoCertificate(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const object = decodeAttestationObject(
    Uint8Array.from(Buffer.from(attestationObject, 'base64url')),
  )
  const format = object.get('fmt')
  const bySelf = format === 'packed' && !object.get('attStmt').get('x5c')
  if (format !== 'none' && !bySelf) throw new Error(`The attestation ${format} was not asked for.`)
}
