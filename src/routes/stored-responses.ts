import { z } from 'zod'
import type { Responses } from '../gateway/responses/responses.ts'
import { followResponse } from '../gateway/responses/background/follow.ts'
import { readResponse, removeResponse } from '../gateway/responses/background/show.ts'
import { listInputItems } from '../gateway/responses/stored/stored-responses.ts'
import { route, type Route } from '../http/route.ts'
import { wholeField } from './fields.ts'

export const responseShape = z.looseObject({
  id: z.string().meta({ example: 'resp_8fKq2mZp4TnW9xLc7RbYvH3s' }),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullish(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })).meta({
    example: [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Karibu! Nikusaidie nini leo?', annotations: [] }],
      },
    ],
  }),
})

export const responseEvent = z.looseObject({
  type: z.string().meta({ example: 'response.output_text.delta' }),
  sequence_number: z.int().meta({ example: 4 }),
  delta: z.unknown().meta({ example: 'Karibu!' }),
})

export const RESPONSE_LIMIT_BYTES = 14_500_000

/** What a response is made from. */
export const responsePrompt = z.looseObject({
  model: z.string().min(1).max(256),
  input: z
    .union([z.string(), z.array(z.unknown())], 'must be a string or an array of items')
    .nullish()
    .meta({
      description: 'A text, or items in the format of OpenAI, in order',
      example: 'Habari ya asubuhi!',
    }),
  instructions: z.string().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  tools: z.array(z.unknown()).max(1_000).nullish(),
  text: z.looseObject({}).nullish(),
  reasoning: z.looseObject({}).nullish(),
  prompt_cache_key: z.string().max(1_024).nullish(),
  previous_response_id: z.string().max(256).nullish(),
})

export const responseParams = z.object({ response_id: z.string().regex(/^resp_[0-9A-Za-z]{24}$/) })

const deleted = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
})

const itemList = z.object({
  object: z.literal('list'),
  data: z
    .array(z.looseObject({ type: z.string() }))
    .meta({ example: [{ type: 'message', role: 'user', content: 'Habari ya asubuhi!' }] }),
  first_id: z.string().nullable().meta({ example: 'msg_1' }),
  last_id: z.string().nullable().meta({ example: 'msg_1' }),
  has_more: z.boolean().meta({ example: false }),
})

const MOST_ITEMS = 100

const itemQuery = z.object({
  limit: wholeField(1, MOST_ITEMS).default(20).meta({ description: 'How many to list' }),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({ description: 'First to last, or last to first' }),
  after: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'The id of the item after which the list begins' }),
})

const texts = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .meta({ description: 'What is left out unless it is named: `reasoning.encrypted_content`' })
/** SDKs send a list as `include[]`. */
const showQuery = z.object({
  include: texts,
  'include[]': texts,
  stream: z.string().optional().meta({
    description:
      'With `true` its events, from the first or after `starting_after`, and as they come: of a response that was created with `background` and `stream`',
  }),
  starting_after: wholeField(0, 1_000_000_000)
    .optional()
    .meta({ description: 'The `sequence_number` of the last event that you have' }),
})

export const responseRoute = {
  tag: 'Text',
  credential: 'either',
  dialect: 'compatible',
  limit: 'principal',
} as const

export function storedResponseRoutes(responses: Responses): Route[] {
  const { db } = responses
  return [
    route({
      ...responseRoute,
      method: 'GET',
      path: '/v1/responses/:response_id',
      summary: 'Read a stored response',
      description:
        'A response is stored unless `store: false` was sent, for as long as the service keeps it.',
      params: responseParams,
      query: showQuery,
      response: responseShape,
      events: responseEvent,
      refuses: ['invalid'],
      async handle({ params: { response_id: id }, query, principal }) {
        const { accountId } = principal
        const { starting_after: after = -1 } = query
        const encrypted = [query.include, query['include[]']].flat().includes(ENCRYPTED)
        const response = await readResponse(db, { accountId, id, encrypted })
        if (query.stream !== 'true') return { data: response }
        return followResponse(responses, { principal }, { accountId, id, from: after + 1 })
      },
    }),
    route({
      ...responseRoute,
      method: 'DELETE',
      path: '/v1/responses/:response_id',
      summary: 'Delete a stored response',
      description:
        'It can no longer be read or continued. One that still runs in the background is cancelled.',
      params: responseParams,
      response: deleted,
      handle: async ({ params: { response_id: id }, principal: { accountId } }) => ({
        data: await removeResponse(db, { accountId, id }),
      }),
    }),
    route({
      ...responseRoute,
      method: 'GET',
      path: '/v1/responses/:response_id/input_items',
      summary: 'List what was sent for a stored response',
      description: 'The items of its input, the last one first unless `order` says otherwise.',
      params: responseParams,
      query: itemQuery,
      response: itemList,
      handle: async ({ params: { response_id: id }, query, principal: { accountId } }) => ({
        data: await listInputItems(db, { accountId, id }, query),
      }),
    }),
  ]
}

const ENCRYPTED = 'reasoning.encrypted_content'
