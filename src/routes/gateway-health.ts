import { z } from 'zod'
import { type HealthHistory, healthHistory, STEP_S } from '../activity/health-history.ts'
import type { Db } from '../db/db.ts'
import { route, type Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { PUBLIC_PER_MINUTE, stamp } from './fields.ts'

export type GatewayHealth = { healthy: boolean; upstreams_total: number; upstreams_healthy: number }

/** How the upstreams are, in sum: no name, no latency. */
export function gatewayHealthRoutes({ health }: { health: () => GatewayHealth }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/gateway/health',
      summary: 'Read how many upstreams there are, and how many are healthy',
      description: 'In sum only: no names and no times.',
      tag: 'Health',
      credential: 'none',
      dialect: 'envelope',
      limit: 'none',
      response: z.object({
        healthy: z.boolean(),
        upstreams_total: z.int(),
        upstreams_healthy: z.int(),
      }),
      handle: async () => {
        const { healthy, upstreams_total, upstreams_healthy } = health()
        return { data: { healthy, upstreams_total, upstreams_healthy } }
      },
    }),
  ]
}

type HistoryDeps = { db: Db; clock: Clock; timeZone: string; note: string | undefined }

const KEPT_MS = 15_000

/** How the gateway was, from what was recorded. Read at most every 15 s, whoever asks. */
export function healthHistoryRoutes({ db, clock, timeZone, note }: HistoryDeps): Route[] {
  let kept: { untilMs: number; history: Promise<HealthHistory> } | undefined
  const read = () => {
    const now = clock.now()
    if (kept && kept.untilMs > now.getTime()) return kept.history
    const history = healthHistory(db, now, timeZone)
    kept = { untilMs: now.getTime() + KEPT_MS, history }
    // What failed is not kept: the next one asks again.
    history.catch(() => (kept = undefined))
    return history
  }
  return [
    route({
      method: 'GET',
      path: '/v1/gateway/health/history',
      summary: 'Read how the gateway was in the last 24 hours and 90 days',
      description: 'For a status page. What was not recorded is `unknown`.',
      tag: 'Health',
      credential: 'none',
      dialect: 'envelope',
      limit: 'principal',
      perMinute: PUBLIC_PER_MINUTE,
      response: historyShape,
      async handle() {
        const data = showHistory(await read(), { timeZone, note })
        return { data, headers: { 'cache-control': 'public, max-age=30' } }
      },
    }),
  ]
}

const state = z
  .enum(['up', 'degraded', 'down', 'unknown'])
  .meta({ description: 'up: every upstream was healthy; unknown: nothing was recorded' })

const historyShape = z.object({
  note: z.string().optional().meta({ description: "The operator's, for customers" }),
  step_s: z.int(),
  recent: z.array(z.object({ at: stamp, state })),
  time_zone: z.string(),
  days: z.array(z.object({ day: z.iso.date(), state, up_percent: z.number().optional() })),
})

function showHistory(
  { recent, days }: HealthHistory,
  { timeZone, note }: { timeZone: string; note: string | undefined },
): z.infer<typeof historyShape> {
  return {
    note,
    step_s: STEP_S,
    recent: recent.map(({ at, state }) => ({ at: at.toISOString(), state })),
    time_zone: timeZone,
    days: days.map(({ day, state, upPercent }) => ({ day, state, up_percent: upPercent })),
  }
}
