import { z } from 'zod'
import { findActivity, recordsOfCall } from '../activity/period.ts'
import {
  ACTIVITY_KINDS,
  ACTIVITY_STATUSES,
  type ActivityKind,
  type ActivityRecord,
} from '../activity/record.ts'
import { type ActivitySummary, PERIODS, summarizeActivity } from '../activity/summary-store.ts'
import { creditsNumber } from '../ledger/money.ts'
import type { Db } from '../db/db.ts'
import { route, type Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { requestOf } from '../lib/ids.ts'
import { activityFilter, activityReportRoutes, filterOf } from './console/activity-reports.ts'
import { pageQuery, pagination, stamp } from './fields.ts'

type Deps = { db: Db; clock: Clock; timeZone: string }

export function activityRoutes(deps: Deps): Route[] {
  return [listRoute(deps), summaryRoute(deps), generationRoute(deps), ...activityReportRoutes(deps)]
}

export const recordsQuery = z.object({
  ...pageQuery,
  ...activityFilter,
  before: z
    .guid('must be a UUID')
    .toLowerCase()
    .optional()
    .meta({ description: 'The id of a record: only older ones' }),
})

function listRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/activity',
    summary: 'List the usage records of the account, newest first',
    description:
      'With `before`, the id of a record, only older records are listed, so that pages do not shift while new ones arrive. With `from`, `to`, `kind`, `key_id` or `request_id` at most 93 days are looked through, the last ones by default.',
    tag: 'Activity',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    query: recordsQuery,
    response: z.array(recordShape),
    beside: { period: periodShape },
    async handle(call) {
      const { accountId } = call.principal
      const filter = filterOf(call.query, { accountId, timeZone })
      const page = await findActivity(db, filter, { ...call.query, now: clock.now() })
      const beside = { ...pagination(call.query, page), period: page.period }
      return { data: page.records.map(showRecord), beside }
    },
  })
}

const summaryQuery = z.object({
  period: z
    .enum(PERIODS)
    .default('month')
    .meta({ description: 'Of which the current one is summed up' }),
})

function summaryRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/activity/summary',
    summary:
      'Read the totals of the current day, week (from Monday), month or year, overall and by model',
    description: 'As the time zone of the service counts days.',
    tag: 'Activity',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    query: summaryQuery,
    response: summaryShape,
    async handle(call) {
      const { accountId } = call.principal
      const { period } = call.query
      const at = clock.now()
      return { data: showSummary(await summarizeActivity(db, { accountId, period, at, timeZone })) }
    },
  })
}

const count = z.number().int().nonnegative()

const ANSWER_ID = /^[a-z]{2,10}[_-][0-9A-Za-z]{24}$/

const generationQuery = z.object({
  id: z.string().max(64).regex(ANSWER_ID, 'must be the id of an answer or of a request').meta({
    description:
      'The id in an answer (`chatcmpl-…`, `cmpl-…`, `msg_…`, `gen_…`, `anl_…`), or `X-Request-Id`',
    example: 'chatcmpl-8fKq2mZp4TnW9xLc7RbYvH3s',
  }),
})

/** A key reads of its own calls only, as it may do with nothing else of the account. */
function generationRoute({ db, clock }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/generation',
    summary: 'Read what one call used and cost, by the id of its answer',
    description:
      'As with OpenRouter, in credits of this service; null where nothing is known. Calls of the last 93 days; with an API key only those that it made. Several stages of one call are added up.',
    tag: 'Activity',
    credential: 'either',
    dialect: 'envelope',
    limit: 'principal',
    query: generationQuery,
    response: generationShape,
    refuses: ['not_found'],
    async handle({ principal, query: { id } }) {
      const keyId = principal.kind === 'key' ? principal.keyId : undefined
      const call = { accountId: principal.accountId, keyId, requestId: requestOf(id) }
      const records = await recordsOfCall(db, { ...call, now: clock.now() })
      if (records.length === 0) throw new Failure('not_found', 'There is no such call.')
      return { data: showCall(id, records) }
    },
  })
}

export const periodShape = z
  .object({ from: stamp, to: stamp })
  .optional()
  .meta({ description: 'What was looked through, where a filter asks for it' })

export const recordShape = z.object({
  id: z.uuid(),
  workspace_id: z.uuid().optional(),
  key_id: z.uuid().optional(),
  request_id: z.string(),
  kind: z.enum(ACTIVITY_KINDS),
  model: z.string(),
  prompt_tokens: count.optional(),
  completion_tokens: count.optional(),
  total_tokens: count.optional(),
  cost_credits: z.number(),
  latency_ms: count,
  status: z.enum(ACTIVITY_STATUSES),
  error_code: z
    .string()
    .optional()
    .meta({ description: 'The code that the caller got', example: 'upstream_error' }),
  estimated: z.boolean(),
  created_at: z.iso.datetime(),
})

