import { z } from 'zod'
import { notFound, type Catalog } from '../catalog/catalog.ts'
import { listModels, type ListQuery, type ModelList } from '../catalog/list.ts'
import { viewModel } from '../catalog/view.ts'
import { matchesEtag } from '../http/headers.ts'
import { packedAnswer } from '../http/packing.ts'
import { route, type Call, type Result, type Route } from '../http/route.ts'
import { MAX_LIMIT, MAX_OFFSET, pagination, PUBLIC_PER_MINUTE, wholeField } from './fields.ts'

/** Which models there are and what they cost. */
export function modelRoutes({ catalog }: { catalog: Catalog }): Route[] {
  const list = (call: Call<undefined, ModelQuery, undefined>) =>
    Promise.resolve(answerList(catalog, call))
  return [
    route({
      method: 'GET',
      path: '/v1/models',
      summary: 'List the available models',
      tag: 'Models',
      credential: 'key',
      dialect: 'both',
      limit: 'principal',
      query: modelQuery,
      response: z.array(modelShape),
      handle: list,
    }),
    route({
      method: 'GET',
      path: '/v1/models/*',
      summary: 'Read a model, by its id or resource id',
      tag: 'Models',
      credential: 'key',
      dialect: 'both',
      limit: 'principal',
      params: z.object({ '*': z.string() }),
      response: modelShape,
      handle: async ({ params }) => answerModel(catalog, params['*']),
    }),
    route({
      method: 'GET',
      path: '/v1/catalog',
      summary:
        'Read the public price list. With `fields`, only these members of each model; compressed where the client reads br or gzip',
      tag: 'Models',
      credential: 'none',
      dialect: 'both',
      limit: 'principal',
      perMinute: PUBLIC_PER_MINUTE,
      query: catalogQuery,
      response: z.array(modelShape),
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
  output_modalities: words,
  input_modalities: words,
  supported_parameters: words,
  q: z.string().max(200).default(''),
  include_free: z.enum(['true', 'false', '1', '0']).default('false'),
  limit: wholeField(1, MAX_LIMIT).optional(),
  offset: wholeField(0, MAX_OFFSET).default(0),
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
    beside: { object: 'list' },
    after: limit === undefined ? undefined : pagination({ limit, offset }, list),
    headers,
  }
}

function listQuery(query: ModelQuery, fields: readonly string[]): ListQuery {
  return {
    outputs: query.output_modalities,
    inputs: query.input_modalities,
    parameters: query.supported_parameters,
    text: query.q.trim().toLowerCase().replaceAll(/\s+/g, ' '),
    includeFree: query.include_free === 'true' || query.include_free === '1',
    limit: query.limit,
    offset: query.limit === undefined ? 0 : query.offset,
    fields,
  }
}

function answerModel(catalog: Catalog, id: string): Result {
  const found = catalog.find(id)
  if (found === undefined || !found.enabled || found.priced === 'unpriced') throw notFound(id)
  const model = viewModel(found)
  // SDKs read these at the top level; the envelope has its own `data`.
  const { id: bare, object, created, owned_by } = model
  return { data: model, beside: { id: bare, object, created, owned_by } }
}

const modelShape = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    resource_id: z.uuid(),
    name: z.string(),
    description: z.string().optional(),
    context_length: z.int().optional(),
    max_output_tokens: z.int().optional(),
    input_modalities: z.array(z.string()),
    output_modalities: z.array(z.string()),
    supported_parameters: z.array(z.string()),
    supported_voices: z.array(z.string()).optional(),
    pricing: z.record(z.string(), z.string()),
    pricing_credits: z.record(z.string(), z.number()),
    is_free: z.boolean(),
  })
  .meta({ id: 'Model' })

const FIELDS = new Set(Object.keys(modelShape.shape))
const catalogQuery = modelQuery.extend({
  fields: words
    .refine(
      (names) => names.every((name) => FIELDS.has(name)),
      'must name members of a model, such as id,name,pricing_credits',
    )
    // One order, so that the same wish is one list.
    .transform((names) => [...new Set(names)].sort()),
})
