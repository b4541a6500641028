import { realpathSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalEntry } from '../../../simulator/models/journal.ts'
import { startModelSimulator, type ModelSimulator } from '../../../simulator/models/server.ts'
import { startMoneySimulator, type MoneySimulator } from '../../../simulator/money/server.ts'
import type { Db } from '../../../src/db/db.ts'
import { readPostmaster } from '../../../src/db/local/leftovers.ts'
import { urlsFor } from '../../../src/db/local/settings.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { startTestServer, type TestServer } from '../../support/local-server.ts'
import { addressIn } from '../../support/peers/database-address.ts'
import { redisServers, type RedisServer } from '../../support/peers/redis.ts'
import { openCanary, type Canary } from './canary.ts'
import { faultProxy, type FaultProxy } from './fault-proxy.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { startPgBouncer, type PoolMode } from './pgbouncer.ts'
import { MODELS } from '../load/models.ts'
import { openSecrets, type Secrets } from './secrets.ts'

/** What the upstream received with one mark in its prompt. */
export type Received = { calls: number; finished: number }

/** Real service processes on one real database, and around them simulated providers that can break. */
export type World = {
  postgres: TestServer
  /** Straight to the database, not through a proxy. */
  db: Db
  fleet: Fleet
  models: ModelSimulator
  upstream: FaultProxy
  received: Map<string, Received>
  money: MoneySimulator
  canary: Canary
  secrets: Secrets
  /** The settings of the processes, for a command beside them. */
  env: Record<string, string>
  /** What operators' commands found wrong. */
  findings: string[]
  folder: string
  redis: boolean
  close(): Promise<void>
}

const SNIPPE = { apiKey: 'snp-torture-key', webhookSecret: 'whsec-torture-secret' }
const UPSTREAM_KEY = 'upstream-torture-key-5f1c'

export async function openWorld(options: {
  replicas: number
  /** One process that brings its own database server, as with no settings at all. */
  ownDatabase?: boolean | undefined
  /** The processes reach the database through PgBouncer; what they listen to comes straight from it. */
  pooled?: PoolMode | undefined
  /** Beside the simulator, as they stand in `UPSTREAMS_FILE`. */
  upstreams?: unknown[]
  /** How long the processes wait for the simulator; short where it is made to fail. */
  timeouts?: { first_byte_ms: number; idle_ms: number }
  /** Called when a request to the simulator ends. */
  watch?: (entry: JournalEntry) => void
  env?: Record<string, string>
}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-torture-'))
  // For root the server is another user, who must be able to enter.
  await chmod(folder, 0o711)
  const postgres = options.ownDatabase ? serverIn(folder) : await startTestServer()
  const redis = await realRedis()
  const received = new Map<string, Received>()
  const canary = await openCanary()
  const models = await startModelSimulator({
    apiKey: UPSTREAM_KEY,
    faults: true,
    models: MODELS,
    latency: { firstMs: 3, pieceMs: 2, videoMs: 600 },
    redirectTo: canary.url,
    watch(entry) {
      noteReceived(received, entry.body, entry.outcome === 'finished')
      options.watch?.(entry)
    },
  })
  const money = await startMoneySimulator({
    snippe: SNIPPE,
    clickpesa: { clientId: 'c', apiKey: 'clickpesa-key', checksumKey: 'clickpesa-checksum' },
    delays: { normalMs: 400, fastMs: 100, retryMs: 500 },
  })
  const upstream = await faultProxy(addressIn(models.url))
  const secrets = openSecrets()
  for (const secret of [UPSTREAM_KEY, SNIPPE.apiKey, SNIPPE.webhookSecret]) secrets.add(secret)
  const { pooled } = options
  const pooler = pooled && (await startPgBouncer({ url: postgres.url, mode: pooled, folder }))
  if (pooler) await limitTime(postgres.url)
  const env = {
    DATA_DIR: folder,
    ...(options.ownDatabase ? {} : { MASTER_KEY: 'a master key for torture, long enough' }),
    UPSTREAMS_FILE: await upstreamsFile(folder, upstream.in(models.url), options),
    SIM_KEY: UPSTREAM_KEY,
    PAYMENT_PROVIDER: 'snippe',
    SNIPPE_BASE_URL: money.url,
    SNIPPE_API_KEY: SNIPPE.apiKey,
    SNIPPE_WEBHOOK_SECRET: SNIPPE.webhookSecret,
    SNIPPE_FALLBACK_EMAIL: 'customer@example.com',
    AUTH_RATE_LIMIT_RPM: '1000000',
    RATE_LIMIT_RPM: '1000000',
    RATE_LIMIT_JWT_RPM: '1000000',
    RATE_LIMIT_ACCOUNT_RPM: '1000000',
    LOG_LEVEL: 'debug',
    DRAIN_SECONDS: '20',
    // Readers leave here all the time, and shall go on doing so.
    UNPAID_CREDITS: '1000000',
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    ...(pooled === 'transaction' ? { DATABASE_LISTEN_URL: postgres.url } : {}),
    ...options.env,
  }
  const fleet = await openFleet({
    count: options.replicas,
    databaseUrl: pooler?.url ?? postgres.url,
    ownDatabase: options.ownDatabase,
    folder,
    env,
  })
  const db = openDatabase({ url: postgres.url, poolSize: 4, log: silentLog })
  return {
    postgres,
    db,
    fleet,
    models,
    upstream,
    received,
    money,
    canary,
    secrets,
    env: { ...env, DATABASE_URL: postgres.url },
    findings: [],
    folder,
    redis: redis !== undefined,
    async close() {
      await fleet.end()
      await db.close()
      await Promise.all([models.close(), money.close(), upstream.close(), canary.close()])
      await redis?.stop()
      await pooler?.stop()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PgBouncer does not pass on the settings that the service asks for: the role has them. */
async function limitTime(url: string): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, log: silentLog })
  await db.script(`alter role current_user set statement_timeout = '5s';
    alter role current_user set lock_timeout = '2s';
    alter role current_user set idle_in_transaction_session_timeout = '10s';
    alter role current_user set jit = off; alter role current_user set timezone = 'UTC'`)
  await db.close()
}

