import { useLocalServer } from '../db/local/join.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Config } from '../config.ts'
import { buildApp, type App } from './app.ts'
import { localOptions } from './local-services.ts'
import { loadMasterKey } from './master-key.ts'
import { prepareDatabase } from './prepare-database.ts'
import { openProviders } from './providers.ts'
import { startSimulators } from './simulators.ts'

type Beside = { config: Config; env: Record<string, string | undefined>; log: Log }

/**
 * The app for one piece of work, beside a running service or without one. It is built but does not
 * begin: background jobs, and reading the lists of upstreams, are left to the service.
 */
export async function withAppBeside<T>(
  { config, env, log }: Beside,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const server =
    config.DATABASE_URL === undefined ? await useLocalServer(localOptions(config, log)) : undefined
  try {
    const masterKey = await loadMasterKey(config)
    const db = await prepareDatabase(config, log, server)
    const simulators = await startSimulators(config, masterKey, { resumePayments: false })
    try {
      const providers = await openProviders({
        config,
        env,
        simulators: simulators.addresses,
        callbackBase: () => config.PUBLIC_URL ?? '',
      })
      const app = await buildApp({ config, db, masterKey, providers, log, clock: systemClock })
      return await work(app).finally(() => app.end())
    } finally {
      await simulators.close()
      await db.close()
    }
  } finally {
    await server?.stop()
  }
}
