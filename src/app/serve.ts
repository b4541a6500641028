import type { AddressInfo } from 'node:net'
import { syncFirst } from '../catalog/sync.ts'
import type { Config } from '../config.ts'
import { openProviders } from './providers.ts'
import { buildApp } from './app.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { LocalAddresses } from './local-services.ts'
import { loadMasterKey } from './master-key.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import { openMetricsPort } from '../observability/port.ts'
import { prepareDatabase } from './prepare-database.ts'
import { openTraces } from '../observability/traces.ts'
import { checkVoiceDefaults } from './voice-settings.ts'
import type { Db } from '../db/db.ts'
import { simulatedTopUps } from '../payments/payments-read-store.ts'

export type Serving = {
  address: string
  /** There with METRICS_PORT. */
  metrics: Metrics | undefined
  /** Drains, and gives back everything that this process holds. */
  close(): Promise<void>
}

type ServeOptions = {
  config: Config
  env: Record<string, string | undefined>
  local: LocalAddresses
  log: Log
  /** One of several on this machine: somebody else shows what they all counted. */
  isWorker?: boolean
}

/** One whole service in this process: database → migrations → app → listen. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closeOne of closers.reverse()) await closeOne()
  }
  try {
    return { ...(await open(options, closers)), close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function open(
  options: ServeOptions,
  closers: (() => Promise<unknown>)[],
): Promise<Omit<Serving, 'close'>> {
  const { config, env, local, log } = options
  const masterKey = await loadMasterKey(config)
  const db = await prepareDatabase(config, log, local.database)
  closers.push(() => db.close())
  let address = ''
  const providers = await openProviders({
    config,
    env,
    simulators: local.simulators,
    callbackBase: () => config.PUBLIC_URL ?? address,
  })
  const metrics = config.METRICS_PORT === undefined ? undefined : await createMetrics()
  if (metrics !== undefined && options.isWorker !== true) {
    const { HOST: host, METRICS_PORT: port } = config
    const shown = await openMetricsPort({ host, port: port!, text: metrics.text })
    closers.push(shown.close)
  }
  const traces = await openTraces(config, log)
  closers.push(traces.close)
  const app = await buildApp({
    config,
    db,
    masterKey,
    providers,
    log,
    clock: systemClock,
    meter: metrics?.meter,
    tracer: traces.tracer,
  })
  closers.push(() => app.end())
  metrics?.watch(app.gauges)
  await syncFirst(app)
  checkVoiceDefaults(config, app.catalog, log)
  await warnOfPlayMoney(config, db, log)
  await app.server.listen({ host: config.HOST, port: config.PORT })
  const { port } = app.server.http.address() as AddressInfo
  address = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  app.begin()
  return { address, metrics }
}

/**
 * Credits of simulated payments look like all others. A database that was tried out with them and
 * is now used with real models still has them, and its operator should know.
 */
export async function warnOfPlayMoney(config: Config, db: Db, log: Log): Promise<void> {
  if (config.UPSTREAMS_FILE === undefined) return
  const { count, creditsMicro } = await simulatedTopUps(db)
  if (count === 0) return
  log.warn('Credits of simulated payments can be spent on real models.', {
    count,
    amount_micro: creditsMicro,
  })
}
