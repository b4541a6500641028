import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMoneySimulator } from '../../simulator/money/server.ts'
import { startModelSimulator, type SimulatorOptions } from '../../simulator/models/server.ts'
import { syncFirst } from '../../src/catalog/sync.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { buildApp } from '../../src/app/app.ts'
import { systemClock, type Clock } from '../../src/lib/clock.ts'
import { silentLog, type Log } from '../../src/lib/log.ts'
import type { Meter } from '../../src/lib/telemetry/meter.ts'
import type { Tracer } from '../../src/lib/telemetry/trace.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import { client } from './accounts.ts'
import { watchAnswers } from './openapi/conformance.ts'
import { newCustomer, signUp } from './customer.ts'
import { asService, freshDatabase } from './databases.ts'

type AppOptions = {
  /** Settings, as environment variables. */
  env?: Record<string, string>
  /** Else a fresh one: for a second replica, or a way to it that can break. */
  databaseUrl?: string
  /** How long an answer of the database may take. */
  patienceMs?: number
  simulator?: SimulatorOptions
  /** Members of the upstream's entry, such as short time-outs; or of the entries of several. */
  upstream?: Record<string, unknown> | Record<string, unknown>[]
  log?: Log
  clock?: Clock
  meter?: Meter
  tracer?: Tracer
  /** Whether its background jobs run, as they do if nothing is said. */
  jobs?: boolean
}

const MASTER_KEY = 'a master key for tests, long enough'
const KEYS = { apiKey: 'snp_test', webhookSecret: 'whsec_test' }

/** The whole app on a free port, with the outside world simulated over HTTP. */
export async function startApp(options: AppOptions = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'mlango-app-'))
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_RPM: '100000',
    RATE_LIMIT_RPM: '1000000',
    RATE_LIMIT_JWT_RPM: '1000000',
    RATE_LIMIT_ACCOUNT_RPM: '1000000',
    DRAIN_SECONDS: '1',
    ...options.env,
  })
  const log = options.log ?? silentLog
  const models = await startModelSimulator({ faults: true, ...options.simulator })
  const money = await startMoneySimulator({
    snippe: KEYS,
    clickpesa: { clientId: 'cp', apiKey: 'cp_test', checksumKey: 'cp_sum' },
    delays: { normalMs: 100, fastMs: 30, retryMs: 50 },
  })
  const databaseUrl = options.databaseUrl ?? (await freshDatabase())
  const { patienceMs = 20_000 } = options
  const db = openDatabase({ url: databaseUrl, poolSize: 10, log, patienceMs })
  // The app works in its own role; the test may look at everything, and change it.
  const serviceUrl = options.databaseUrl ?? asService(databaseUrl)
  const service = openDatabase({ url: serviceUrl, poolSize: 10, log, patienceMs })
  let url = ''
  const app = await buildApp({
    config,
    db: service,
    masterKey: MASTER_KEY,
    providers: {
      upstreams: readUpstreams(
        { upstreams: [options.upstream].flat().map((one) => upstreamEntry(models.url, one)) },
        {
          KEY: models.apiKey,
        },
      ),
      payments: [
        snippe({
          baseUrl: money.url,
          ...KEYS,
          callbackUrl: () => `${url}/v1/payments/callbacks/snippe`,
          fallbackEmail: 'customer@example.com',
        }),
      ],
      simulated: { upstreams: true, payments: true },
    },
    log,
    clock: options.clock ?? systemClock,
    ...(options.meter && { meter: options.meter }),
    tracer: options.tracer,
  })
  await syncFirst(app)
  const answers = watchAnswers(app.server.http, app.server.context.routes)
  await app.server.listen({ host: '127.0.0.1', port: config.PORT })
  url = `http://127.0.0.1:${(app.server.http.address() as AddressInfo).port}`
  if (options.jobs !== false) app.begin()
  const call = client(url)
  return {
    url,
    /** All that `buildApp` built. */
    rooms: app,
    db,
    models,
    money,
    call,
    dataDir,
    answered: answers.answered,
    signUp: () => signUp(url, dataDir),
    /** A verified account with exactly these credits, a session and an API key. */
    customer: (credits = '100') => newCustomer(url, { db, dataDir }, credits),
    async close() {
      await app.end()
      await Promise.all([models.close(), money.close(), service.close(), db.close()])
      // A replica that was killed may have left somebody who builds the console in there.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
      await answers.check()
    },
  }
}

function upstreamEntry(base_url: string, { timeouts, ...more }: Record<string, unknown> = {}) {
  return {
    name: 'sim',
    type: 'openrouter',
    base_url,
    api_key_env: 'KEY',
    sync: true,
    // In this very process, which may be busy for long.
    timeouts: { connect_ms: 60_000, ...(timeouts as object | undefined) },
    ...more,
  }
}
