import { z } from 'zod'
import { readLastTrouble, readMinutes } from '../../activity/upstream-minutes-store.ts'
import { upstreamFigures, type UpstreamFigures } from '../../activity/upstream-minutes.ts'
import { operatorActor } from '../../operators/actor.ts'
import { drainUpstream, undrainUpstream } from '../../operators/drains.ts'
import { listDrains, type Drain } from '../../operators/drains-store.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import type { Upstreams } from '../../upstream/work.ts'
import { momentField, stamp } from '../fields.ts'
import { acting, reading, reasonField } from './shared.ts'

type Deps = { db: Db; clock: Clock; upstreams: Upstreams }

/** The health of upstreams, now and before, and draining them. */
export function upstreamRoutes(deps: Deps): Route[] {
  return [listRoute(deps), minutesRoute(deps), drainRoute(deps), undrainRoute(deps)]
}

const figures = {
  calls: z.int(),
  errors: z.int(),
  p50_ms: z.int().optional(),
  p95_ms: z.int().optional(),
}

const upstreamShape = z.object({
  name: z.string(),
  type: z.string(),
  priority: z.number(),
  weight: z.number(),
  margin: z.string(),
  state: z
    .enum(['up', 'degraded', 'down', 'drained'])
    .meta({ description: '`degraded`: some of its models fail. As the answering process sees it' }),
  since: stamp.optional().meta({ description: 'Absent when nothing else is known' }),
  key_trouble: z
    .enum(['key_refused', 'out_of_money', 'forbidden'])
    .optional()
    .meta({ description: 'What it has against our account there' }),
  drained: z.object({ at: stamp, by: z.string(), reason: z.string().optional() }).optional(),
  last_hour: z.object(figures),
  troubles: z.array(z.object({ why: z.string(), model: z.string().optional(), since: stamp })),
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function listRoute({ db, clock, upstreams }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/upstreams',
    summary:
      'List the upstreams: their state and since when, what is wrong, and the attempts of the last ' +
      'hour in all processes, written once a minute. Times are those of attempts that succeeded, to ' +
      'the whole answer or the first event of a stream',
    response: z.array(upstreamShape),
    async handle() {
      const to = clock.now()
      const from = new Date(to.getTime() - HOUR_MS)
      const minutes = await readMinutes(db, { upstream: undefined, from, to })
      const known: Known = {
        troubles: Map.groupBy(upstreams.problems(), (one) => one.upstream),
        drains: new Map((await listDrains(db)).map((one) => [one.upstream, one])),
        lastTrouble: await readLastTrouble(db),
      }
      const data = upstreams.list.map((upstream) => ({
        ...showUpstream(upstream, known),
        last_hour: showFigures(
          upstreamFigures(minutes.filter((one) => one.upstream === upstream.name)),
        ),
      }))
      return { data }
    },
  })
}

type Known = {
  troubles: Map<string, ReturnType<Upstreams['problems']>>
  drains: Map<string, Drain>
  lastTrouble: Map<string, Date>
}

function showUpstream(
  { name, type, priority, weight, margin }: Upstreams['list'][number],
  { troubles, drains, lastTrouble }: Known,
): Omit<z.infer<typeof upstreamShape>, 'last_hour'> {
  const mine = troubles.get(name) ?? []
  const drain = drains.get(name)
  const down = mine.filter((one) => one.model === undefined)
  const worst = down.length > 0 ? down : mine
  const keyTrouble = mine.find(({ why }) => why !== 'unreachable' && why !== 'circuit_open')?.why
  const troubledAt = lastTrouble.get(name)
  const upSince = troubledAt && new Date(troubledAt.getTime() + MINUTE_MS)
  const oldest = worst.map((one) => one.since).sort((a, b) => a.getTime() - b.getTime())[0]
  return {
    name,
    type,
    priority,
    weight,
    margin,
    state: drain ? 'drained' : down.length > 0 ? 'down' : mine.length > 0 ? 'degraded' : 'up',
    since: (drain?.at ?? oldest ?? upSince)?.toISOString(),
    key_trouble: keyTrouble as z.infer<typeof upstreamShape>['key_trouble'],
    drained: drain && {
      at: drain.at.toISOString(),
      by: drain.operator,
      reason: drain.reason ?? undefined,
    },
    troubles: mine.map(({ why, model, since }) => ({ why, model, since: since.toISOString() })),
  }
}

function showFigures({ calls, errors, p50Ms, p95Ms }: UpstreamFigures) {
  return { calls, errors, p50_ms: p50Ms, p95_ms: p95Ms }
}

const MOST_HOURS = 24
const USUAL_HOURS = 3

function minutesRoute({ db, clock, upstreams }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/upstreams/:name/minutes',
    summary:
      'Read an upstream minute by minute, oldest first, without those in which nothing happened: ' +
      `the last ${USUAL_HOURS} hours by default, ${MOST_HOURS} at most. Kept for 30 days`,
    params: z.object({ name: z.string() }),
    query: z.object({ from: momentField.optional(), to: momentField.optional() }),
    response: z.array(z.object({ at: stamp, ...figures, troubled: z.boolean() })),
    async handle({ params, query }) {
      const name = requireUpstream(upstreams, params.name)
      const to = query.to ?? clock.now()
      const from = query.from ?? new Date(to.getTime() - USUAL_HOURS * HOUR_MS)
      const lengthMs = to.getTime() - from.getTime()
      if (lengthMs <= 0 || lengthMs > MOST_HOURS * HOUR_MS) {
        throw invalidField('from', `must be before to, and at most ${MOST_HOURS} hours`)
      }
      const minutes = await readMinutes(db, { upstream: name, from, to })
      const data = minutes.map((one) => ({
        at: one.at.toISOString(),
        ...showFigures(upstreamFigures([one])),
        troubled: one.troubled > 0,
      }))
      return { data }
    },
  })
}

const drainedShape = z.object({ name: z.string(), drained: z.boolean() })

function drainRoute({ db, upstreams }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/upstreams/:name/drain',
    summary:
      'Begin nothing more at an upstream, in every process, until it is undrained: what runs there ' +
      'ends by itself. Models that nobody else offers answer 503',
    params: z.object({ name: z.string() }),
    body: z.object({ reason: reasonField }),
    response: drainedShape,
    async handle(call) {
      const upstream = requireUpstream(upstreams, call.params.name)
      await drainUpstream(db, operatorActor(call), { upstream, reason: call.body.reason })
      return { data: { name: upstream, drained: true } }
    },
  })
}

function undrainRoute({ db, upstreams }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'DELETE',
    path: '/v1/operator/upstreams/:name/drain',
    summary: 'Use an upstream again, in every process',
    params: z.object({ name: z.string() }),
    body: z.object({ reason: reasonField }),
    response: drainedShape,
    async handle(call) {
      const upstream = call.params.name
      const wish = { upstream, reason: call.body.reason }
      // One that has been taken out of the file meanwhile can still be undrained.
      const done = await undrainUpstream(db, operatorActor(call), wish)
      if (!done) requireUpstream(upstreams, upstream)
      return { data: { name: upstream, drained: false } }
    },
  })
}

function requireUpstream(upstreams: Upstreams, name: string): string {
  if (upstreams.list.some((one) => one.name === name)) return name
  throw new Failure('not_found', 'There is no such upstream.')
}
