import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { Configuration } from 'openid-client'
import { readIdentity } from './identity.ts'
import type { OutsideIdentity } from './identity.ts'
import { asFailure, insecureOnLoopback } from './identity-provider.ts'
import type { BrowserProvider, Checks } from './identity-provider.ts'

type Settings = { issuer: string; clientId: string; clientSecret: string; redirectUri: string }

const DISCOVERY_LIFE_MS = 3_600_000
const TIMEOUT_S = 10

/** OpenID Connect with PKCE and nonce, at whatever the issuer's discovery document says. */
export function googleProvider(settings: Settings): BrowserProvider {
  const server = rediscovered(settings)
  return {
    name: 'google',
    async authorizeUrl({ state, verifier, nonce }) {
      return buildAuthorizationUrl(await server(), {
        redirect_uri: settings.redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
    },
    async identify(callback, checks) {
      try {
        return await exchange(await server(), callback, checks)
      } catch (error) {
        // The library's errors name the provider: the caller hears ours.
        throw asFailure(error)
      }
    },
  }
}

async function exchange(
  server: Configuration,
  callback: URL,
  checks: Checks,
): Promise<OutsideIdentity> {
  const tokens = await authorizationCodeGrant(server, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true,
  })
  return googleIdentity(server.serverMetadata().issuer, tokens.claims()!)
}

export function googleIdentity(
  issuer: string,
  claims: Record<string, unknown> & { sub: string },
): OutsideIdentity {
  return readIdentity(
    { issuer, subject: claims.sub, provider: 'Google' },
    {
      email: claims.email,
      emailVerified: claims.email_verified,
      names: [claims.name, claims.given_name],
      picture: claims.picture,
    },
  )
}

/** The document is read on first use and again each hour; a failed look is not remembered. */
function rediscovered(settings: Settings): () => Promise<Configuration> {
  let found: Promise<Configuration> | undefined
  let untilMs = 0
  return async () => {
    if (found === undefined || performance.now() > untilMs) {
      untilMs = performance.now() + DISCOVERY_LIFE_MS
      found = discover(settings)
      found.catch(() => (found = undefined))
    }
    try {
      return await found
    } catch (error) {
      throw asFailure(error)
    }
  }
}

function discover({ issuer, clientId, clientSecret }: Settings): Promise<Configuration> {
  return discovery(new URL(issuer), clientId, {}, ClientSecretPost(clientSecret), {
    // The signature is checked too, although the token comes straight from the issuer.
    execute: [enableNonRepudiationChecks, ...insecureOnLoopback(issuer)],
    timeout: TIMEOUT_S,
  })
}
