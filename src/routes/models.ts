import { z } from 'zod'
import { notFound, type Catalog } from '../catalog/catalog.ts'
import { listModels, type ListQuery, type ModelList } from '../catalog/list.ts'
import { PRICE_KEYS, viewModel, type PriceKey } from '../catalog/view.ts'
import { paginationShape } from '../http/docs/openapi-answers.ts'
import { matchesEtag } from '../http/headers.ts'
import { packedAnswer } from '../http/packing.ts'
import { invalidField } from '../lib/failure.ts'
import { route, type Call, type Result, type Route } from '../http/route.ts'
import {
  MAX_LIMIT,
  MAX_OFFSET,
  pagination,
  PUBLIC_PER_MINUTE,
  stamp,
  wholeField,
} from './fields.ts'

/** Which models there are and what they cost. */
export function modelRoutes({ catalog }: { catalog: Catalog }): Route[] {
  const list = (call: Call<undefined, ModelQuery, undefined>) =>
    Promise.resolve(answerList(catalog, call))
  return [
    route({
      method: 'GET',
      path: '/v1/models',
      summary: 'List the available models',
      description:
        'Choose by what a model reads and makes, or by words. Models that cost nothing are listed with `include_free`.',
      tag: 'Models',
      credential: 'key',
      dialect: 'both',
      limit: 'principal',
      query: modelQuery,
      response: z.array(modelShape),
      beside: listMembers,
      honours: 'etag',
      handle: list,
    }),
    route({
      method: 'GET',
      path: '/v1/models/*',
      summary: 'Read a model, by its id or resource id',
      description: 'The slashes of an id may be encoded or not.',
      tag: 'Models',
      credential: 'key',
      dialect: 'both',
      limit: 'principal',
      params: z.object({ '*': z.string() }),
      response: modelShape,
      beside: modelShape.pick(STANDS_AGAIN).shape,
      handle: async ({ params }) => answerModel(catalog, params['*']),
    }),
    route({
      method: 'GET',
      path: '/v1/catalog',
      summary: 'Read the public price list',
      description:
        'The list of models for everybody. With `fields`, only these members of each model. Compressed where the client reads br or gzip.',
      tag: 'Models',
      credential: 'none',
      dialect: 'both',
      limit: 'principal',
      perMinute: PUBLIC_PER_MINUTE,
      query: catalogQuery,
      response: z.array(modelShape),
      beside: listMembers,
      honours: 'etag',
      handle: async (call) => answerCatalog(catalog, call),
    }),
  ]
}

const words = z
  .string()
  .max(500)
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  )

const modelQuery = z.object({
  output_modalities: words.meta({
    description: 'Only models that make all of these, such as `text,image`',
  }),
  input_modalities: words.meta({ description: 'Only models that read all of these' }),
  supported_parameters: words.meta({ description: 'Only models that know all of these' }),
  q: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'Words to look for in ids, names and descriptions' }),
  include_free: z
    .enum(['true', 'false', '1', '0'])
    .default('false')
    .meta({ description: 'Whether models that cost nothing are listed too' }),
  // Clients ask for 1,000: what is beyond our limit is cut to it, not refused.
  limit: wholeField(1, Number.MAX_SAFE_INTEGER)
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .optional()
    .meta({ description: 'How many to list. Without it all; of more than 200, the first 200' }),
  offset: wholeField(0, MAX_OFFSET)
    .default(0)
    .meta({ description: 'How many to leave out before them' }),
  after_id: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'The list begins after this model, as clients of Anthropic page' }),
  before_id: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'The list ends before this model; not together with `after_id`' }),
})
type ModelQuery = z.output<typeof modelQuery>
type CatalogQuery = z.output<typeof catalogQuery>

/** Below this a compressed answer is hardly smaller. */
const WORTH_PACKING = 1_000

/** The whole list is read by every visitor on a slow line: compressed once for each state of it. */
async function answerCatalog(
  catalog: Catalog,
  call: Call<undefined, CatalogQuery, undefined>,
): Promise<Result> {
  const list = listModels(catalog.index(), listQuery(call.query, call.query.fields))
  const answer = answerOf(list, call)
  if ('body' in answer) return answer
  const headers = { ...answer.headers, vary: 'Accept-Encoding, Origin' }
  const success = { ...answer, headers }
  if (list.json.length < WORTH_PACKING) return success
  const accepts = call.headers['accept-encoding']
  return (await packedAnswer(list, accepts, () => call.render(success))) ?? success
}

