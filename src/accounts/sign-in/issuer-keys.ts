import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { request } from 'undici'
import { z } from 'zod'
import { Failure } from '../../lib/failure.ts'
import { cappedFetch, readCappedJson } from '../../lib/http-json.ts'
import { isTrustedAddress } from '../../lib/party-address.ts'
import { sha256 } from '../../lib/secrets.ts'
import { hourly, providerUnavailable } from './identity-provider.ts'

/** Checks a token against the keys that its issuer publishes. */
export type IssuerKeys = {
  /** Throws `unauthorized` for a bad token, `unavailable` when the keys cannot be fetched. */
  verify(token: string, rules: JWTVerifyOptions): Promise<JWTPayload & { sub: string }>
}

const TIMEOUT_MS = 5_000
const LARGEST_DOCUMENT_BYTES = 256 * 1024

/** Keys come from the configured issuer only: nothing in a token decides where to fetch them. */
export function issuerKeys(issuer: string): IssuerKeys {
  const keys = hourly(() => discoverKeys(issuer))
  return {
    async verify(token, rules) {
      try {
        const getKey: JWTVerifyGetKey = async (header, jws) =>
          reachable(() => keys().then((find) => find(header, jws)))
        const { payload } = await jwtVerify(token, getKey, { clockTolerance: 5, ...rules })
        return { ...payload, sub: requireSubject(payload) }
      } catch (error) {
        if (error instanceof Failure) throw error
        throw badToken(error)
      }
    },
  }
}

export function badToken(cause?: unknown): Failure {
  return new Failure('unauthorized', 'The token is not valid.', { cause })
}

/** Hash of the signed part only: a signature can be encoded in more than one way. */
export function tokenHash(token: string): Buffer {
  return sha256(token.split('.').slice(0, 2).join('.'))
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const base = issuer.replace(/\/+$/, '')
  const response = await request(`${base}/.well-known/openid-configuration`, {
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const document = z.object({ issuer: z.string(), jwks_uri: z.url() })
  const { issuer: named, jwks_uri } = document.parse(
    await readCappedJson(response.body, LARGEST_DOCUMENT_BYTES),
  )
  if (named !== base && named !== `${base}/`) throw new Error('another issuer')
  if (!isTrustedAddress(jwks_uri)) throw new Error('keys over http')
  return createRemoteJWKSet(new URL(jwks_uri), {
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: cappedFetch,
  })
}

/** A key that does not exist is the token's fault; keys that cannot be fetched are not. */
async function reachable<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof errors.JOSEError && TOKENS_FAULT.has(error.code)) throw error
    throw providerUnavailable(error)
  }
}

const TOKENS_FAULT = new Set([
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JWS_INVALID',
])

function requireSubject({ sub }: JWTPayload): string {
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) throw badToken()
  return sub
}
