import { parseArgs } from 'node:util'
import { adversary } from './adversary.ts'
import { anvil } from './anvil.ts'
import { closeAgents } from './load/client.ts'
import { badInput } from './bad-input.ts'
import { fire } from './fire.ts'
import { CAPACITY, overload } from './overload.ts'
import { rollingRestart } from './rolling.ts'
import { soak } from './soak.ts'
import { trade } from './trade.ts'
import type { PoolMode } from './rig/pgbouncer.ts'
import { startTestServer } from '../support/local-server.ts'
import { openWorld } from './rig/world.ts'
import { powerCut } from './power/power-cut.ts'
import { hasCompiler } from './power/recorder.ts'

/**
 * `npm run torture -- --seconds 900 --seed 42`: the same seed makes the same choices again.
 * `--only fire,adversary,bad,anvil,rolling,overload` chooses the parts; `local`, `power`, `soak` and
 * `trade` run only when they are named. `--pgbouncer session` or `transaction` puts a pooler before
 * the database of fire. `--play "slow readers"` lets thieves play only that, `--apart` each thief only
 * one of the ways to play.
 * Fire is the whole service under load and faults; anvil is the ledger alone, with processes killed.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string' },
    replicas: { type: 'string', default: '4' },
    players: { type: 'string', default: '120' },
    thieves: { type: 'string', default: '24' },
    play: { type: 'string' },
    apart: { type: 'boolean', default: false },
    pgbouncer: { type: 'string' },
    kills: { type: 'string', default: '200' },
    share: { type: 'string', default: '0.2' },
    only: { type: 'string', default: 'fire,adversary,bad,anvil,rolling,overload' },
    quiet: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const say = values.quiet ? undefined : (sentence: string) => console.log(`  ${sentence}`)

const OVERLOAD_ENV = {
  MAX_RUNNING_CALLS: String(CAPACITY),
  CONCURRENCY_PER_ACCOUNT: '5000',
  ACCOUNT_SHARE_PERCENT: '100',
  ADDRESS_SHARE_PERCENT: '100',
}

const parts: Record<string, () => Promise<{ violations: string[] }>> = {
  async fire() {
    const report = await fire({
      seed,
      seconds: Number(values.seconds),
      replicas: Number(values.replicas),
      players: Number(values.players),
      people: 40,
      victims: 12,
      paymentsWithinS: 180,
      pooled: values.pgbouncer as PoolMode | undefined,
      say,
    })
    const missed = report.missed.map((name) => `planned, but never took effect: ${name}`)
    return { ...report, violations: [...report.violations, ...missed] }
  },
  async adversary() {
    const report = await adversary({
      seed,
      seconds: Number(values.seconds),
      replicas: Number(values.replicas),
      thieves: Number(values.thieves),
      people: 10,
      players: 12,
      holdMs: 15_000,
      dailyCredits: 1_500,
      topUps: values.apart ? [5_000] : [500, 600, 2_500],
      play: values.play,
      apart: values.apart,
      say,
    })
    const missed = report.missed.map((name) => `never had an effect: ${name}`)
    return { ...report, violations: [...report.violations, ...missed] }
  },
  local: () =>
    fire({
      seed,
      seconds: 0,
      replicas: 1,
      players: 40,
      people: 20,
      victims: 4,
      paymentsWithinS: 180,
      defaultSetUp: { kills: Number(values.kills) },
      say,
    }),
  async bad() {
    return inWorld(1, (world) => badInput(world, { seed, share: Number(values.share) }))
  },
  anvil: () => anvil({ seed, kills: 200, moneyOperations: 100_000, withinS: 600 }),
  async rolling() {
    const report = await inWorld(3, (world) => rollingRestart(world, { rounds: 3, callers: 12 }))
    return { ...report, violations: report.lost }
  },
  soak: () =>
    inWorld(1, (world) =>
      soak(world, { seed, seconds: Number(values.seconds), players: Number(values.players) }),
    ),
  async power() {
    if (hasCompiler()) return powerCut({ seed, lives: 6, cutsPerLife: 5, say })
    return { violations: ['a loss of power cannot be simulated here: there is no C compiler (cc)'] }
  },
  async trade() {
    const server = await startTestServer()
    const { url: databaseUrl } = server
    const size = { calls: 100_000, payments: 2_000, accounts: 250, days: 30 }
    return trade({ seed, ...size, databaseUrl, say }).finally(() => server.stop())
  },
  overload: () => inWorld(1, (world) => overload(world, 10), OVERLOAD_ENV),
}

console.log(`Seed ${seed}: npm run torture -- --seconds ${values.seconds} --seed ${seed}`)
let violations = 0
for (const name of values.only.split(',')) {
  const startedMs = performance.now()
  const report = await parts[name]!()
  const tookS = Math.round((performance.now() - startedMs) / 1_000)
  console.log(`${name}: ${tookS} s`)
  console.log(JSON.stringify(report, undefined, 2))
  violations += report.violations.length
}
await closeAgents()
console.log(`${violations} violations`)
process.exitCode = violations === 0 ? 0 : 1

async function inWorld<T>(
  replicas: number,
  work: (world: Awaited<ReturnType<typeof openWorld>>) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const world = await openWorld({ replicas, env })
  try {
    return await work(world)
  } finally {
    await world.close()
  }
}