function answerList(catalog: Catalog, call: Call<undefined, ModelQuery, undefined>): Result {
  return answerOf(listModels(catalog.index(), listQuery(call.query, [])), call)
}

function answerOf(list: ModelList, call: Call<undefined, ModelQuery, undefined>): Result {
  const headers = { etag: list.etag, 'cache-control': 'private, no-cache' }
  if (matchesEtag(call.headers['if-none-match'], list.etag)) {
    return { status: 304, headers, body: '' }
  }
  const { limit, offset } = listQuery(call.query, [])
  // The models are kept as text: only the request id is new.
  return {
    dataJson: list.json,
    beside: { object: 'list', has_more: list.hasMore, ...list.ends },
    after: limit === undefined ? undefined : pagination({ limit, offset }, list),
    headers,
  }
}

function listQuery(query: ModelQuery, fields: readonly string[]): ListQuery {
  if (query.after_id !== undefined && query.before_id !== undefined) {
    throw invalidField('before_id', 'must not be sent together with after_id')
  }
  return {
    outputs: query.output_modalities,
    inputs: query.input_modalities,
    parameters: query.supported_parameters,
    text: query.q.trim().toLowerCase().replaceAll(/\s+/g, ' '),
    includeFree: query.include_free === 'true' || query.include_free === '1',
    limit: query.limit,
    offset: query.limit === undefined ? 0 : query.offset,
    after: query.after_id,
    before: query.before_id,
    fields,
  }
}

function answerModel(catalog: Catalog, id: string): Result {
  const found = catalog.find(id)
  if (found === undefined || !found.enabled || found.priced === 'unpriced') throw notFound(id)
  const model = viewModel(found)
  // SDKs read these at the top level; the envelope has its own `data`.
  const names = Object.keys(STANDS_AGAIN) as (keyof typeof STANDS_AGAIN)[]
  return { data: model, beside: Object.fromEntries(names.map((name) => [name, model[name]])) }
}

/** A member of a model, as the OpenAPI document explains it. */
function about<T extends z.ZodType>(schema: T, description: string, example: unknown): T {
  return schema.meta({ description, example })
}

function pricesOf<T extends z.ZodType>(price: T) {
  const prices = PRICE_KEYS.map((key) => [key, price.optional()])
  return z.object(Object.fromEntries(prices) as Record<PriceKey, z.ZodOptional<T>>)
}

function pricesShape<T extends z.ZodType>(price: T) {
  const tier = pricesOf(price).extend({
    above_prompt_tokens: z.int().optional().meta({
      description: 'It applies to calls with a longer prompt, to all of their tokens',
    }),
    utc_start: z.int().optional().meta({ description: 'From this time of the day, HHMM in UTC' }),
    utc_end: z.int().optional().meta({ description: 'Until this time, which may be the next day' }),
    utc_days: z.array(z.int()).optional().meta({ description: 'On these days; Sunday is 0' }),
  })
  return pricesOf(price).extend({
    tiers: z.array(tier).optional().meta({
      description:
        'Other prices for longer prompts, or at other hours. Where several apply, a later one wins for each price that it names',
    }),
  })
}

const ALWAYS_NULL = 'Always null, for clients of Anthropic'

