import { errors, importJWK, jwtVerify, SignJWT } from 'jose'
import type { CryptoKey, JWTHeaderParameters } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { hmacSha256, safeEqual } from '../../lib/secrets.ts'
import type { KeyList } from '../../lib/secrets.ts'
import { ACCESS_LIFE_S, loadSigningKeys } from './signing-keys.ts'
import type { PublicJwk } from './signing-keys-store.ts'

type AccessClaims = { accountId: string; sessionId: string }

export type Signer = {
  sign(claims: AccessClaims & { role: string }): Promise<string>
  /** The claims of a token of ours; `expired` when that is the only thing wrong with it. */
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
  const firstSeen = new Map<string, number>()
  let keys = await loadSigningKeys({ ...parts, firstSeen })
  let loadedAt = clock.now().getTime()
  const seen = new LRUCache<string, AccessClaims & { expiresAt: number }>({ max: 10_000 })

  async function reload(): Promise<void> {
    if (clock.now().getTime() - loadedAt < RELOAD_MS) return
    loadedAt = clock.now().getTime()
    keys = await loadSigningKeys({ ...parts, firstSeen })
  }

  const valid = () => keys.all.filter((key) => key.untilMs > clock.now().getTime())

  /** A key made by another replica is unknown here until a token first names it. */
  async function keyFor({ kid }: JWTHeaderParameters): Promise<CryptoKey | Uint8Array> {
    if (!keys.all.some(({ jwk }) => jwk.kid === kid)) await reload()
    const key = valid().find(({ jwk }) => jwk.kid === kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    return importJWK(key.jwk, 'ES256')
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
      const { payload, protectedHeader } = await jwtVerify(token, keyFor, {
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
      const key = keys.all.find(({ jwk }) => jwk.kid === protectedHeader.kid)
      // A forger who knows a retired key may write any expiry into a token.
      const expiresAt = Math.min(exp! * 1000, key?.untilMs ?? 0)
      seen.set(token, { ...claims, expiresAt })
      return claims
    } catch (error) {
      // A token that does not verify is an ordinary answer; any other error is our own fault.
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
      return valid().map(({ jwk }) => jwk)
    },
  }
}

const RELOAD_MS = 10_000

/** `mlr_` + session id (16 bytes), counter (4), HMAC over both and the session's salt (24). */
const REFRESH_TOKEN = /^mlr_([A-Za-z0-9_-]{59})$/

export type RefreshToken = { sessionId: string; counter: number; text: string }

export function writeRefreshToken(
  key: Buffer,
  session: { id: string; counter: number; salt: Uint8Array },
): string {
  const head = Buffer.alloc(20)
  head.write(session.id.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(session.counter, 16)
  const mac = hmacSha256(key, head, Buffer.from(session.salt)).subarray(0, 24)
  return `mlr_${Buffer.concat([head, mac]).toString('base64url')}`
}

/** What the token claims: to be believed only once `isOurRefreshToken` has checked it. */
export function readRefreshToken(text: string): RefreshToken | undefined {
  const parts = REFRESH_TOKEN.exec(text)
  if (!parts) return undefined
  const bytes = Buffer.from(parts[1]!, 'base64url')
  const hex = bytes.toString('hex', 0, 16)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter: bytes.readUInt32BE(16), text }
}

export function isOurRefreshToken(keys: KeyList, token: RefreshToken, salt: Uint8Array): boolean {
  const session = { id: token.sessionId, counter: token.counter, salt }
  return keys.some((key) => safeEqual(writeRefreshToken(key, session), token.text))
}