/** The server that belongs to the service in this folder, and comes back by itself. */
function serverIn(folder: string): TestServer {
  const data = join(folder, 'postgres')
  const pid = () => readPostmaster(data)?.pid ?? 0
  return {
    url: urlsFor(join(realpathSync(folder), 'run')).url,
    pid,
    async halt() {
      if (pid() > 0) process.kill(pid(), 'SIGKILL')
    },
    resume: async () => {},
    stop: async () => {},
  }
}

/** Rate limits are shared through Redis if this machine has one, else counted per process. */
async function realRedis(): Promise<RedisServer | undefined> {
  const servers = await redisServers()
  const [real, ...others] = servers.toSorted((a) => (a.name === 'stand-in' ? 1 : -1))
  const unused = real!.name === 'stand-in' ? servers : others
  await Promise.all(unused.map((server) => server.stop()))
  return real!.name === 'stand-in' ? undefined : real
}

async function upstreamsFile(
  folder: string,
  url: string,
  { upstreams: others = [], timeouts = SHORT }: { upstreams?: unknown[]; timeouts?: object },
) {
  const file = join(folder, 'upstreams.json')
  const upstream = { name: 'sim', type: 'openrouter', base_url: url, api_key_env: 'SIM_KEY' }
  const upstreams = [{ ...upstream, sync: true, timeouts }, ...others]
  await writeFile(file, JSON.stringify({ upstreams }))
  return file
}

const SHORT = { first_byte_ms: 4_000, idle_ms: 4_000 }

const MARK = /siri-\d+-\d+/

function noteReceived(received: Map<string, Received>, body: unknown, finished: boolean): void {
  const mark = MARK.exec(JSON.stringify(body) ?? '')?.[0]
  if (mark === undefined) return
  const known = received.get(mark) ?? { calls: 0, finished: 0 }
  known.calls += 1
  if (finished) known.finished += 1
  received.set(mark, known)
}
