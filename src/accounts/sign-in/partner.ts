import { Failure } from '../../lib/failure.ts'
import type { Accounts } from '../accounts.ts'
import { readIdentity } from './identity.ts'
import type { OutsideIdentity } from './identity.ts'
import { badToken, issuerKeys } from './issuer-keys.ts'
import { enterSession } from './linking.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'

export type PartnerSignIn = (
  accessToken: string,
  device: Device,
) => Promise<SessionView & { created: boolean }>

type Settings = {
  issuer: string
  audience: string
  /** A scope the token must hold; unset, none is asked for. */
  scope: string | undefined
  /** The partner's applications that may send people here; empty: any. */
  clientIds: string[]
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']

/** An access token (RFC 9068) that any OpenID issuer made for us. */
export function partnerSignIn(accounts: Accounts, settings: Settings): PartnerSignIn {
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
    // What only ID tokens carry: one of those proves a visit elsewhere, not a wish to come here.
    if ('nonce' in claims || 'at_hash' in claims) throw badToken()
    checkGrant(claims, settings)
    return enterSession(accounts, identityOf(issuer, claims), { device })
  }
}

function checkGrant(claims: Record<string, unknown>, { scope, clientIds }: Settings): void {
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
): OutsideIdentity {
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
