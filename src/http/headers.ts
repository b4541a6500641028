import type { IncomingMessage } from 'node:http'
import type { Credential } from './route.ts'

/** On every answer. Most are JSON, no page: nothing in them may run, load or be framed. */
export function standardHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(publicUrl?.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}

/** The origins whose pages may call us. */
export type Cors = {
  origins: ReadonlySet<string>
  /** The pages of any other origin may make calls by key, and no others. */
  any: boolean
}

/** Undefined where no page but our own may call us. */
export function corsOf(frontend: string | undefined, listed: readonly string[]): Cors | undefined {
  const origins = new Set(listed.filter((origin) => origin !== '*'))
  if (frontend !== undefined) origins.add(new URL(frontend).origin)
  const any = listed.includes('*')
  return any || origins.size > 0 ? { origins, any } : undefined
}

const READABLE = [
  'X-Request-Id',
  'X-Credits-Charged',
  'X-Credits-Remaining',
  'X-Generation-Id',
  'X-Ignored-Parameters',
  'Idempotency-Replayed',
  'Retry-After',
  'X-Should-Retry',
  'ETag',
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
  'RateLimit',
  'RateLimit-Policy',
  'Request-Id',
  'Anthropic-Ratelimit-Requests-Limit',
  'Anthropic-Ratelimit-Requests-Remaining',
  'Anthropic-Ratelimit-Requests-Reset',
].join(', ')
const PREFLIGHT_KEPT_S = '7200'

/**
 * Whose pages may read an answer. Credentials travel in headers that a page sets itself: no origin is
 * ever allowed the cookies that browsers add.
 */
export function originHeaders(
  cors: Cors,
  credential: Credential,
  { headers }: IncomingMessage,
): Record<string, string> {
  const origin = allowedOrigin(cors, credential, headers.origin)
  if (origin === undefined) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': READABLE,
  }
}

/** Whether a page of this origin may make calls by key. */
export function mayCallByKey(cors: Cors | undefined, origin: string | string[]): boolean {
  if (cors === undefined || typeof origin !== 'string') return false
  return allowedOrigin(cors, 'key', origin) !== undefined
}

function allowedOrigin(
  { origins, any }: Cors,
  credential: Credential,
  origin: string | undefined,
): string | undefined {
  if (origin === undefined) return undefined
  if (origins.has(origin)) return origin
  return any && (credential === 'key' || credential === 'either') ? '*' : undefined
}

/** The answer to a browser that asks, before a request of another origin, whether it may send it. */
export function allowPreflight(
  cors: Cors | undefined,
  { allow, credential }: { allow: string; credential: Credential },
  request: IncomingMessage,
): Record<string, string> {
  if (cors === undefined) return {}
  if (allowedOrigin(cors, credential, request.headers.origin) === undefined) return {}
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': sendable(request),
    'access-control-max-age': PREFLIGHT_KEPT_S,
  }
}

/** Whatever SDKs send, but for the header that makes a session of a cookie: only our pages send it. */
function sendable({ headers }: IncomingMessage): string {
  const asked = [headers['access-control-request-headers'] ?? []].flat().join(',').split(',')
  const names = asked.map((name) => name.trim()).filter((name) => HEADER_NAME.test(name))
  return names.filter((name) => name.toLowerCase() !== 'x-mlango-session').join(', ')
}

/** What a name of a header may have in it, for which a longer list has no room. */
const HEADER_NAME = /^[\w!#$%&'.^`|~+-]{1,100}$/

/** Whether `If-None-Match` names what the caller would get: `*`, or its tag, weak or strong. */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  const strong = etag.replace(/^W\//, '')
  const tags = [header ?? []].flat().flatMap((line) => line.split(','))
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === strong)
}
