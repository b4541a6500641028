import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { tellWebhooks } from './events.ts'
import { noteOutage } from './outages-store.ts'

/** As a process sees it; with a model, only that one has a problem. */
type Problem = { upstream: string; model?: string; why: string; since: Date }

const EVERY_MS = 5_000

/**
 * Sends an event when an upstream does not answer or refuses our account, once per outage. An outage
 * is over when no process has seen it for five minutes. Costs no query while all is well.
 */
export function outageWatch({ db, problems }: { db: Db; problems(): Problem[] }): BackgroundJob {
  return {
    name: 'upstream-outages',
    everyMs: EVERY_MS,
    async run() {
      const whole = problems().filter(({ model }) => model === undefined)
      for (const [upstream, [first]] of Map.groupBy(whole, (one) => one.upstream)) {
        const { why, since } = first!
        await db.begin(async (tx) => {
          if (!(await noteOutage(tx, { upstream, why, since }))) return
          const data = { upstream, why, since: since.toISOString() }
          await tellWebhooks(tx, { type: 'upstream.down', data })
        })
      }
    },
  }
}
