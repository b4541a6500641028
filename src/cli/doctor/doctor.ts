import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, readConfig, type Config } from '../../config.ts'
import { openDatabase } from '../../db/database.ts'
import type { Db } from '../../db/db.ts'
import { useLocalServer } from '../../db/local/join.ts'
import { connectionsFor, SERVICE_USER } from '../../db/local/settings.ts'
import { readUpstreamsFile } from '../../app/providers.ts'
import { connectRedis } from '../../http/limits/redis-counter.ts'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { localOptions } from '../../app/local-services.ts'
import { openSenders } from '../../notices/senders.ts'
import { examineAccounting, examineDatabase } from './database.ts'
import { examineAll, note, type Diagnosis } from './diagnosis.ts'
import { examineDisk, examineFiles, examineSettings, refusedSettings } from './files.ts'
import { examineMessages, examinePayments, examineRedis, examineUpstreams } from './outside.ts'
import { examinePublicAddress } from './public-address.ts'
import { openPaymentProviders } from '../../payments/providers.ts'
import { explainDatabase } from '../../app/prepare-database.ts'
import { openUpstreams } from '../../upstream/upstreams.ts'

export type DoctorOptions = {
  env: Record<string, string | undefined>
  /** Audits every account instead of a sample. */
  full: boolean
  progress?: (done: number, rules: number) => void
}

/** Looks at everything a service with these settings needs. Changes nothing, sends nothing. */
export async function* diagnose(options: DoctorOptions): AsyncGenerator<Diagnosis> {
  let config: Config
  try {
    config = readConfig(options.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    yield* refusedSettings(error.message)
    return
  }
  const patienceMs = options.full ? LONGEST_AUDIT_MS : undefined
  yield* examineAll([
    { part: 'settings', examine: async () => examineSettings(config) },
    { part: 'files', examine: () => examineOwnFiles(config) },
    { part: 'disk', examine: () => examineOwnDisk(config) },
    {
      part: 'database',
      examine: () => inDatabase(config, (db) => examineData(db, config, options)),
      ...(patienceMs === undefined ? {} : { patienceMs }),
    },
    { part: 'redis', examine: () => redis(config) },
    { part: 'upstreams', examine: () => upstreams(config, options.env) },
    { part: 'payments', examine: () => payments(config) },
    { part: 'messages', examine: () => messages(config) },
    {
      part: 'public address',
      examine: () => examinePublicAddress(config.PUBLIC_URL, callbacksOf(config)),
    },
  ])
}

const LONGEST_AUDIT_MS = 3_600_000

function examineOwnFiles(config: Config): Promise<Diagnosis[]> {
  const { DATA_DIR: dataDir, UPSTREAMS_FILE: upstreamsFile } = config
  return examineFiles({ dataDir, envFile: '.env', upstreamsFile })
}

async function examineOwnDisk(config: Config): Promise<Diagnosis[]> {
  if (existsSync(config.DATA_DIR)) return examineDisk(config.DATA_DIR)
  return [note('disk', 'DATA_DIR is not there yet.')]
}

async function examineData(db: Db, config: Config, options: DoctorOptions): Promise<Diagnosis[]> {
  const { full, progress } = options
  const found = await examineDatabase({
    db,
    timeZone: config.ACTIVITY_TIME_ZONE,
    connections: connectionsFor(config.DATABASE_POOL, config.WORKERS),
    role: config.DATABASE_URL === undefined ? SERVICE_USER : undefined,
  })
  return [...found, ...(await examineAccounting(db, { full, ...(progress && { progress }) }))]
}

/** Opens the database of the settings, with no migration. */
async function inDatabase(
  config: Config,
  look: (db: Db) => Promise<Diagnosis[]>,
): Promise<Diagnosis[]> {
  const isOwn = config.DATABASE_URL === undefined
  if (isOwn && !existsSync(join(config.DATA_DIR, 'postgres'))) {
    return [note('database', 'There is none in DATA_DIR yet: the first start makes it.')]
  }
  const server = isOwn ? await useLocalServer(localOptions(config, silentLog)) : undefined
  const url = config.DATABASE_URL ?? server!.url
  const db = openDatabase({ url, poolSize: 2, log: silentLog })
  try {
    return await look(db)
  } catch (error) {
    throw explainDatabase(error, config)
  } finally {
    await db.close()
    await server?.stop()
  }
}

async function redis({ REDIS_URL, WORKERS }: Config): Promise<Diagnosis[]> {
  if (REDIS_URL === undefined) return examineRedis(undefined, WORKERS)
  const counter = await connectRedis(REDIS_URL, systemClock)
  try {
    return await examineRedis(() => counter.isBack(), WORKERS)
  } finally {
    counter.close()
  }
}

async function upstreams(config: Config, env: DoctorOptions['env']): Promise<Diagnosis[]> {
  if (config.UPSTREAMS_FILE === undefined) {
    return [note('upstreams', 'The models are simulated.', 'Set UPSTREAMS_FILE for real ones.')]
  }
  const configs = await readUpstreamsFile(config.UPSTREAMS_FILE, config, env)
  const all = openUpstreams({ upstreams: configs, log: silentLog })
  try {
    return await examineUpstreams({
      names: all.list,
      check: (name) => all.check(name),
      countModels: async (name) => (await all.catalog(name)).records.length,
    })
  } finally {
    await all.close()
  }
}

async function payments(config: Config): Promise<Diagnosis[]> {
  if (config.PAYMENT_PROVIDER === 'simulator') {
    const cure = 'Set PAYMENT_PROVIDER when customers are to pay.'
    return [note('payments', 'They are simulated: no money moves.', cure)]
  }
  const publicUrl = () => config.PUBLIC_URL ?? ''
  return examinePayments(openPaymentProviders(config, { publicUrl, simulator: undefined }))
}

async function messages(config: Config): Promise<Diagnosis[]> {
  const senders = openSenders(config)
  try {
    return await examineMessages(senders, {
      email: config.SMTP_URL && new URL(config.SMTP_URL).host,
      sms: config.SMS_PROVIDER,
    })
  } finally {
    await Promise.all([senders.email.close(), senders.sms.close()])
  }
}

function callbacksOf({ PAYMENT_PROVIDER }: Config): string[] {
  return PAYMENT_PROVIDER === 'simulator' ? [] : [PAYMENT_PROVIDER]
}
