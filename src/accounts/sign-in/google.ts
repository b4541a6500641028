import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { Configuration } from 'openid-client'
import { cappedFetch } from '../../lib/http-json.ts'
import { readIdentity } from './identity.ts'
import type { ExternalIdentity } from './identity.ts'
import { hourly, identityFailure, insecureOnLoopback } from './identity-provider.ts'
import type { BrowserProvider, FlowChecks } from './identity-provider.ts'

type GoogleSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
}

const TIMEOUT_S = 10

/** OpenID Connect with PKCE and nonce, at whatever the issuer's discovery document says. */
export function googleProvider(settings: GoogleSettings): BrowserProvider {
  const server = serverOf(settings)
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
        // The library's errors name the provider: the caller gets one of ours.
        throw identityFailure(error)
      }
    },
  }
}

async function exchange(
  server: Configuration,
  callback: URL,
  checks: FlowChecks,
): Promise<ExternalIdentity> {
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
): ExternalIdentity {
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

function serverOf(settings: GoogleSettings): () => Promise<Configuration> {
  const discovered = hourly(() => discover(settings))
  return async () => {
    try {
      return await discovered()
    } catch (error) {
      throw identityFailure(error)
    }
  }
}

function discover({ issuer, clientId, clientSecret }: GoogleSettings): Promise<Configuration> {
  return discovery(new URL(issuer), clientId, {}, ClientSecretPost(clientSecret), {
    // The signature is checked too, although the token comes straight from the issuer.
    execute: [enableNonRepudiationChecks, ...insecureOnLoopback(issuer)],
    timeout: TIMEOUT_S,
    [customFetch]: cappedFetch,
  })
}
