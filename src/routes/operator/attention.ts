import { z } from 'zod'
import { readMatters } from '../../operators/business/attention-store.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Upstreams } from '../../upstream/work.ts'
import { stamp } from '../fields.ts'
import { reading } from './shared.ts'

type Deps = { db: Db; upstreams: Upstreams }

/** What needs a person now. */
export function attentionRoute({ db, upstreams }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/attention',
    summary: 'List what needs a person now, by kind, with how many there are and since when',
    response: z.array(z.object({ kind: z.string(), count: z.int(), oldest_at: stamp })),
    async handle() {
      const waiting = await readMatters(db)
      const troubles = upstreams.problems()
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
