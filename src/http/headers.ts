import type { IncomingMessage } from 'node:http'

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
  'Request-Id',
  'Anthropic-Ratelimit-Requests-Limit',
  'Anthropic-Ratelimit-Requests-Remaining',
  'Anthropic-Ratelimit-Requests-Reset',
].join(', ')
const PREFLIGHT_KEPT_S = '7200'

/** Only pages of the configured front end may read answers. Credentials travel as bearer tokens. */
export function originHeaders(
  origin: string,
  { headers }: IncomingMessage,
): Record<string, string> {
  if (headers.origin !== origin) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': READABLE,
  }
}

/** The answer to a browser that asks, before a request of another origin, whether it may send it. */
export function allowPreflight(
  origin: string | undefined,
  allow: string,
  request: IncomingMessage,
): Record<string, string> {
  if (origin === undefined || request.headers.origin !== origin) return {}
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

const HEADER_NAME = /^[\w-]{1,100}$/

/** Whether `If-None-Match` names what the caller would get: `*`, or its tag, weak or strong. */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  const strong = etag.replace(/^W\//, '')
  const tags = [header ?? []].flat().flatMap((line) => line.split(','))
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === strong)
}
