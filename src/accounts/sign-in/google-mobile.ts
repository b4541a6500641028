import { decodeProtectedHeader } from 'jose'
import { safeEqual, sha256 } from '../../lib/secrets.ts'
import type { Accounts } from '../accounts.ts'
import { spendToken } from './attempts-store.ts'
import { googleIdentity } from './google.ts'
import { badToken, issuerKeys } from './issuer-keys.ts'
import { enterSession } from './linking.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'

export type MobileSignIn = (
  given: { idToken: string; nonce: string | undefined },
  device: Device,
) => Promise<SessionView & { created: boolean }>

const LONGEST_AGE_S = 600
const TOLERANCE_S = 5

/** Native Android: an ID token that the phone got for one of our audiences, used once, while young. */
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
    return enterSession(accounts, googleIdentity(settings.issuer, claims), {
      device,
      async first(tx) {
        const lifeS = LONGEST_AGE_S + 2 * TOLERANCE_S
        if (!(await spendToken(tx, spentName(idToken), lifeS))) throw badToken()
      },
    })
  }
}

/** An access token of the same issuer must not pass for an ID token; nor one for several readers. */
function isIdToken(token: string, claims: { aud?: string | string[] }): boolean {
  const { typ } = decodeProtectedHeader(token)
  return (typ === undefined || typ.toUpperCase() === 'JWT') && [claims.aud].flat().length === 1
}

/** Asked for, it must be there, as it is or hashed; there, it must have been asked for. */
function sameNonce(inToken: unknown, given: string | undefined): boolean {
  if (inToken === undefined) return given === undefined
  if (typeof inToken !== 'string' || given === undefined) return false
  return safeEqual(inToken, given) || safeEqual(inToken, sha256(given).toString('hex'))
}

/** The signed part only: another spelling of the signature is still the same token. */
function spentName(token: string): Buffer {
  return sha256(token.split('.').slice(0, 2).join('.'))
}