const modelShape = z
  .object({
    id: about(z.string(), 'What `model` is set to in a call', 'sim/hekima'),
    object: about(z.literal('model'), 'Always `model`', 'model'),
    type: about(z.literal('model'), 'The same, for clients of Anthropic', 'model'),
    display_name: about(z.string(), 'The name, for clients of Anthropic', 'Hekima'),
    created_at: about(
      stamp,
      'Since when it is offered, for clients of Anthropic',
      '2026-01-31T08:00:00.000Z',
    ),
    lifecycle: about(z.literal('active'), 'Always `active`, for clients of Anthropic', 'active'),
    capabilities: about(z.null(), ALWAYS_NULL, null),
    line: about(z.null(), ALWAYS_NULL, null),
    deprecated_at: about(z.null(), ALWAYS_NULL, null),
    retires_at: about(z.null(), ALWAYS_NULL, null),
    max_input_tokens: about(
      z.int().nullable(),
      'The same as `context_length`, for clients of Anthropic',
      128_000,
    ),
    max_tokens: about(
      z.int().nullable(),
      'The same as `max_output_tokens`, for clients of Anthropic',
      8_192,
    ),
    created: about(z.int(), 'Since when it is offered, in Unix seconds', 1_769_846_400),
    owned_by: about(z.string(), 'The first part of its id', 'sim'),
    resource_id: about(
      z.uuid(),
      'Another id, which has no slashes',
      '01900000-0000-7000-8000-000000000001',
    ),
    name: about(z.string(), 'For people', 'Hekima'),
    description: about(z.string().optional(), 'For people', 'Understands Kiswahili well.'),
    context_length: about(
      z.int().optional(),
      'How many tokens the prompt and the answer may have together',
      128_000,
    ),
    max_output_tokens: about(z.int().optional(), 'How many tokens an answer may have', 8_192),
    input_modalities: about(z.array(z.string()), 'What it reads', ['text', 'image']),
    output_modalities: about(z.array(z.string()), 'What it makes', ['text']),
    supported_parameters: about(z.array(z.string()), 'The parameters that it knows', [
      'max_tokens',
      'temperature',
      'tools',
    ]),
    supported_voices: about(z.array(z.string()).optional(), 'The voices it speaks with', ['asha']),
    supported_durations: about(
      z.array(z.number()).optional(),
      'Seconds that a video may have; a submission with another `duration` is refused, and likewise for the next three',
      [4, 8],
    ),
    supported_resolutions: about(z.array(z.string()).optional(), 'Of videos', ['720p', '1080p']),
    supported_aspect_ratios: about(z.array(z.string()).optional(), 'Of videos', ['16:9', '9:16']),
    supported_sizes: about(z.array(z.string()).optional(), 'Of videos', ['1280x720']),
    pricing: about(
      pricesShape(z.string()),
      'What you pay in US dollars per token, picture, second or request, as exact decimals. A kind of token that is not named costs what `prompt` or `completion` does',
      {
        prompt: '0.0000025',
        completion: '0.00001',
        tiers: [{ above_prompt_tokens: 200_000, prompt: '0.000005', completion: '0.00002' }],
      },
    ),
    pricing_credits: about(pricesShape(z.number()), 'The same in credits', {
      prompt: 0.0075,
      completion: 0.03,
      tiers: [{ above_prompt_tokens: 200_000, prompt: 0.015, completion: 0.06 }],
    }),
    is_free: about(z.boolean(), 'Whether calls cost nothing', false),
  })
  .meta({ id: 'Model' })

/** What SDKs read at the top level, beside `data`. */
const STANDS_AGAIN = {
  id: true,
  object: true,
  created: true,
  owned_by: true,
  type: true,
  display_name: true,
  created_at: true,
  lifecycle: true,
  capabilities: true,
  line: true,
  deprecated_at: true,
  retires_at: true,
  max_input_tokens: true,
  max_tokens: true,
} as const

const listMembers = {
  object: z.literal('list'),
  has_more: z
    .boolean()
    .meta({ description: 'Whether there are models after the last of these', example: false }),
  first_id: z.string().nullable().meta({ example: 'sim/hekima' }),
  last_id: z.string().nullable().meta({ example: 'sim/sauti' }),
  pagination: paginationShape.optional().meta({ description: 'With `limit`' }),
}

const FIELDS = new Set(Object.keys(modelShape.shape))
const catalogQuery = modelQuery.extend({
  fields: words
    .refine(
      (names) => names.every((name) => FIELDS.has(name)),
      'must name members of a model, such as id,name,pricing_credits',
    )
    // Sorted, so that the same names in another order share one cached list.
    .transform((names) => [...new Set(names)].sort())
    .meta({
      description:
        'Names of members, with commas between: all others are left out of each model, also those that are otherwise always there',
    }),
})
