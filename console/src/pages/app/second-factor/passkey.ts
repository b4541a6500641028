import { useEffect } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { AskFailure } from '../../../client/failure.ts'

type Library = Awaited<ReturnType<typeof library>>
type ToMake = Answer<'POST /v1/me/passkeys/options'>['data']
type ToSign = Answer<'POST /v1/auth/passkeys/options'>['data']

/** A file of its own, which few pages need and only who is asked for a passkey fetches. */
const library = () => import('@simplewebauthn/browser')

/** Fetches it before the tap: some browsers take a passkey only at once after it. */
export function usePasskeyLibrary(): void {
  useEffect(() => void library().catch(() => {}), [])
}

/** The browser asks its reader for a new passkey. */
export function makePasskey(optionsJSON: ToMake) {
  return inBrowser(({ startRegistration }) => startRegistration({ optionsJSON }))
}

/** In this session: the second factor counts as just given. */
export async function showPasskey(): Promise<unknown> {
  const { data } = await asPasskey(ask('POST /v1/auth/step-up/passkey/options'))
  const credential = await signWith(data)
  return asPasskey(ask('POST /v1/auth/step-up/passkey', { body: { credential } }))
}

/** The second step of a login. */
export async function enterWithPasskey(challenge_id: string) {
  const options = ask('POST /v1/auth/passkeys/options', { body: { challenge_id } })
  const credential = await signWith((await asPasskey(options)).data)
  return asPasskey(ask('POST /v1/auth/passkeys/verify', { body: { challenge_id, credential } }))
}

function signWith(optionsJSON: ToSign) {
  return inBrowser(({ startAuthentication }) => startAuthentication({ optionsJSON }))
}

/** Browsers do not tell a reader who stops from one who has no such passkey. */
async function inBrowser<T>(work: (loaded: Library) => Promise<T>): Promise<T> {
  const loaded = await library()
  if (!loaded.browserSupportsWebAuthn()) throw failure('passkey_unsupported')
  try {
    return await work(loaded)
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError'
    throw failure(isKnown ? 'passkey_known' : 'passkey_stopped')
  }
}

/** The service's words for codes, said of a passkey; and that this address can have none. */
export async function asPasskey<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const kind = error instanceof AskFailure ? error.kind : ''
    if (kind === 'otp_invalid') throw failure('passkey_refused')
    if (kind === 'otp_expired') throw failure('passkey_late')
    if (error instanceof AskFailure && error.message.startsWith('Passkeys need')) {
      throw failure('passkey_address')
    }
    throw error
  }
}

type PasskeyFailure =
  | 'passkey_unsupported'
  | 'passkey_known'
  | 'passkey_stopped'
  | 'passkey_refused'
  | 'passkey_late'
  | 'passkey_address'

function failure(kind: PasskeyFailure): AskFailure {
  return new AskFailure({ status: 400, kind, message: '' })
}
