import type { FastifyReply, FastifyRequest } from 'fastify'

const READABLE = [
  'X-Request-Id',
  'X-Credits-Charged',
  'X-Credits-Remaining',
  'X-Generation-Id',
  'Idempotency-Replayed',
  'Retry-After',
  'ETag',
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
].join(', ')
const SENDABLE = 'Authorization, Content-Type, Idempotency-Key, If-None-Match'
const PREFLIGHT_KEPT_S = '7200'

/** Only pages of the configured front end may read answers. Credentials travel as bearer tokens. */
export function allowOrigin(origin: string, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin')
  if (request.headers.origin !== origin) return
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', READABLE)
}

/** What a browser asks before it sends the request proper. */
export function allowPreflight(
  origin: string | undefined,
  allow: string,
  request: FastifyRequest,
): Record<string, string> {
  if (origin === undefined || request.headers.origin !== origin) return {}
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': SENDABLE,
    'access-control-max-age': PREFLIGHT_KEPT_S,
  }
}
