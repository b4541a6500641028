import { decodeProtectedHeader } from 'jose'
import type { JWTPayload } from 'jose'
import { Failure } from '../../lib/failure.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { Accounts } from '../accounts.ts'
import { spendToken } from './attempts-store.ts'
import { readIdentity } from './identity.ts'
import type { ExternalIdentity } from './identity.ts'
import { badToken, issuerKeys, tokenHash } from './issuer-keys.ts'
import { signInWith, type Entered } from './linking.ts'
import type { Device } from '../sessions/sessions.ts'

export type PartnerSignIn = (accessToken: string, device: Device) => Promise<Entered>

type PartnerSettings = {
  issuer: string
  audience: string
  /** A scope the token must have; undefined means none is required. */
  scope: string | undefined
  /** The partner's applications that may send people here; empty means any. */
  clientIds: string[]
  /** What the header of a token may call it. */
  types: PartnerTokenType[]
}

type PartnerTokenType = 'at+jwt' | 'JWT'

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']

const TOLERANCE_S = 5
/** Ten years. A later end would be no date for the database. */
const LONGEST_LIFE_S = 315_360_000

/** Accepts an access token (RFC 9068, or a plain JWT) that an OpenID issuer made for us, once. */
export function partnerSignIn(accounts: Accounts, settings: PartnerSettings): PartnerSignIn {
  const keys = issuerKeys(settings.issuer)
  const { issuer, audience } = settings
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  return async (accessToken, device) => {
    const claims = await keys.verify(accessToken, rules)
    if (!isAccessToken(accessToken, claims, settings.types)) throw badToken()
    checkGrant(claims, settings)
    return signInWith(accounts, identityOf(issuer, claims), {
      device,
      async first(tx) {
        const lifeS = Math.min(claims.exp! - Date.now() / 1000, LONGEST_LIFE_S) + 2 * TOLERANCE_S
        if (!(await spendToken(tx, nameOf(issuer, accessToken, claims), lifeS))) throw badToken()
      },
    })
  }
}

/**
 * A plain JWT does not say what it is for. ID tokens and logout tokens prove something elsewhere and
 * were not meant for us: they are known by claims that an access token lacks.
 */
function isAccessToken(token: string, claims: JWTPayload, types: PartnerTokenType[]): boolean {
  const name = decodeProtectedHeader(token)
    .typ?.toLowerCase()
    .replace(/^application\//, '')
  const known = types.some((type) => type.toLowerCase() === name)
  const kind = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : 'bearer'
  return known && kind === 'bearer' && FOREIGN_CLAIMS.every((claim) => !(claim in claims))
}

const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']

function nameOf(issuer: string, token: string, { jti }: JWTPayload): Buffer {
  return typeof jti === 'string' ? sha256(`${issuer}\n${jti}`) : tokenHash(token)
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
