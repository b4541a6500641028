import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, realpathSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { urlsFor } from '../../src/db/local/settings.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../../test/support/child.ts'
import { startTestServer } from '../../test/support/local-server.ts'
import { startReplica, type Replica } from '../../test/support/replica.ts'
import { newCustomers } from './customers.ts'
import { freePort } from './free-port.ts'

/** One of the programs that are compared: each is a process of its own, on the same upstream. */
export type Gateway = {
  name: string
  port: number
  pid: number
  /** Additional headers, a set for each caller in turn. */
  headers: string[]
  /** The service has one of its own: its processor time counts, and work that is left for later. */
  database?: { pid: number; untilNothingPends(): Promise<void> }
}

export type Gateways = {
  /** `ours` on the server that the service brings along, `elsewhere` on a PostgreSQL with its own defaults. */
  all: Record<'direct' | 'bare' | 'portkey' | 'ours' | 'elsewhere', Gateway>
  /** One more replica beside `elsewhere`, which has just started and notes the turns of its loop. */
  startYoung(): Promise<Gateway & { close(): Promise<void> }>
  close(): Promise<void>
}

export const MODEL = 'bench/chat'
const ACCOUNTS = 200
const LIVE_MEMORY = new URL('../children/live-memory.ts', import.meta.url).href
const LOOP_TURNS = new URL('../children/loop-turns.ts', import.meta.url).href

/** Unpaced streams have few events, or the callers and the upstream would be the bottleneck. */
const UNPACED_EVENTS = 20

export async function startGateways(stream: { events: number; paceMs: number }): Promise<Gateways> {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-bench-'))
  // For root the server is another user, who must be able to enter.
  await chmod(folder, 0o711)
  const upstream = runChild('bench/children/canned-upstream.ts', [
    String(stream.events),
    String(stream.paceMs),
    String(UNPACED_EVENTS),
  ])
  const origin = `http://127.0.0.1:${await upstream.line()}`
  const bare = runChild('bench/children/bare-proxy.ts', [origin])
  const portkey = await startPortkey()
  const own = await startService({ folder: join(folder, 'own'), origin })
  const ownUrl = urlsFor(join(realpathSync(folder), 'own', 'run')).url
  const ours = await serviceOn('Mlango', own, ownUrl, postmasterOf(join(folder, 'own')))
  const postgres = await startTestServer({ durable: true, settings: POSTGRESQL_DEFAULTS })
  const service = await startService({ folder, origin, databaseUrl: postgres.url })
  const name = 'Mlango, PostgreSQL’s defaults'
  const elsewhere = await serviceOn(name, service, postgres.url, postgres.pid())
  const anyKey = 'Authorization: Bearer any\r\n'
  const viaPortkey = `x-portkey-provider: openai\r\nx-portkey-custom-host: ${origin}/v1\r\n`
  const upstreamPort = Number(new URL(origin).port)
  return {
    all: {
      direct: { name: 'the upstream', port: upstreamPort, pid: upstream.pid, headers: [anyKey] },
      bare: {
        name: 'bare proxy',
        port: Number(await bare.line()),
        pid: bare.pid,
        headers: [anyKey],
      },
      portkey: { name: 'Portkey', ...portkey, headers: [viaPortkey + anyKey] },
      ours: ours.gateway,
      elsewhere: elsewhere.gateway,
    },
    async startYoung() {
      const on = { folder, origin, databaseUrl: postgres.url, watch: LOOP_TURNS }
      const young = await startService(on)
      const { port, pid } = placeOf(young)
      return {
        name: 'Mlango, just started',
        port,
        pid,
        headers: elsewhere.gateway.headers,
        async close() {
          young.kill('SIGTERM')
          await young.ended
        },
      }
    },
    async close() {
      await Promise.all([ours.db.close(), elsewhere.db.close()])
      for (const one of [service, own]) one.kill('SIGTERM')
      for (const child of [upstream, bare, portkey]) child.kill('SIGKILL')
      await Promise.all([service.ended, own.ended])
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What `postgres` starts with when nobody has set anything, where the service's own server differs. */
const POSTGRESQL_DEFAULTS = {
  shared_buffers: '128MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  max_wal_senders: '10',
  huge_pages: 'try',
  jit: 'on',
  max_worker_processes: '8',
  max_parallel_workers: '8',
  max_parallel_workers_per_gather: '2',
  max_parallel_maintenance_workers: '2',
  max_logical_replication_workers: '4',
  autovacuum_max_workers: '3',
  autovacuum_worker_slots: '16',
  io_method: 'worker',
}

async function serviceOn(name: string, service: Replica, databaseUrl: string, pid: number) {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, log: silentLog })
  const headers = (await newCustomers(db, ACCOUNTS)).map(
    (key) => `Authorization: Bearer ${key}\r\n`,
  )
  const untilNothingPends = async () => {
    while ((await db.query('select from pending_rollups limit 1')).length > 0) await sleep(250)
  }
  const database = { pid, untilNothingPends }
  return { db, gateway: { name, ...placeOf(service), headers, database } }
}

function placeOf({ url, pid }: Replica): { port: number; pid: number } {
  return { port: Number(new URL(url).port), pid }
}

/** The server that the service brings along says who it is in the first line of its file. */
function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

/** Without an address it brings its own database, as by default. */
async function startService(on: {
  folder: string
  origin: string
  databaseUrl?: string
  watch?: string
}) {
  await mkdir(on.folder, { recursive: true })
  await chmod(on.folder, 0o711)
  const pricing = { prompt: '0.00000015', completion: '0.0000006' }
  const models = [{ id: MODEL, pricing, context_length: 128_000, max_output_tokens: 16_000 }]
  const entry = { name: 'canned', type: 'openrouter', base_url: `${on.origin}/v1`, sync: false }
  const file = join(on.folder, 'upstreams.json')
  await writeFile(file, JSON.stringify({ upstreams: [{ ...entry, models }] }))
  return startReplica({
    UPSTREAMS_FILE: file,
    PAYMENT_PROVIDER: 'simulator',
    ALLOW_SIMULATED_PAYMENTS: 'true',
    ...(on.databaseUrl === undefined ? {} : { DATABASE_URL: on.databaseUrl }),
    DATA_DIR: on.folder,
    MASTER_KEY: 'a master key for benchmarks, long enough',
    RATE_LIMIT_RPM: '1000000',
    CONCURRENCY_PER_ACCOUNT: '100000',
    NODE_OPTIONS: `--import ${on.watch ?? LIVE_MEMORY} ${process.env.BENCH_NODE_OPTIONS ?? ''}`,
  })
}

async function startPortkey() {
  const port = await freePort()
  const file = import.meta.resolve('@portkey-ai/gateway/build/start-server.js')
  const fix = new URL('../children/portkey-fix.ts', import.meta.url).href
  const args = [
    '--import',
    LIVE_MEMORY,
    '--import',
    fix,
    new URL(file).pathname,
    `--port=${port}`,
    '--headless',
  ]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  void once(child, 'close').then(() => process.off('exit', stop))
  await untilAnswering(port)
  return { port, pid: child.pid!, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

async function untilAnswering(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer !== undefined) return
    await sleep(100)
  }
  throw new Error('The gateway to compare with did not start.')
}
