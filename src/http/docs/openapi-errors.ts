import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import type { FailureKind } from '../../lib/failure.ts'
import { statusOf } from '../dialect.ts'
import { planOf, type Dialect, type Route } from '../route.ts'
import { everyAnswersHeaders, headersNamed, type HeaderName } from './openapi-headers.ts'

/** The errors a route can answer with, by status, in the shape of its dialect. */
export function failureAnswers(route: Route): Record<string, ZodOpenApiResponseObject> {
  const statuses = new Set(kindsOf(route).map((kind) => statusOf(kind, route.dialect)))
  const answers = [...statuses].map((status) => [status, failureAnswer(route, status)] as const)
  return Object.fromEntries([...answers, [431, TOO_LONG]])
}

/** One object for all routes whose answer with this status is the same: the document has it once. */
function failureAnswer(route: Route, status: number): ZodOpenApiResponseObject {
  const id = `${NAMES[route.dialect]}${status}${planOf(route).sendsLimits ? 'Limited' : ''}`
  const made = written.get(id)
  if (made !== undefined) return made
  const answer = {
    id,
    description: DESCRIPTIONS[status]!,
    headers: headersNamed([...everyAnswersHeaders(route), ...(HEADERS[status] ?? [])]),
    content: { 'application/json': { schema: failureShapes[route.dialect] } },
  }
  written.set(id, answer)
  return answer
}

const written = new Map<string, ZodOpenApiResponseObject>()

/** What a call can be refused for follows from what its route is. */
function kindsOf(route: Route): FailureKind[] {
  const { bodyKind } = planOf(route)
  const found: [boolean, FailureKind[]][] = [
    [true, ['invalid', 'internal', 'unavailable']],
    [route.credential !== 'none', ['unauthorized', 'forbidden']],
    [route.limit !== 'none', ['rate_limited']],
    [/[:*]/.test(route.path) || route.credential === 'operator', ['not_found']],
    [bodyKind !== 'none', ['too_slow', 'too_large']],
    [route.replay !== undefined && route.replay !== false, ['idempotency_conflict']],
    [route.paid === true, ['insufficient', 'not_found', 'upstream_failed']],
    [true, [...(route.refuses ?? [])]],
  ]
  return found.filter(([there]) => there).flatMap(([, kinds]) => kinds)
}

const credits = {
  available: z.number().optional().meta({ description: 'With a 402: the credits that are there' }),
  needed: z.number().optional().meta({ description: 'With a 402: the credits to begin with' }),
}

const compatible = z
  .object({
    message: z.string().meta({ example: 'model is required.' }),
    type: z.string().meta({ example: 'invalid_request_error' }),
    param: z.string().nullable().meta({ example: 'model' }),
    code: z.string().nullable().meta({ example: null }),
    ...credits,
    metadata: z
      .object({ error_type: z.string().meta({ example: 'invalid_request_error' }) })
      .optional()
      .meta({ description: 'Where the same request would only be refused again' }),
  })
  .meta({ id: 'CompatibleErrorObject' })

const envelope = {
  status: z.literal('error'),
  code: z.int().meta({ description: 'The HTTP status', example: 400 }),
  error_code: z
    .string()
    .meta({ description: 'Stable, for programs to check', example: 'validation_error' }),
  message: z.string().meta({
    description: 'For people; names the field that is wrong, if one is',
    example: 'limit must be at most 200.',
  }),
  request_id: z.string(),
  ...credits,
}

/** Also the last event of a stream that fails after it began. */
export const failureShapes: Record<Dialect, z.ZodType> = {
  compatible: z.object({ error: compatible }).meta({ id: 'CompatibleError' }),
  envelope: z.object(envelope).meta({ id: 'ErrorEnvelope' }),
  both: z.object({ ...envelope, error: compatible }).meta({ id: 'ErrorEnvelopeWithObject' }),
  messages: z
    .object({
      type: z.literal('error'),
      error: z.object({
        type: z.string().meta({ example: 'invalid_request_error' }),
        message: z.string().meta({ example: 'max_tokens is required.' }),
        code: z.string().optional(),
        ...credits,
      }),
      request_id: z.string(),
    })
    .meta({ id: 'MessagesError' }),
}

/** Refused before the request is read: no route is known yet, whose dialect it could be in. */
const TOO_LONG: ZodOpenApiResponseObject = {
  id: 'Envelope431',
  description: 'The address and the headers are larger than 16 KiB',
  headers: headersNamed(['X-Request-Id']),
  content: { 'application/json': { schema: failureShapes.envelope } },
}

const NAMES: Record<Dialect, string> = {
  compatible: 'Compatible',
  envelope: 'Envelope',
  both: 'Both',
  messages: 'Messages',
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; the message names the field',
  401: 'The credential is missing, unknown, revoked or expired',
  402: 'Not enough credits',
  403: 'The credential does not allow this',
  404: 'There is no such resource, or it is not yours',
  408: 'The request body arrived too slowly',
  409: 'The request conflicts with existing data, or the Idempotency-Key is in use',
  410: 'It is no longer there',
  413: 'The request body is too large for this route',
  429: 'Too many requests; see Retry-After',
  500: 'An error on our side',
  502: 'The model could not be reached, or did not accept the request',
  503: 'Temporarily unavailable; see Retry-After',
  529: 'Temporarily unavailable; see Retry-After',
}

const HEADERS: Record<number, HeaderName[]> = {
  400: ['X-Should-Retry'],
  401: ['WWW-Authenticate', 'X-Should-Retry'],
  402: ['X-Should-Retry'],
  403: ['X-Should-Retry'],
  404: ['X-Should-Retry'],
  409: ['Retry-After', 'X-Should-Retry'],
  410: ['X-Should-Retry'],
  413: ['X-Should-Retry'],
  429: ['Retry-After', 'X-Should-Retry'],
  502: ['X-Should-Retry'],
  503: ['Retry-After'],
  529: ['Retry-After'],
}
