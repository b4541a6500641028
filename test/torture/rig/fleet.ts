import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { addressIn } from '../../support/peers/database-address.ts'
import { startReplica, type Replica } from '../../support/replica.ts'
import type { Random } from '../load/random.ts'
import { faultProxy, type FaultProxy } from './fault-proxy.ts'

/** One process of the fleet. Its port and its proxy to the database stay when it is replaced. */
export type Slot = {
  name: string
  url: string
  metricsUrl: string
  state: 'up' | 'down' | 'stopped'
  replica: Replica | undefined
  databaseProxy: FaultProxy
}

/** Errors, and the line that a process writes when it was told to stop. */
const WHY = /"level":[56]0|is stopping/

type Figures = {
  longestTurnMs: number
  longestAtS: number
  delayP99Ms: number
  rss: number
  heapUsed: number
  clockJumps: number
}

export type Fleet = {
  slots: Slot[]
  /** Mostly a process that is up, sometimes one that is frozen. */
  pick(random: Random): Slot
  kill(slot: Slot): Promise<void>
  freeze(slot: Slot, ms: number): Promise<void>
  /** SIGTERM, then a new process in its place. Gives how long the drain took, in milliseconds. */
  restart(slot: Slot): Promise<number>
  start(slot: Slot, env?: Record<string, string>): Promise<void>
  /** Every log line that any process wrote. */
  output(): string[]
  /** The worst values that any process measured of itself. */
  figures(): Promise<Figures>
  /** Processes that ended on their own, which none ever may. */
  readonly crashes: string[]
  end(): Promise<void>
}

export async function openFleet(options: {
  count: number
  databaseUrl: string
  /** The service is not told of the database, and brings its own: then it must start at once. */
  ownDatabase?: boolean | undefined
  env: Record<string, string>
  folder: string
}): Promise<Fleet> {
  const all: Replica[] = []
  const crashes: string[] = []
  const expected = new Set<number>()
  const probes = new Set<string>()
  let starts = 0

  const start = async (slot: Slot, env: Record<string, string> = {}) => {
    const probe = join(options.folder, `probe-${++starts}.json`)
    probes.add(probe)
    const replica = await startWithRetries(options.ownDatabase ? 1 : 20, {
      ...options.env,
      PORT: new URL(slot.url).port,
      // The same for all: it is the issuer of every session. Callbacks go to the first process.
      PUBLIC_URL: slots[0]!.url,
      ...(options.ownDatabase ? {} : { DATABASE_URL: slot.databaseProxy.in(options.databaseUrl) }),
      METRICS_PORT: new URL(slot.metricsUrl).port,
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'children/probe.ts')}`,
      TORTURE_PROBE_FILE: probe,
      ...env,
    })
    replica.kill('SIGUSR2')
    all.push(replica)
    slot.replica = replica
    slot.state = 'up'
    void watch(slot.name, replica)
  }
  const watch = async (name: string, replica: Replica) => {
    const code = await replica.ended
    if (expected.has(replica.pid)) return
    const said = [...replica.output.filter((line) => WHY.test(line)), ...replica.output.slice(-5)]
    crashes.push(`${name} ended with ${code}: ${said.join(' | ')}`)
  }
  const stop = async (slot: Slot, signal: 'SIGKILL' | 'SIGTERM') => {
    const replica = slot.replica!
    expected.add(replica.pid)
    slot.state = 'down'
    replica.kill(signal)
    await replica.ended
  }
  const slots = await Promise.all(
    Array.from({ length: options.count }, async (_, i): Promise<Slot> => {
      const databaseProxy = await faultProxy(addressIn(options.databaseUrl))
      const url = `http://127.0.0.1:${await freePort()}`
      const metricsUrl = `http://127.0.0.1:${await freePort()}/metrics`
      return {
        name: `replica-${i}`,
        url,
        metricsUrl,
        state: 'down',
        replica: undefined,
        databaseProxy,
      }
    }),
  )
  // One after the other: the first migrates and reads the catalog for all.
  for (const slot of slots) await start(slot)

  return {
    slots,
    crashes,
    start,
    pick(random) {
      // A few calls go to a frozen process, to be there when it wakes; the others keep up the load.
      const state = random.chance(0.08) ? 'stopped' : 'up'
      const candidates = slots.filter((slot) => slot.state === state)
      return random.pick(candidates.length > 0 ? candidates : slots)
    },
    async kill(slot) {
      await stop(slot, 'SIGKILL')
    },
    async freeze(slot, ms) {
      slot.state = 'stopped'
      slot.replica!.kill('SIGSTOP')
      await sleep(ms)
      slot.replica!.kill('SIGCONT')
      slot.state = 'up'
    },
    async restart(slot) {
      const startedMs = performance.now()
      await stop(slot, 'SIGTERM')
      const tookMs = performance.now() - startedMs
      await start(slot)
      return tookMs
    },
    output: () => all.flatMap((replica) => replica.output),
    async figures() {
      const measured = await Promise.all([...probes].map(readFigures))
      const worst = (name: keyof Figures) => Math.max(0, ...measured.map((one) => one?.[name] ?? 0))
      const slowest = measured.toSorted(
        (a, b) => (b?.longestTurnMs ?? 0) - (a?.longestTurnMs ?? 0),
      )[0]
      return {
        longestTurnMs: slowest?.longestTurnMs ?? 0,
        longestAtS: slowest?.longestAtS ?? 0,
        delayP99Ms: worst('delayP99Ms'),
        rss: worst('rss'),
        heapUsed: worst('heapUsed'),
        clockJumps: measured.reduce((sum, one) => sum + (one?.clockJumps ?? 0), 0),
      }
    },
    async end() {
      const up = slots.filter((slot) => slot.state !== 'down')
      for (const slot of up) slot.replica!.kill('SIGCONT')
      await Promise.all(up.map((slot) => stop(slot, 'SIGTERM')))
      await Promise.all(slots.map((slot) => slot.databaseProxy.close()))
    },
  }
}

/** Without a database a process says so and ends: as a supervisor would, this starts it again. */
async function startWithRetries(most: number, env: Record<string, string>): Promise<Replica> {
  for (let tries = 1; ; tries++) {
    try {
      return await startReplica(env)
    } catch (error) {
      if (tries === most) throw error
      await sleep(300)
    }
  }
}

async function readFigures(file: string): Promise<Figures | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text === '' ? undefined : (JSON.parse(text) as Figures)
}
