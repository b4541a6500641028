import type { ZodOpenApiComponentsObject } from 'zod-openapi'
import { planOf, type Route } from '../route.ts'

type Text = { description: string; example: string; required?: true }

/** What a caller may read in the headers of an answer. All are text; some are on every answer. */
const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request. Quote it when you ask for help',
    example: 'req_8fKq2mZp4TnW9xLc7RbYvH3s',
    required: true,
  },
  'Request-Id': {
    description: 'The same id, as Anthropic names it',
    example: 'req_8fKq2mZp4TnW9xLc7RbYvH3s',
  },
  'Retry-After': { description: 'Seconds to wait before the next try', example: '2' },
  'X-Should-Retry': {
    description: '`false` where the same request would only be refused again',
    example: 'false',
  },
  'WWW-Authenticate': { description: 'How to authenticate', example: 'Bearer' },
  'Idempotency-Replayed': {
    description:
      '`true` where this is the answer to an earlier request with the same Idempotency-Key',
    example: 'true',
  },
  'X-Credits-Charged': { description: 'The credits that the call cost', example: '0.0123' },
  'X-Credits-Remaining': {
    description: 'The credits available after the call',
    example: '99.9877',
  },
  'X-Generation-Id': {
    description: 'The id of the answer at the model, for support',
    example: 'gen-1730000000-abc',
  },
  'X-Ignored-Parameters': {
    description: 'The fields of the request that the model was not given',
    example: 'service_tier, messages[].audio',
  },
  'RateLimit-Policy': {
    description: 'The requests (`q`) allowed in so many seconds (`w`)',
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'The requests left (`r`), and the seconds (`t`) until all, or one, are allowed',
    example: '"default";r=599;t=60',
  },
  'X-RateLimit-Limit-Requests': { description: 'The requests allowed in a minute', example: '600' },
  'X-RateLimit-Remaining-Requests': {
    description: 'The requests left in this minute',
    example: '599',
  },
  'X-RateLimit-Reset-Requests': { description: 'When all are allowed again', example: '1s' },
  'Anthropic-Ratelimit-Requests-Limit': {
    description: 'The requests allowed in a minute',
    example: '600',
  },
  'Anthropic-Ratelimit-Requests-Remaining': {
    description: 'The requests left in this minute',
    example: '599',
  },
  'Anthropic-Ratelimit-Requests-Reset': {
    description: 'When all are allowed again',
    example: '2026-01-31T08:00:01.000Z',
  },
  ETag: { description: 'Names this state of the answer, for `If-None-Match`', example: '"Zk3vQ0"' },
  Location: {
    description: 'Where the browser goes next',
    example: 'https://app.example/auth/callback',
  },
  'Content-Range': { description: 'Which bytes these are', example: 'bytes 0-999/52000' },
  'Accept-Ranges': { description: '`bytes` where a part may be asked for', example: 'bytes' },
} as const satisfies Record<string, Text>

export type HeaderName = keyof typeof HEADERS

/** For `components`: each header once. */
export function headerComponents(): NonNullable<ZodOpenApiComponentsObject['headers']> {
  return Object.fromEntries(
    Object.entries<Text>(HEADERS).map(([name, { description, example, required = false }]) => [
      name,
      { description, required, schema: { type: 'string' as const }, example },
    ]),
  )
}

export function headersNamed(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** On every answer of a route, good or bad. */
export function everyAnswersHeaders(route: Route): HeaderName[] {
  const isMessages = route.dialect === 'messages'
  const own: HeaderName[] = ['X-Request-Id', 'Request-Id']
  if (!planOf(route).sendsLimits) return own
  return [...own, 'RateLimit-Policy', 'RateLimit', ...(isMessages ? MESSAGES_LIMITS : LIMITS)]
}

const LIMITS: HeaderName[] = [
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
]
const MESSAGES_LIMITS: HeaderName[] = [
  'Anthropic-Ratelimit-Requests-Limit',
  'Anthropic-Ratelimit-Requests-Remaining',
  'Anthropic-Ratelimit-Requests-Reset',
]

/** On good answers besides. */
export function goodAnswersHeaders({ replay, paid, honours }: Route, status: number): HeaderName[] {
  const found: [boolean, HeaderName[]][] = [
    [replay !== undefined && replay !== false, ['Idempotency-Replayed']],
    // What is only accepted has neither been charged nor sent to a model yet.
    [
      paid === true && status === 200,
      ['X-Credits-Charged', 'X-Credits-Remaining', 'X-Generation-Id', 'X-Ignored-Parameters'],
    ],
    [honours === 'etag', ['ETag']],
    [honours === 'range', ['Accept-Ranges']],
    [status === 206, ['Content-Range']],
    [status === 302, ['Location']],
  ]
  return found.filter(([there]) => there).flatMap(([, names]) => names)
}
