import { randomBytes } from 'node:crypto'
import { Failure } from '../../lib/failure.ts'
import { hmacSha256, sha256 } from '../../lib/secrets.ts'
import type { Accounts } from '../accounts.ts'
import { insertAttempt, takeAttempt } from './attempts-store.ts'
import type { BrowserProviderName } from './attempts-store.ts'
import { enterSession } from './linking.ts'
import type { BrowserProvider, Checks } from './identity-provider.ts'
import type { Device } from '../sessions/sessions.ts'
import { callbackUrl } from './sign-in.ts'
import type { SignIn } from './sign-in.ts'

/** A browser that sets out: where it goes, and the secret by which it is known when it returns. */
export async function startBrowser(
  desk: SignIn,
  wish: {
    provider: BrowserProviderName
    redirectUri: string | undefined
    clientState: string | undefined
    browser: string | undefined
  },
): Promise<{ url: URL; browser: string }> {
  const provider = configured(desk, wish.provider)
  const redirectUri = wish.redirectUri ?? desk.returnPages[0]
  if (!desk.returnPages.includes(redirectUri)) {
    throw new Failure('invalid', 'redirect_uri is not on the list of allowed pages.', {
      param: 'redirect_uri',
    })
  }
  // One secret per browser, not per visit: two tabs may sign in at once.
  const browser = readBrowser(wish.browser) ?? randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const url = await provider.authorizeUrl(checksFor(desk.accounts, state))
  await insertAttempt(desk.accounts.db, {
    provider: wish.provider,
    stateHash: sha256(state),
    browserHash: sha256(browser),
    redirectUri,
    clientState: wish.clientState,
  })
  return { url, browser }
}

export type Visit = {
  provider: BrowserProviderName
  query: URLSearchParams
  browser: string | undefined
  device: Device
  requestId: string
}

/** Always an address to send the browser to: with tokens, or with what went wrong. */
export async function finishBrowser(desk: SignIn, visit: Visit): Promise<string> {
  const provider = configured(desk, visit.provider)
  let page: string = desk.returnPages[0]
  let state: Record<string, string> = {}
  try {
    const attempt = await attemptOf(desk, visit)
    if (!attempt) throw new Failure('gone', 'This sign-in has expired. Please start again.')
    page = attempt.redirectUri
    if (attempt.clientState !== undefined) state = { state: attempt.clientState }
    const session = await finish(desk, provider, visit)
    return withFragment(page, { ...session, ...state })
  } catch (error) {
    // A browser stands here, and JSON is no page: every failure is told in the fragment.
    const failure =
      error instanceof Failure ? error : new Failure('internal', BROKEN, { cause: error })
    desk.accounts.log.warn('browser sign-in failed', {
      request_id: visit.requestId,
      provider: visit.provider,
      reason: failure.kind,
      error: failure.cause,
    })
    return withFragment(page, { ...told(failure), request_id: visit.requestId, ...state })
  }
}

const BROKEN = 'Something went wrong on our side.'

function attemptOf(desk: SignIn, visit: Visit) {
  const browser = readBrowser(visit.browser)
  const states = visit.query.getAll('state')
  if (browser === undefined || states.length !== 1) return undefined
  return takeAttempt(desk.accounts.db, {
    provider: visit.provider,
    stateHash: sha256(states[0]!),
    browserHash: sha256(browser),
  })
}

async function finish(
  desk: SignIn,
  provider: BrowserProvider,
  { query, device }: Visit,
): Promise<Record<string, string>> {
  if (query.has('error')) throw new Failure('unauthorized', 'The sign-in was not permitted.')
  const callback = new URL(callbackUrl(desk.publicUrl, provider.name))
  callback.search = query.toString()
  const identity = await provider.identify(callback, checksFor(desk.accounts, query.get('state')!))
  const session = await enterSession(desk.accounts, identity, { device })
  return {
    access_token: session.access_token,
    refresh_token: session.refresh_token,
    token_type: session.token_type,
    expires_in: String(session.expires_in),
  }
}

/** Verifier and nonce follow from the state and our key: nothing that opens a door is at rest. */
function checksFor({ keys }: Accounts, state: string): Checks {
  const derive = (use: string) =>
    hmacSha256(keys.codes, `sign-in ${use}\n`, state).toString('base64url')
  return { state, verifier: derive('verifier'), nonce: derive('nonce') }
}

const ERRORS: Partial<Record<Failure['kind'], string>> = {
  gone: 'invalid_state',
  unauthorized: 'access_denied',
  forbidden: 'forbidden',
  conflict: 'conflict',
  unavailable: 'temporarily_unavailable',
}

function told(failure: Failure): Record<string, string> {
  return { error: ERRORS[failure.kind] ?? 'server_error', error_description: failure.message }
}

function withFragment(page: string, values: Record<string, string>): string {
  return `${page}#${new URLSearchParams(values).toString()}`
}

function readBrowser(value: string | undefined): string | undefined {
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

function configured(desk: SignIn, name: BrowserProviderName): BrowserProvider {
  const provider = desk.providers[name]
  if (!provider) throw new Failure('not_found', 'This way to sign in is not configured.')
  return provider
}
