import { randomBytes } from 'node:crypto'
import { Failure, invalidField } from '../../lib/failure.ts'
import { hmacSha256, sha256 } from '../../lib/secrets.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { insertAttempt, takeAttempt } from './attempts-store.ts'
import type { BrowserProviderName } from './attempts-store.ts'
import { signInWith, type Entered } from './linking.ts'
import type { BrowserProvider, FlowChecks } from './identity-provider.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'
import { callbackUrl } from './sign-in.ts'
import type { SignIn } from './sign-in.ts'

/** Where to send a browser, and the secret by which it is recognised when it returns. */
export async function startBrowser(
  signIn: SignIn,
  start: {
    provider: BrowserProviderName
    redirectUri: string | undefined
    clientState: string | undefined
    browser: string | undefined
    cookie: boolean
  },
): Promise<{ url: URL; browser: string }> {
  const provider = configured(signIn, start.provider)
  // Only our own page can use a cookie.
  const pages = start.cookie ? [ownPage(signIn)] : signIn.returnPages
  const redirectUri = start.redirectUri ?? pages[0]!
  if (!pages.includes(redirectUri)) {
    throw invalidField('redirect_uri', 'must be one of the allowed pages')
  }
  // One secret per browser, not per visit: two tabs may sign in at once.
  const browser = readBrowser(start.browser) ?? randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const url = await provider.authorizeUrl(checksFor(signIn.accounts, state))
  await insertAttempt(signIn.accounts.db, {
    provider: start.provider,
    stateHash: sha256(state),
    browserHash: sha256(browser),
    redirectUri,
    clientState: start.clientState,
    cookie: start.cookie,
  })
  return { url, browser }
}

export type BrowserVisit = {
  provider: BrowserProviderName
  query: URLSearchParams
  browser: string | undefined
  device: Device
  /** The language of our own pages in that browser. */
  localeOfPages: Account['locale']
  requestId: string
}

/** Where to send the browser, with tokens, with a cookie, or with what went wrong. */
export async function finishBrowser(
  signIn: SignIn,
  visit: BrowserVisit,
): Promise<{ page: string; cookie?: SessionView }> {
  const provider = configured(signIn, visit.provider)
  let page: string = signIn.returnPages[0]
  let state: Record<string, string> = {}
  try {
    const attempt = await attemptOf(signIn, visit)
    if (!attempt) throw new Failure('gone', 'This sign-in has expired. Please start again.')
    page = attempt.redirectUri
    if (attempt.clientState !== undefined) state = { state: attempt.clientState }
    const { cookie } = attempt
    const locale = cookie ? visit.localeOfPages : visit.device.locale
    const device = { ...visit.device, cookie, locale }
    const entered = await finish(signIn, provider, { ...visit, device })
    // No token in the address: it stays in the history, and every script of the page reads it.
    if (cookie && 'refresh_token' in entered) return { page, cookie: entered }
    return { page: withFragment(page, { ...inFragment(entered), ...state }) }
  } catch (error) {
    // A browser cannot show JSON to a person: every failure goes to the page, in the fragment.
    const failure =
      error instanceof Failure ? error : new Failure('internal', BROKEN, { cause: error })
    signIn.accounts.log.warn('A browser sign-in failed.', {
      request_id: visit.requestId,
      provider: visit.provider,
      reason: failure.kind,
      error: failure.cause,
    })
    const fields = { ...errorFields(failure), request_id: visit.requestId, ...state }
    return { page: withFragment(page, fields) }
  }
}

const BROKEN = 'Something went wrong on our side.'

function attemptOf(signIn: SignIn, visit: BrowserVisit) {
  const browser = readBrowser(visit.browser)
  const states = visit.query.getAll('state')
  if (browser === undefined || states.length !== 1) return undefined
  return takeAttempt(signIn.accounts.db, {
    provider: visit.provider,
    stateHash: sha256(states[0]!),
    browserHash: sha256(browser),
  })
}

async function finish(
  signIn: SignIn,
  provider: BrowserProvider,
  { query, device }: BrowserVisit,
): Promise<Entered> {
  if (query.has('error')) throw new Failure('unauthorized', 'The sign-in was cancelled or denied.')
  const callback = new URL(callbackUrl(signIn.publicUrl, provider.name))
  callback.search = query.toString()
  const identity = await provider.identify(
    callback,
    checksFor(signIn.accounts, query.get('state')!),
  )
  return signInWith(signIn.accounts, identity, { device })
}

/** Tokens, or what the second step needs: the page asks for the code. */
function inFragment(entered: Entered): Record<string, string> {
  const expires_in = String(entered.expires_in)
  if ('mfa_required' in entered) {
    const { challenge_id, channel, masked, identifier, mfa_method } = entered
    const other_methods = entered.other_methods.join(',')
    const factor = { channel, mfa_method, other_methods, masked }
    return { mfa_required: 'true', challenge_id, ...factor, identifier, expires_in }
  }
  const { access_token, refresh_token, token_type } = entered
  return { access_token, refresh_token, token_type, expires_in }
}

/** Verifier and nonce are derived from the state and our key: no secret is stored. */
function checksFor({ keys }: Pick<Accounts, 'keys'>, state: string): FlowChecks {
  const derive = (use: string) =>
    hmacSha256(keys.signIn, `sign-in ${use}\n`, state).toString('base64url')
  return { state, verifier: derive('verifier'), nonce: derive('nonce') }
}

const ERRORS: Partial<Record<Failure['kind'], string>> = {
  gone: 'invalid_state',
  unauthorized: 'access_denied',
  forbidden: 'forbidden',
  conflict: 'conflict',
  unavailable: 'temporarily_unavailable',
}

function errorFields(failure: Failure): Record<string, string> {
  return { error: ERRORS[failure.kind] ?? 'server_error', error_description: failure.message }
}

function ownPage({ publicUrl }: SignIn): string {
  return `${publicUrl}/auth/callback`
}

function withFragment(page: string, values: Record<string, string>): string {
  return `${page}#${new URLSearchParams(values).toString()}`
}

function readBrowser(value: string | undefined): string | undefined {
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

function configured(signIn: SignIn, name: BrowserProviderName): BrowserProvider {
  const provider = signIn.providers[name]
  if (!provider) throw new Failure('not_found', 'This way to sign in is not configured.')
  return provider
}
