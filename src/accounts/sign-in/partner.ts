import { Failure } from '../../lib/failure.ts'
import type { Accounts } from '../accounts.ts'
import { readIdentity } from './identity.ts'
import type { ExternalIdentity } from './identity.ts'
import { badToken, issuerKeys } from './issuer-keys.ts'
import { signInWith } from './linking.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'

export type PartnerSignIn = (
  accessToken: string,
  device: Device,
) => Promise<SessionView & { created: boolean }>

type PartnerSettings = {
  issuer: string
  audience: string
  /** A scope the token must have; undefined means none is required. */
  scope: string | undefined
  /** The partner's applications that may send people here; empty means any. */
  clientIds: string[]
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']

/** Accepts an access token (RFC 9068) that an OpenID issuer made for us. */
export function partnerSignIn(accounts: Accounts, settings: PartnerSettings): PartnerSignIn {
  const keys = issuerKeys(settings.issuer)
  const { issuer, audience } = settings
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    typ: 'at+jwt',
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  return async (accessToken, device) => {
    const claims = await keys.verify(accessToken, rules)
    // Only ID tokens carry these: they prove a sign-in elsewhere, and were not meant for us.
    if ('nonce' in claims || 'at_hash' in claims) throw badToken()
    checkGrant(claims, settings)
    return signInWith(accounts, identityOf(issuer, claims), { device })
  }
}

function checkGrant(claims: Record<string, unknown>, { scope, clientIds }: PartnerSettings): void {
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : []
  const client = claims.azp ?? claims.client_id
  const known = clientIds.length === 0 || clientIds.some((id) => id === client)
  if (!known || (scope !== undefined && !scopes.includes(scope))) {
    throw new Failure('forbidden', 'The token does not permit signing in here.')
  }
}

function identityOf(
  issuer: string,
  claims: Record<string, unknown> & { sub: string },
): ExternalIdentity {
  return readIdentity(
    { issuer, subject: claims.sub, provider: 'partner' },
    {
      email: claims.email,
      emailVerified: claims.email_verified,
      phone: claims.phone_number,
      phoneVerified: claims.phone_number_verified,
      names: [claims.name, claims.given_name],
      picture: claims.picture,
    },
  )
}
