import { decodeProtectedHeader } from 'jose'
import { safeEqual, sha256 } from '../../lib/secrets.ts'
import type { Accounts } from '../accounts.ts'
import { spendToken } from './attempts-store.ts'
import { googleIdentity } from './google.ts'
import { badToken, issuerKeys, tokenHash } from './issuer-keys.ts'
import { signInWith, type Entered } from './linking.ts'
import type { Device } from '../sessions/sessions.ts'

export type MobileSignIn = (
  body: { idToken: string; nonce: string | undefined },
  device: Device,
) => Promise<Entered>

const LONGEST_AGE_S = 600
const TOLERANCE_S = 5

/** Native Android: a recent ID token that the phone got for one of our audiences; it works once. */
export function googleMobile(
  accounts: Accounts,
  settings: { issuer: string; audiences: string[] },
): MobileSignIn {
  const keys = issuerKeys(settings.issuer)
  const rules = {
    // The older tokens of this issuer name it without its scheme.
    issuer: [settings.issuer, settings.issuer.replace(/^https:\/\//, '')],
    audience: settings.audiences,
    algorithms: ['RS256'],
    maxTokenAge: LONGEST_AGE_S,
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  return async ({ idToken, nonce }, device) => {
    const claims = await keys.verify(idToken, rules)
    if (!isIdToken(idToken, claims) || !sameNonce(claims.nonce, nonce)) throw badToken()
    return signInWith(accounts, googleIdentity(settings.issuer, claims), {
      device,
      async first(tx) {
        const lifeS = LONGEST_AGE_S + 2 * TOLERANCE_S
        if (!(await spendToken(tx, tokenHash(idToken), lifeS))) throw badToken()
      },
    })
  }
}

/** Not an access token of the same issuer, and not a token for several audiences. */
function isIdToken(token: string, claims: { aud?: string | string[] }): boolean {
  const { typ } = decodeProtectedHeader(token)
  return (typ === undefined || typ.toUpperCase() === 'JWT') && [claims.aud].flat().length === 1
}

/** A requested nonce must be in the token, plain or hashed; any other must not be there. */
function sameNonce(inToken: unknown, requested: string | undefined): boolean {
  if (inToken === undefined) return requested === undefined
  if (typeof inToken !== 'string' || requested === undefined) return false
  return safeEqual(inToken, requested) || safeEqual(inToken, sha256(requested).toString('hex'))
}
