import { z } from 'zod'
import { csvOf } from '../../activity/csv.ts'
import { type DailySums, sumDaily } from '../../activity/daily.ts'
import { type PeriodQuery, periodOf } from '../../activity/period.ts'
import { GROUPINGS, type PeriodFilter, type Sums } from '../../activity/period-store.ts'
import { ACTIVITY_KINDS, ACTIVITY_STATUSES } from '../../activity/record.ts'
import { creditsNumber, creditsText } from '../../ledger/money.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { isDay, isTimeZone } from '../../lib/days.ts'
import { momentField } from '../fields.ts'

type Deps = { db: Db; clock: Clock; timeZone: string }

export function activityReportRoutes(deps: Deps): Route[] {
  return [dailyRoute(deps), csvRoute(deps)]
}

const id = z.guid('must be a UUID').toLowerCase().optional()

const A_DAY_OR_MOMENT = 'must be a day such as 2026-01-31, or an RFC 3339 time'
const dayOrMoment = z
  .string()
  .max(64, A_DAY_OR_MOMENT)
  .refine(
    (text) => /^2[01]/.test(text) && (isDay(text) || momentField.safeParse(text).success),
    A_DAY_OR_MOMENT,
  )
  .optional()

/** The same for the list, the sums and the CSV: they select the same records. */
export const activityFilter = {
  from: dayOrMoment.meta({ description: 'The first day of the zone, or the first instant' }),
  to: dayOrMoment.meta({ description: 'The last day of the zone, or the instant after the last' }),
  zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone such as Africa/Nairobi')
    .optional()
    .meta({ description: 'Whose days these are. Default: that of the service' }),
  workspace_id: id.meta({ description: 'Only calls of this workspace' }),
  key_id: id.meta({ description: 'Only calls with this API key' }),
  request_id: z.string().min(1).max(64).optional().meta({ description: 'Only this request' }),
  kind: z.enum(ACTIVITY_KINDS).optional().meta({ description: 'Only calls of this kind' }),
  model: z.string().min(1).max(256).optional().meta({ description: 'Only calls to this model' }),
  status: z
    .enum(ACTIVITY_STATUSES)
    .optional()
    .meta({ description: 'Only calls that ended like this' }),
}
const filterQuery = z.object(activityFilter)

export function filterOf(
  query: z.output<typeof filterQuery>,
  about: { accountId: string; timeZone: string },
): PeriodQuery {
  const { workspace_id: workspaceId, key_id: keyId, request_id: requestId } = query
  const { from, to, kind, model, status, zone = about.timeZone } = query
  const { accountId } = about
  return { accountId, from, to, zone, kind, model, status, workspaceId, keyId, requestId }
}

const shared = {
  method: 'GET',
  tag: 'Activity',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

const USUAL_DAYS = 14

function dailyRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    ...shared,
    path: '/v1/activity/daily',
    summary: 'Read the sums of each day',
    description:
      'As the time zone counts days, of the records that the list shows with the same filters; with `group`, also by model, key, kind or workspace. 14 days unless you say otherwise, at most 93.',
    // Sums read every record of the period.
    perMinute: 60,
    query: filterQuery.extend({
      group: z.enum(GROUPINGS).optional().meta({ description: 'Sums of each of these besides' }),
    }),
    response: dailyShape,
    async handle({ principal, query }) {
      const filter = filterOf(query, { accountId: principal.accountId, timeZone })
      const period = periodOf(filter, clock.now(), USUAL_DAYS)
      const { zone } = filter
      const sums = await sumDaily(db, period, { zone, group: query.group })
      return { data: showDaily(sums, { zone, period, grouped: query.group !== undefined }) }
    },
  })
}

function csvRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    ...shared,
    path: '/v1/activity.csv',
    summary: 'Download the usage records as CSV',
    description:
      'The records that the list shows with the same filters, newest first, at most 93 days.',
    perMinute: 10,
    query: filterQuery,
    answerType: 'text/csv; charset=utf-8',
    response: z.string().meta({
      example: 'time,kind,model,status\r\n2026-01-31 11:00:00,chat,sim/hekima,completed\r\n',
    }),
    async handle({ principal, query }) {
      const filter = filterOf(query, { accountId: principal.accountId, timeZone })
      const period = periodOf(filter, clock.now())
      return {
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="mlango-activity.csv"',
        },
        body: csvOf(db, period, { zone: filter.zone, credits: creditsText }),
      }
    },
  })
}

const count = z.int().nonnegative()
const sumsShape = z.object({ requests: count, total_tokens: count, cost_credits: z.number() })
const groupsShape = z.array(sumsShape.extend({ id: z.string().nullable() })).optional()

const dailyShape = z.object({
  zone: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  total: sumsShape,
  days: z.array(sumsShape.extend({ day: z.iso.date(), groups: groupsShape })),
  groups: groupsShape.meta({ description: 'The dearest 50 of the period, the dearest first' }),
})

function showDaily(
  { total, days, groups }: DailySums,
  about: { zone: string; period: PeriodFilter; grouped: boolean },
): z.infer<typeof dailyShape> {
  const { zone, period, grouped } = about
  const named = (sums: Sums & { id: string | null }) => ({ id: sums.id, ...showSums(sums) })
  return {
    zone,
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    total: showSums(total),
    days: days.map((day) => ({
      day: day.day,
      ...showSums(day),
      groups: grouped ? day.groups.map(named) : undefined,
    })),
    groups: grouped ? groups.map(named) : undefined,
  }
}

function showSums({ requests, tokens, costMicro }: Sums): z.infer<typeof sumsShape> {
  return {
    requests: Number(requests),
    total_tokens: Number(tokens),
    cost_credits: creditsNumber(costMicro),
  }
}
