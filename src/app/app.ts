import { createAuthenticator } from '../accounts/authenticator.ts'
import { listPrices } from '../catalog/list.ts'
import { drain } from '../http/drain.ts'
import { buildServer } from '../http/server.ts'
import { gaugesOf } from '../observability/gauges.ts'
import type { Gauges } from '../observability/metrics.ts'
import { allRoutes } from '../routes/index.ts'
import { consolePages } from '../web/console.ts'
import { consoleFolders } from '../web/folders.ts'
import { backgroundJobs } from './background-jobs.ts'
import type { AppInputs } from './inputs.ts'
import { startBackgroundJobs, type RunningJobs } from './job-loop.ts'
import { createReadiness } from './readiness.ts'
import { openRooms, type Rooms } from './rooms.ts'

export type App = AppInputs &
  Pick<Rooms, 'accounts' | 'catalog' | 'catalogSync' | 'payments' | 'upstreams' | 'askModel'> & {
    server: ReturnType<typeof buildServer>
    /** What can only be read off a running app. */
    gauges: Gauges
    /** Starts the background jobs. */
    begin(): void
    /** Drains, ends the background jobs, gives back what this process holds. The inputs stay open. */
    end(): Promise<void>
  }

/** The whole service on open inputs: it listens, begins and ends when it is told to. */
export async function buildApp(inputs: AppInputs): Promise<App> {
  const rooms = await openRooms(inputs)
  const server = openServer(inputs, rooms)
  const { accounts, catalog, catalogSync, payments, upstreams, askModel } = rooms
  let running: RunningJobs | undefined
  return {
    ...inputs,
    accounts,
    catalog,
    catalogSync,
    payments,
    upstreams,
    askModel,
    server,
    gauges: gaugesOf({
      ...rooms,
      db: inputs.db,
      dataDir: inputs.config.DATA_DIR,
      runningCalls: () => server.context.running.count,
      ledgerFindings: rooms.ledgerWatch.findings,
    }),
    begin() {
      running = startBackgroundJobs(backgroundJobs(inputs, rooms), inputs.log)
    },
    async end() {
      await drain(server)
      await running?.stop()
      await closeRooms(rooms)
    },
  }
}

function openServer(inputs: AppInputs, rooms: Rooms): ReturnType<typeof buildServer> {
  const { config, db, providers } = inputs
  const { catalog } = rooms
  return buildServer({
    ...inputs,
    routes: allRoutes({ ...inputs, ...rooms, simulated: providers.simulated }),
    pages: consolePages(consoleFolders(config.DATA_DIR), () => listPrices(catalog.index())),
    authenticator: createAuthenticator(rooms.accounts),
    operators: rooms.gate,
    limiter: rooms.limiter,
    storedAnswers: rooms.storedAnswers,
    missing: createReadiness({ db, models: () => catalog.index().models.length }),
  })
}

async function closeRooms(rooms: Rooms): Promise<void> {
  await rooms.outbox.close()
  await rooms.webhooks.close()
  await rooms.payments.idle()
  await rooms.accounts.apiKeys.flushUses()
  // The figures of a last moment are not worth an end that fails.
  await Promise.allSettled([rooms.upstreamMinutes.flush(), rooms.refusals.flush()])
  await rooms.heartbeat.leave()
  await rooms.upstreams.close()
  await rooms.limiter.close()
}
