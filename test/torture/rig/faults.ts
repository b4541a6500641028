import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../load/random.ts'
import type { FaultProxy } from './fault-proxy.ts'
import type { Slot } from './fleet.ts'
import type { World } from './world.ts'

/** After this long without a heartbeat a process counts as dead; the next sweep releases its holds. */
export const LEASE_MS = 20_000
export const SWEEP_MS = 11_000

/** Something that breaks. `inject` gives true when it disturbed at least one connection or process. */
export type Fault = {
  name: string
  weight: number
  inject(world: World, random: Random): Promise<boolean>
}

/** How often each kind took effect. */
export type InjectedCounts = Map<string, number>

/** Each takes one process that is up, and leaves at least one other alone. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9',
    weight: 12,
    inject: (world, random) =>
      onOne(world, random, async (slot) => {
        await world.fleet.kill(slot)
        await sleep(random.between(0, 300))
        await world.fleet.start(slot, wrongClock(random))
      }),
  },
  {
    name: 'restart (SIGTERM)',
    weight: 1,
    inject: (world, random) =>
      onOne(world, random, async (slot) => void (await world.fleet.restart(slot))),
  },
]

/** Longer than the lease and a sweep: the holds are gone when the process wakes amid its calls. */
export const FREEZE: Fault = {
  name: 'SIGSTOP beyond the lease',
  weight: 1,
  inject: (world, random) =>
    onOne(world, random, (slot) =>
      world.fleet.freeze(slot, LEASE_MS + SWEEP_MS - random.between(0, 4_000)),
    ),
}

/** Longer than a process waits for the answer to a statement. */
export const LATE_MS = 23_000
/** A hold that its living process does not know is released in this time. */
export const FORGOTTEN_MS = 90_000

/** Holds that are executed when their calls have long failed. */
export const LATE_HOLDS: Fault = databaseFault(
  'holds executed late',
  1,
  () => 1_500,
  (proxy) => proxy.delayHolds(LATE_MS),
)

/** The redirect leads to the canary, which nobody may contact. */
const WRONG_ANSWERS = ['status-503', 'bad-json', '429-7', 'drop', 'empty', 'html', 'redirect']

/** Connections to the database, of one process or of all, and those to the upstream. */
export const NETWORK_FAULTS: readonly Fault[] = [
  databaseFault(
    'database slow',
    3,
    (random) => random.between(800, 3_000),
    (proxy, random) => proxy.slow(random.pick([30, 120, 600])),
  ),
  databaseFault(
    'database reset',
    3,
    () => 0,
    (proxy) => proxy.reset(),
  ),
  databaseFault(
    'database cut',
    3,
    (random) => random.between(300, 3_500),
    (proxy) => proxy.cut(),
  ),
  databaseFault(
    'database mute',
    2,
    (random) => random.between(500, 6_000),
    (proxy) => proxy.hold(),
  ),
  databaseFault(
    'commit unanswered',
    5,
    () => 1_500,
    (proxy, random) => proxy.swallowCommits(random.between(1, 6)),
  ),
  upstreamFault(
    'upstream slow',
    2,
    (random) => random.between(500, 2_500),
    (proxy, random) => proxy.slow(random.pick([50, 400, 1_500])),
  ),
  upstreamFault(
    'upstream reset',
    2,
    () => 0,
    (proxy) => proxy.reset(),
  ),
  upstreamFault(
    'upstream cut',
    1,
    (random) => random.between(300, 1_500),
    (proxy) => proxy.cut(),
  ),
  upstreamFault(
    'upstream mute',
    1,
    (random) => random.between(500, 5_000),
    (proxy) => proxy.hold(),
  ),
  {
    name: 'upstream answers wrongly',
    weight: 1,
    async inject({ models }, random) {
      const fault = random.pick(WRONG_ANSWERS)
      models.fail({ fault, times: 6 })
      await sleep(1_000)
      models.heal()
      return true
    },
  },
  {
    name: 'payment provider out',
    weight: 1,
    async inject({ money }, random) {
      money.control.outage(random.pick([500, 503, 429]))
      await sleep(random.between(500, 2_500))
      money.control.outage(undefined)
      return true
    },
  },
  {
    name: 'database server crash',
    weight: 0.4,
    async inject({ postgres }) {
      await postgres.halt('kill')
      await sleep(300)
      await postgres.resume()
      return true
    },
  },
]

async function onOne(
  { fleet }: World,
  random: Random,
  work: (slot: Slot) => Promise<void>,
): Promise<boolean> {
  const up = fleet.slots.filter((slot) => slot.state === 'up')
  if (up.length < 2) return false
  await work(random.pick(up))
  return true
}

/**
 * Leases go by the database's clock, so a process whose own clock is wrong, or jumps amid its calls,
 * changes nothing.
 */
function wrongClock(random: Random): Record<string, string> {
  const offMs = random.pick([0, 0, 0, 0, 0, -45_000, 45_000, -3_600_000])
  const afterMs = random.pick([0, 1_000, 3_000])
  return { TORTURE_CLOCK_OFF_MS: String(offMs), TORTURE_CLOCK_AFTER_MS: String(afterMs) }
}

type FaultAction = (proxy: FaultProxy, random: Random) => void | Promise<void>

function databaseFault(
  name: string,
  weight: number,
  lasts: (random: Random) => number,
  act: FaultAction,
): Fault {
  return {
    name,
    weight,
    async inject({ fleet }, random) {
      const proxies = fleet.slots.map((slot) => slot.databaseProxy)
      return applyTo(random.chance(0.3) ? proxies : [random.pick(proxies)], { random, lasts, act })
    },
  }
}

function upstreamFault(
  name: string,
  weight: number,
  lasts: (random: Random) => number,
  act: FaultAction,
): Fault {
  return {
    name,
    weight,
    inject: ({ upstream }, random) => applyTo([upstream], { random, lasts, act }),
  }
}

async function applyTo(
  proxies: FaultProxy[],
  { random, lasts, act }: { random: Random; lasts(random: Random): number; act: FaultAction },
): Promise<boolean> {
  const before = effectsOn(proxies)
  for (const proxy of proxies) await act(proxy, random)
  await sleep(lasts(random))
  for (const proxy of proxies) await proxy.heal()
  return effectsOn(proxies) > before
}

function effectsOn(proxies: FaultProxy[]): number {
  return proxies.reduce(
    (sum, { effects }) => sum + Object.values(effects).reduce((total, one) => total + one, 0),
    0,
  )
}
