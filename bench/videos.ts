import { setTimeout as sleep } from 'node:timers/promises'
import { startModelSimulator } from '../simulator/models/server.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/database.ts'
import { silentLog } from '../src/lib/log.ts'
import { startTestServer } from '../test/support/local-server.ts'
import { fund, openStudio } from '../test/support/models/videos.ts'

const FEW = 100
const MANY = 1_000
const SUBMIT_S = 75
const WATCH_S = 20

/** A thousand jobs in one process: how often it polls the upstream, and how much memory it needs. */
export const videos = {
  name: 'videos',
  async run() {
    const server = await startTestServer()
    const simulator = await startModelSimulator({ faults: true })
    const db = openDatabase({ url: server.url, poolSize: 10, log: silentLog })
    try {
      await migrate(db, silentLog)
      const accountId = await fund(db, '100000000')
      // The timing of the service.
      const timing = { leaseS: 90, callMs: 60_000, firstPollS: 2, longestPollS: 30 }
      const worker = { timing, perSecond: 20, everyMs: 1_000 }
      const studio = await openStudio({ db, simulators: [simulator], worker, deadlineS: 3_600 })
      const submit = (count: number) =>
        Promise.all(
          Array.from({ length: count }, () =>
            studio.submit(accountId, { model: 'sim/video-fault-video-forever' }),
          ),
        )
      const watch = async () => {
        simulator.log.clear()
        globalThis.gc?.()
        const rss = process.memoryUsage().rss
        await sleep(WATCH_S * 1_000)
        const polls = simulator.log.count({ route: '/videos/{id}' })
        simulator.log.clear()
        return { perS: polls / WATCH_S, rss, grown: process.memoryUsage().rss - rss }
      }
      await submit(FEW)
      studio.begin()
      await sleep((FEW / 20) * 1_000 + 2_000)
      const few = await watch()
      await submit(MANY - FEW)
      await untilProcessing(db, MANY, SUBMIT_S)
      const first = await watch()
      const second = await watch()
      await studio.close()
      const mib = (bytes: number) => bytes / 1024 / 1024
      return [
        { what: `polls, ${FEW} jobs`, value: few.perS, unit: '/s' },
        {
          what: `polls, ${MANY} jobs`,
          value: second.perS,
          unit: '/s (at most 20)',
          // Ten times the jobs must stay within the limit: 20 a second, and a little jitter.
          ratio: { of: 'the limit of 20', value: 21 / Math.max(second.perS, 1), atLeast: 1 },
        },
        { what: 'memory before', value: mib(first.rss), unit: 'MiB' },
        {
          what: `memory after ${WATCH_S} s of polling`,
          value: mib(second.rss + second.grown),
          unit: 'MiB',
          ratio: {
            of: 'memory before',
            value: first.rss / (second.rss + second.grown),
            atLeast: 0.8,
          },
        },
      ]
    } finally {
      await db.close()
      await simulator.close()
      await server.stop()
    }
  },
}

async function untilProcessing(
  db: ReturnType<typeof openDatabase>,
  count: number,
  withinS: number,
) {
  for (let s = 0; s < withinS; s++) {
    const [row] = await db.query<{ n: bigint }>(
      `select count(*) as n from video_jobs where status = 'processing'`,
    )
    if (Number(row!.n) === count) return
    await sleep(1_000)
  }
  throw new Error('The jobs were not started in time.')
}
