import { z } from 'zod'
import type { ZodOpenApiResponsesObject } from 'zod-openapi'
import { planOf, type Dialect, type Route } from '../route.ts'

/** The errors a route can answer with, in the shape of its dialect. */
export function failureAnswers(route: Route): ZodOpenApiResponsesObject {
  const answers: ZodOpenApiResponsesObject = {}
  for (const status of statusesOf(route)) {
    answers[status] = {
      description: DESCRIPTIONS[status]!,
      content: { 'application/json': { schema: SHAPES[route.dialect] } },
    }
  }
  return answers
}

const credits = {
  available: z.number().optional().meta({ description: 'With a 402: the credits that are there' }),
  needed: z.number().optional().meta({ description: 'With a 402: the credits to begin with' }),
}

const compatible = z
  .object({
    message: z.string(),
    type: z.string().meta({ example: 'invalid_request_error' }),
    param: z.string().nullable(),
    code: z.string().nullable(),
    ...credits,
  })
  .meta({ id: 'CompatibleErrorObject' })

const envelope = {
  status: z.literal('error'),
  code: z.int().meta({ description: 'The HTTP status' }),
  error_code: z
    .string()
    .meta({ description: 'Stable, for programs to check', example: 'validation_error' }),
  message: z.string().meta({ description: 'For people; names the field that is wrong, if one is' }),
  request_id: z.string(),
  ...credits,
}

const SHAPES: Record<Dialect, z.ZodType> = {
  compatible: z.object({ error: compatible }).meta({ id: 'CompatibleError' }),
  envelope: z.object(envelope).meta({ id: 'ErrorEnvelope' }),
  both: z.object({ ...envelope, error: compatible }).meta({ id: 'ErrorEnvelopeWithObject' }),
  messages: z
    .object({
      type: z.literal('error'),
      error: z.object({
        type: z.string(),
        message: z.string(),
        code: z.string().optional(),
        ...credits,
      }),
      request_id: z.string(),
    })
    .meta({ id: 'MessagesError' }),
}

type Status = `${4 | 5}${number}`

const DESCRIPTIONS: Record<Status, string> = {
  '400': 'The request is not valid; the message names the field',
  '401': 'The credential is missing, unknown, revoked or expired',
  '402': 'Not enough credits',
  '403': 'The credential does not allow this',
  '404': 'There is no such resource, or it is not yours',
  '408': 'The request body arrived too slowly',
  '409': 'The request conflicts with existing data, or the Idempotency-Key is in use',
  '413': 'The request body is too large for this route',
  '429': 'Too many requests; see Retry-After',
  '500': 'An error on our side',
  '502': 'The model could not be reached, or did not accept the request',
  '503': 'Temporarily unavailable; see Retry-After',
  '529': 'Temporarily unavailable; see Retry-After',
}

function statusesOf(route: Route): Status[] {
  const { bodyKind } = planOf(route)
  const guarded = route.credential !== 'none'
  const paid = route.paid === true
  const found: [Status, boolean][] = [
    ['400', true],
    ['401', guarded],
    ['402', paid],
    ['403', guarded],
    ['404', paid || /[:*]/.test(route.path)],
    ['408', bodyKind !== 'none'],
    ['409', route.replay !== undefined && route.replay !== false],
    ['413', bodyKind !== 'none'],
    ['429', route.limit !== 'none'],
    ['500', true],
    ['502', paid],
    ['503', route.dialect !== 'messages'],
    ['529', route.dialect === 'messages'],
  ]
  return found.filter(([, there]) => there).map(([status]) => status)
}
