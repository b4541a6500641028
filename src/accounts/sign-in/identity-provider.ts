import { allowInsecureRequests, ClientError, ResponseBodyError } from 'openid-client'
import type { Configuration } from 'openid-client'
import { Failure } from '../../lib/failure.ts'
import type { BrowserProviderName } from './attempts-store.ts'
import type { ExternalIdentity } from './identity.ts'

/** What ties a callback to the visit that began it. Derived from the state, so none is stored. */
export type FlowChecks = { state: string; verifier: string; nonce: string }

/** A service that people visit with their browser to prove who they are. */
export type BrowserProvider = {
  name: BrowserProviderName
  authorizeUrl(checks: FlowChecks): Promise<URL>
  /** Throws `unauthorized` when the callback proves nothing, `unavailable` when nobody answers. */
  identify(callback: URL, checks: FlowChecks): Promise<ExternalIdentity>
}

/** Loads on first use, and again after an hour; a failed load is not remembered. */
export function hourly<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  let untilMs = 0
  return async () => {
    if (loaded === undefined || performance.now() > untilMs) {
      untilMs = performance.now() + HOUR_MS
      loaded = load()
      loaded.catch(() => (loaded = undefined))
    }
    return loaded
  }
}

/** The settings allow plain http only for a provider on this machine, as in tests. */
export function insecureOnLoopback(address: string): ((config: Configuration) => void)[] {
  // oxlint-disable-next-line typescript/no-deprecated -- deprecated only to make it stand out
  return address.startsWith('http:') ? [allowInsecureRequests] : []
}

/** Refused for this code or token: the visitor's fault. Anything else: the provider is at fault. */
export function identityFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const refused =
    (error instanceof ResponseBodyError && error.error === 'invalid_grant') ||
    (error instanceof ClientError && !UNREACHABLE.has(error.code ?? ''))
  return refused
    ? new Failure('unauthorized', 'The sign-in could not be confirmed.', { cause: error })
    : providerUnavailable(error)
}

export function providerUnavailable(cause: unknown): Failure {
  return new Failure('unavailable', 'The sign-in service is not available. Please try again.', {
    retryAfterS: 5,
    cause,
  })
}

const HOUR_MS = 3_600_000
const UNREACHABLE = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])
