import { z } from 'zod'
import { findActivity } from '../activity/period.ts'
import { ACTIVITY_KINDS, ACTIVITY_STATUSES, type ActivityRecord } from '../activity/record.ts'
import { type ActivitySummary, PERIODS, summarizeActivity } from '../activity/summary-store.ts'
import { creditsNumber } from '../ledger/money.ts'
import type { Db } from '../db/db.ts'
import { route, type Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { activityFilter, activityReportRoutes, filterOf } from './console/activity-reports.ts'
import { pageQuery, pagination, stamp } from './fields.ts'

type Deps = { db: Db; clock: Clock; timeZone: string }

export function activityRoutes(deps: Deps): Route[] {
  return [listRoute(deps), summaryRoute(deps), ...activityReportRoutes(deps)]
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