/** Lists what is shown: the operator's losses are not. */
export function showRecord(record: ActivityRecord): z.infer<typeof recordShape> {
  return {
    id: record.id,
    workspace_id: record.workspaceId,
    key_id: record.keyId,
    request_id: record.requestId,
    kind: record.kind,
    model: record.model,
    prompt_tokens: record.promptTokens,
    completion_tokens: record.completionTokens,
    total_tokens: record.totalTokens,
    cost_credits: creditsNumber(record.costMicro),
    latency_ms: record.latencyMs,
    status: record.status,
    error_code: record.errorCode,
    estimated: record.estimated,
    created_at: record.createdAt.toISOString(),
  }
}

const totals = { total_tokens: count, total_cost_credits: z.number() }

const summaryShape = z.object({
  total_requests: count,
  ...totals,
  period_start: z.iso.datetime(),
  period_end: z.iso.datetime(),
  by_model: z.array(z.object({ model: z.string(), request_count: count, ...totals })),
})

function showSummary(summary: ActivitySummary): z.infer<typeof summaryShape> {
  return {
    total_requests: Number(summary.requests),
    total_tokens: Number(summary.tokens),
    total_cost_credits: creditsNumber(summary.costMicro),
    period_start: summary.startsAt.toISOString(),
    period_end: summary.endsAt.toISOString(),
    by_model: summary.byModel.map((sum) => ({
      model: sum.model,
      request_count: Number(sum.requests),
      total_tokens: Number(sum.tokens),
      total_cost_credits: creditsNumber(sum.costMicro),
    })),
  }
}

/** As OpenRouter names them. */
const API_TYPES = {
  chat: 'completions',
  embeddings: 'embeddings',
  transcription: 'stt',
  speech: 'tts',
  voice_transcription: 'stt',
  voice_text: 'completions',
  voice_speech: 'tts',
  image: 'image',
  video: 'video',
  document_analysis: 'completions',
  vision_analysis: 'completions',
  video_analysis: 'completions',
} as const satisfies Record<ActivityKind, string>

/** Members that OpenRouter's SDK wants to see, and of which no record is kept. */
const UNKNOWN = [
  'app_id',
  'cache_discount',
  'external_user',
  'finish_reason',
  'http_referer',
  'latency',
  'moderation_latency',
  'native_finish_reason',
  'native_tokens_cached',
  'native_tokens_completion_images',
  'native_tokens_reasoning',
  'num_fetches',
  'num_input_audio_prompt',
  'num_media_completion',
  'num_media_prompt',
  'num_search_results',
  'preset_id',
  'provider_name',
  'provider_responses',
  'router',
  'service_tier',
  'streamed',
  'upstream_id',
  'upstream_inference_cost',
  'user_agent',
  'web_search_engine',
] as const

const known = {
  count: count.nullable(),
  text: z.string().nullable(),
}

const generationShape = z.object({
  id: z.string(),
  request_id: z.string(),
  model: z.string(),
  created_at: z.iso.datetime(),
  workspace_id: z.uuid().nullable(),
  api_type: z.enum(['completions', 'embeddings', 'stt', 'tts', 'image', 'video']),
  status: z.enum(ACTIVITY_STATUSES),
  cancelled: z.boolean(),
  total_cost: z.number().meta({ description: 'Credits that were charged' }),
  usage: z.number().meta({ description: 'The same' }),
  tokens_prompt: known.count,
  tokens_completion: known.count,
  native_tokens_prompt: known.count,
  native_tokens_completion: known.count,
  generation_time: count.meta({ description: 'Milliseconds to the last word' }),
  error_code: known.text,
  estimated: z.boolean(),
  is_byok: z.literal(false),
  origin: z.literal(''),
  data_region: z.literal('global'),
  ...Object.fromEntries(UNKNOWN.map((name) => [name, z.null().meta({ example: null })])),
})

/** The newest record is the last stage, which says how the call ended. */
function showCall(id: string, records: ActivityRecord[]): z.infer<typeof generationShape> {
  const last = records[0]!
  const sum = (of: (record: ActivityRecord) => number) =>
    records.reduce((all, record) => all + of(record), 0)
  const tokens = (name: 'promptTokens' | 'completionTokens') =>
    records.every((record) => record[name] === undefined) ? null : sum((one) => one[name] ?? 0)
  const cost = creditsNumber(records.reduce((all, { costMicro }) => all + costMicro, 0n))
  const [prompt, completion] = [tokens('promptTokens'), tokens('completionTokens')]
  return {
    id,
    request_id: last.requestId,
    model: last.model,
    created_at: last.createdAt.toISOString(),
    workspace_id: last.workspaceId ?? null,
    api_type: API_TYPES[last.kind],
    status: last.status,
    cancelled: last.status === 'cancelled',
    total_cost: cost,
    usage: cost,
    tokens_prompt: prompt,
    tokens_completion: completion,
    native_tokens_prompt: prompt,
    native_tokens_completion: completion,
    generation_time: sum(({ latencyMs }) => latencyMs),
    error_code: last.errorCode ?? null,
    estimated: records.some(({ estimated }) => estimated),
    is_byok: false,
    origin: '',
    data_region: 'global',
    ...Object.fromEntries(UNKNOWN.map((name) => [name, null])),
  }
}
