import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { urlFor } from '../../src/db/local/settings.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../../test/support/child.ts'
import { startTestServer } from '../../test/support/local-server.ts'
import { startReplica } from '../../test/support/replica.ts'
import { newCustomers } from './customers.ts'
import { freePort } from './free-port.ts'

/** One of the programs that are compared: each is a process of its own, on the same upstream. */
export type Gateway = {
  name: string
  port: number
  pid: number
  /** Additional headers, a set for each caller in turn. */
  headers: string[]
}

export type Gateways = {
  all: Record<'direct' | 'bare' | 'portkey' | 'ours' | 'hot' | 'defaults', Gateway>
  /** The database of `ours`, to measure its processor time. */
  postgresPid: number
  /** One more replica beside `ours`, which has just started and notes the turns of its loop. */
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
  const upstream = runChild('bench/children/canned-upstream.ts', [
    String(stream.events),
    String(stream.paceMs),
    String(UNPACED_EVENTS),
  ])
  const origin = `http://127.0.0.1:${await upstream.line()}`
  const bare = runChild('bench/children/bare-proxy.ts', [origin])
  const portkey = await startPortkey()
  const postgres = await startTestServer({ durable: true })
  const service = await startService({ folder, origin, databaseUrl: postgres.url })
  const keys = await keysIn(postgres.url)
  const own = await startService({ folder: join(folder, 'own'), origin })
  const ownKeys = await keysIn(urlFor(join(realpathSync(folder), 'own', 'run')))
  const anyKey = 'Authorization: Bearer any\r\n'
  const viaPortkey = `x-portkey-provider: openai\r\nx-portkey-custom-host: ${origin}/v1\r\n`
  const ours = { port: Number(new URL(service.url).port), pid: service.pid }
  const all: Gateways['all'] = {
    direct: gateway('the upstream itself', Number(new URL(origin).port), upstream.pid, [anyKey]),
    bare: gateway('bare proxy', Number(await bare.line()), bare.pid, [anyKey]),
    portkey: gateway('Portkey', portkey.port, portkey.pid, [viaPortkey + anyKey]),
    ours: { name: 'Mlango', ...ours, headers: keys.map(bearer) },
    hot: { name: 'Mlango, one account', ...ours, headers: keys.slice(0, 1).map(bearer) },
    defaults: gateway(
      'Mlango, own database',
      Number(new URL(own.url).port),
      own.pid,
      ownKeys.map(bearer),
    ),
  }
  return {
    all,
    postgresPid: postgres.pid(),
    async startYoung() {
      const on = { folder, origin, databaseUrl: postgres.url, watch: LOOP_TURNS }
      const young = await startService(on)
      const port = Number(new URL(young.url).port)
      return {
        ...gateway('Mlango, just started', port, young.pid, keys.map(bearer)),
        async close() {
          young.kill('SIGTERM')
          await young.ended
        },
      }
    },
    async close() {
      for (const one of [service, own]) one.kill('SIGTERM')
      for (const child of [upstream, bare, portkey]) child.kill('SIGKILL')
      await Promise.all([service.ended, own.ended])
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function gateway(name: string, port: number, pid: number, headers: string[]): Gateway {
  return { name, port, pid, headers }
}

function bearer(key: string): string {
  return `Authorization: Bearer ${key}\r\n`
}

async function keysIn(databaseUrl: string): Promise<string[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, log: silentLog })
  return newCustomers(db, ACCOUNTS).finally(() => db.close())
}

/** Without an address it brings its own database, as by default. */
async function startService(on: {
  folder: string
  origin: string
  databaseUrl?: string
  watch?: string
}) {
  await mkdir(on.folder, { recursive: true })
  // For root the server is another user, who must be able to enter.
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
