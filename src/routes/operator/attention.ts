import { z } from 'zod'
import { readMatters } from '../../administration/attention-store.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Upstreams } from '../../upstream/work.ts'
import { stamp } from '../fields.ts'
import { reading } from './shared.ts'

type Deps = { db: Db; upstreams: Upstreams }

/** What needs a person now, and how the upstreams are. */
export function attentionRoutes(deps: Deps): Route[] {
  return [attentionRoute(deps), upstreamsRoute(deps)]
}

function attentionRoute({ db, upstreams }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/attention',
    summary: 'List what needs a person now, by kind, with how many there are and since when',
    response: z.array(z.object({ kind: z.string(), count: z.int(), oldest_at: stamp })),
    async handle() {
      const waiting = await readMatters(db)
      const troubles = upstreams.troubles()
      const since = troubles.map((one) => one.since).sort((a, b) => a.getTime() - b.getTime())
      const upstream = since.slice(0, 1).map((oldestAt) => {
        return { kind: 'upstream_trouble', count: troubles.length, oldestAt }
      })
      const data = [...waiting, ...upstream].map(({ kind, count, oldestAt }) => {
        return { kind, count, oldest_at: oldestAt.toISOString() }
      })
      return { data }
    },
  })
}

const upstreamShape = z.object({
  name: z.string(),
  type: z.string(),
  priority: z.number(),
  weight: z.number(),
  margin: z.string(),
  troubles: z.array(z.object({ why: z.string(), model: z.string().optional(), since: stamp })),
})

function upstreamsRoute({ upstreams }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/upstreams',
    summary: 'List the upstreams and what is wrong with them, as the answering process sees it',
    response: z.array(upstreamShape),
    async handle() {
      const troubles = Map.groupBy(upstreams.troubles(), (one) => one.upstream)
      const data = upstreams.list.map(({ name, type, priority, weight, margin }) => ({
        name,
        type,
        priority,
        weight,
        margin,
        troubles: (troubles.get(name) ?? []).map(({ why, model, since }) => {
          return { why, model, since: since.toISOString() }
        }),
      }))
      return { data }
    },
  })
}
