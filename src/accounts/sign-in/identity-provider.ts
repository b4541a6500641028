import { allowInsecureRequests, ClientError, ResponseBodyError } from 'openid-client'
import type { Configuration } from 'openid-client'
import { Failure } from '../../lib/failure.ts'
import type { BrowserProviderName } from './attempts-store.ts'
import type { OutsideIdentity } from './identity.ts'

/** What ties an answer to its question. Derived from the state, so none of it is kept. */
export type Checks = { state: string; verifier: string; nonce: string }

/** A service that people visit with their browser to say who they are. */
export type BrowserProvider = {
  name: BrowserProviderName
  authorizeUrl(checks: Checks): Promise<URL>
  /** Throws `unauthorized` when the answer proves nothing, `unavailable` when nobody answers. */
  identify(callback: URL, checks: Checks): Promise<OutsideIdentity>
}

/** Plain http is for a provider on this very machine, as in tests. */
export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

export function insecureOnLoopback(address: string): ((config: Configuration) => void)[] {
  // oxlint-disable-next-line typescript/no-deprecated -- deprecated only to make it stand out
  return isLoopback(address) ? [allowInsecureRequests] : []
}

/** A refusal of this very code or token is the visitor's; all else is trouble between services. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const refused =
    (error instanceof ResponseBodyError && error.error === 'invalid_grant') ||
    (error instanceof ClientError && !UNREACHABLE.has(error.code ?? ''))
  return refused
    ? new Failure('unauthorized', 'The sign-in could not be confirmed.', { cause: error })
    : away(error)
}

export function away(cause: unknown): Failure {
  return new Failure('unavailable', 'The sign-in service is not available. Please try again.', {
    retryAfterS: 5,
    cause,
  })
}

const UNREACHABLE = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])
