import { errors, importJWK, jwtVerify, SignJWT } from 'jose'
import type { CryptoKey, JWTHeaderParameters } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { loadSigningKeys } from './signing-keys.ts'
import type { PublicJwk } from './signing-keys.ts'

export const ACCESS_LIFE_S = 900

type AccessClaims = { accountId: string; sessionId: string }

export type Signer = {
  sign(claims: AccessClaims & { role: string }): Promise<string>
  /** What a token says, if it is ours; `expired` when that is all that is wrong with it. */
  verify(token: string): Promise<AccessClaims | 'expired' | undefined>
  publicKeys(): Promise<PublicJwk[]>
}

/** ES256 access tokens. The keys live in the database, so that replicas share them. */
export async function openSigner(parts: {
  db: Db
  clock: Clock
  log: Log
  issuer: string
  sealingKey: Buffer
}): Promise<Signer> {
  const { clock, issuer } = parts
  let keys = await loadSigningKeys(parts)
  let loadedAt = clock.now().getTime()
  const seen = new LRUCache<string, AccessClaims & { expiresAt: number }>({ max: 10_000 })

  async function reload(): Promise<void> {
    if (clock.now().getTime() - loadedAt < RELOAD_MS) return
    loadedAt = clock.now().getTime()
    keys = await loadSigningKeys(parts)
  }

  /** A key made by another replica is unknown here until it is first met. */
  async function keyFor({ kid }: JWTHeaderParameters): Promise<CryptoKey | Uint8Array> {
    if (!keys.all.some((key) => key.kid === kid)) await reload()
    const jwk = keys.all.find((key) => key.kid === kid)
    if (!jwk) throw new errors.JWKSNoMatchingKey()
    return importJWK(jwk, 'ES256')
  }

  const sign: Signer['sign'] = ({ accountId, sessionId, role }) => {
    const issuedAt = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({ sid: sessionId, role, typ: 'access' })
      .setProtectedHeader({ alg: 'ES256', kid: keys.signing.kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(issuer)
      .setSubject(accountId)
      .setJti(uuidv7())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ACCESS_LIFE_S)
      .sign(keys.signing.privateKey)
  }

  async function check(token: string): Promise<AccessClaims | 'expired' | undefined> {
    try {
      const { payload } = await jwtVerify(token, keyFor, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer,
        audience: issuer,
        currentDate: clock.now(),
        requiredClaims: ['sub', 'sid', 'exp', 'iat', 'jti'],
      })
      const { sub, sid, typ, exp } = payload
      if (typ !== 'access' || typeof sid !== 'string' || sub === undefined) return undefined
      const claims = { accountId: sub, sessionId: sid }
      seen.set(token, { ...claims, expiresAt: exp! * 1000 })
      return claims
    } catch (error) {
      // A token that does not verify is an ordinary answer here; trouble of ours goes on.
      if (error instanceof errors.JWTExpired) return 'expired'
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }

  return {
    sign,
    async verify(token) {
      const known = seen.get(token)
      if (!known) return check(token)
      return known.expiresAt > clock.now().getTime() ? known : 'expired'
    },
    async publicKeys() {
      await reload()
      return keys.all
    },
  }
}

const RELOAD_MS = 10_000
