import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { planOf, type Route } from '../route.ts'
import { failureShapes } from './openapi-errors.ts'
import { everyAnswersHeaders, goodAnswersHeaders, headersNamed } from './openapi-headers.ts'

/** The good answers of a route by status: its own, a part of it, and "you have it already". */
export function goodAnswers(route: Route): Record<string, ZodOpenApiResponseObject> {
  const { successStatus } = planOf(route)
  const statuses = [successStatus]
  if (route.honours === 'range') statuses.push(206)
  if (route.honours === 'etag') statuses.push(304)
  return Object.fromEntries(statuses.map((status) => [status, answerWith(route, status)]))
}

function answerWith(route: Route, status: number): ZodOpenApiResponseObject {
  const names = [...everyAnswersHeaders(route), ...goodAnswersHeaders(route, status)]
  const answer = { description: GOOD[status]!, headers: headersNamed(names) }
  return status < 300 ? { ...answer, content: contentOf(route) } : answer
}

const GOOD: Record<number, string> = {
  200: 'Success',
  201: 'It was created',
  202: 'It was accepted, and is being worked on',
  206: 'The part of the bytes that was asked for',
  302: 'The browser is sent on',
  304: 'Nothing has changed since the answer with this ETag',
}

type Content = NonNullable<ZodOpenApiResponseObject['content']>

function contentOf(route: Route): Content {
  const types = [route.answerType ?? []].flat()
  const schema = route.response ?? { type: 'string', format: 'binary' }
  const content: Content = Object.fromEntries(types.map((type) => [type, { schema }]))
  if (types.length === 0) content['application/json'] = { schema: wholeAnswer(route) }
  if (route.events) content['text/event-stream'] = { schema: eventOf(route, route.events) }
  return content
}

/** An answer that has begun can only fail inside. */
function eventOf({ dialect }: Route, events: z.ZodType): z.ZodType {
  return z.union([events, failureShapes[dialect]]).meta({
    description: 'Server-sent events: the data of each is one of these',
  })
}

function wholeAnswer(route: Route): z.ZodType {
  const { dialect, response = z.unknown(), beside = {} } = route
  if (route.bare === true || dialect === 'compatible' || dialect === 'messages') return response
  return z.object({
    status: z.literal('success'),
    code: z.literal(planOf(route).successStatus),
    ...(isPaged(route) ? { pagination: paginationShape } : {}),
    ...beside,
    data: response,
    request_id: z.string(),
  })
}

/** A list that can be paged through says where the page is. */
function isPaged({ query, response }: Route): boolean {
  return response instanceof z.ZodArray && query instanceof z.ZodObject && 'offset' in query.shape
}

export const paginationShape = z
  .object({ limit: z.int(), offset: z.int(), total: z.int(), has_more: z.boolean() })
  .meta({ id: 'Pagination' })
