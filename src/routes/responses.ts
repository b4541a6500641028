import { z } from 'zod'
import type { ResponsesBody } from '../gateway/responses/request/body.ts'
import { createResponse, type Responses } from '../gateway/responses/create.ts'
import { deleteResponse, listInputItems, showResponse } from '../gateway/responses/kept/kept.ts'
import { route, type Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { wholeField } from './fields.ts'

const BODY_LIMIT_BYTES = 14_500_000

/** Only what the gateway reads; clients send more with every release, and that is dropped. */
const body = z.looseObject({
  model: z.string().min(1).max(256),
  input: z
    .union([z.string(), z.array(z.unknown())], 'must be a string or an array of items')
    .nullish()
    .meta({ description: 'A text, or items in the format of OpenAI, in order' }),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  tools: z.array(z.unknown()).max(1_000).nullish(),
  text: z.looseObject({}).nullish(),
  reasoning: z.looseObject({}).nullish(),
  include: z.array(z.string().max(256)).max(100).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  prompt_cache_key: z.string().max(1_024).nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().max(256).nullish(),
  stream: z.boolean().nullish(),
}) satisfies z.ZodType<ResponsesBody>

const response = z.looseObject({
  id: z.string().meta({ example: 'resp_…' }),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['completed', 'incomplete']),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
})

const params = z.object({ response_id: z.string().regex(/^resp_[0-9A-Za-z]{24}$/) })

const deleted = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
})

const itemList = z.object({
  object: z.literal('list'),
  data: z.array(z.looseObject({ type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

const MOST_ITEMS = 100

const itemQuery = z.object({
  limit: wholeField(1, MOST_ITEMS).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(256).optional(),
})

const texts = z.union([z.string(), z.array(z.string())]).optional()
/** SDKs write the name of a list with brackets. */
const showQuery = z.object({ include: texts, 'include[]': texts, stream: z.string().optional() })

const shared = {
  tag: 'Text',
  credential: 'either',
  dialect: 'compatible',
  limit: 'principal',
} as const

export function responseRoutes(responses: Responses): Route[] {
  const { db } = responses
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/responses',
      summary: 'Create a response, streamed or whole',
      paid: true,
      replay: (sent: ResponsesBody) => sent.stream !== true,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body,
      response,
      handle: (call) => createResponse(responses, call, call.body),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/responses/:response_id',
      summary: 'Read a response that is kept',
      params,
      query: showQuery,
      response,
      async handle({ params: { response_id: id }, query, principal: { accountId } }) {
        if (query.stream === 'true') throw notStreamed()
        const encrypted = [query.include, query['include[]']].flat().includes(ENCRYPTED)
        return { data: await showResponse(db, { accountId, id, encrypted }) }
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/responses/:response_id',
      summary: 'Delete a response that is kept',
      params,
      response: deleted,
      handle: async ({ params: { response_id: id }, principal: { accountId } }) => ({
        data: await deleteResponse(db, { accountId, id }),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/responses/:response_id/input_items',
      summary: 'List what was sent for a response that is kept',
      params,
      query: itemQuery,
      response: itemList,
      handle: async ({ params: { response_id: id }, query, principal: { accountId } }) => ({
        data: await listInputItems(db, { accountId, id }, query),
      }),
    }),
  ]
}

const ENCRYPTED = 'reasoning.encrypted_content'

function notStreamed(): Failure {
  return new Failure('invalid', 'stream: a response that is kept is not streamed again.', {
    param: 'stream',
    code: 'unsupported_parameter',
  })
}
