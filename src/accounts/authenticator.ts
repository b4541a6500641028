import { Failure } from '../lib/failure.ts'
import type { Principal } from './principal.ts'
import type { Accounts } from './accounts.ts'
import { KEY_PREFIX } from './credentials/credential-caches.ts'
import type { KeyHolder } from './credentials/key-holders-store.ts'

/**
 * Turns an `Authorization` header, or a key in `X-Api-Key`, into a principal, or ends the request
 * with 401. A cached key needs no promise, because every request passes here.
 */
export function createAuthenticator(accounts: Pick<Accounts, 'apiKeys' | 'sessions' | 'signer'>): {
  identify(authorization: string | undefined, apiKey?: string): Principal | Promise<Principal>
} {
  return {
    identify(authorization, apiKey) {
      const token = credentialOf(bearerOf(authorization), apiKey)
      if (token === undefined) throw refused()
      return isOurs(token) ? byKey(accounts, token) : byToken(accounts, token)
    },
  }
}

/**
 * Some clients send both headers, one of them meant for another service: ours is recognised by its
 * prefix. Two different ones of ours are refused, since it is not clear which account pays.
 */
function credentialOf(bearer: string | undefined, apiKey: string | undefined): string | undefined {
  if (apiKey === undefined || !isOurs(apiKey)) return bearer
  if (bearer !== undefined && isOurs(bearer) && bearer !== apiKey) return undefined
  return apiKey
}

function isOurs(credential: string): boolean {
  return credential.startsWith(KEY_PREFIX)
}

/** The token of a well-formed bearer header, else undefined. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1]
}

function byKey(accounts: Pick<Accounts, 'apiKeys'>, key: string): Principal | Promise<Principal> {
  const holder = accounts.apiKeys.find(key)
  return holder instanceof Promise ? holder.then(keyPrincipal) : keyPrincipal(holder)
}

function keyPrincipal(holder: KeyHolder | undefined): Principal {
  if (!holder) throw refused({ madeUp: true })
  const { accountId, keyId, workspaceId } = holder
  return { kind: 'key', accountId, keyId, workspaceId }
}

async function byToken(
  accounts: Pick<Accounts, 'sessions' | 'signer'>,
  token: string,
): Promise<Principal> {
  const claims = await accounts.signer.verify(token)
  if (claims === undefined) throw refused({ madeUp: true })
  if (claims === 'expired') throw refused({ code: 'token_expired' })
  const holder = await accounts.sessions.find(claims.sessionId)
  if (!holder || holder.accountId !== claims.accountId) throw refused()
  const { accountId, role } = holder
  return { kind: 'jwt', accountId, sessionId: claims.sessionId, role }
}

/** One sentence, whatever is wrong with a credential: it must not help anyone to guess. */
function refused({ code = 'invalid_api_key', madeUp = false } = {}): Failure {
  const sentence = 'The bearer token is missing, invalid or expired.'
  return new Failure('unauthorized', sentence, { code, madeUp })
}
