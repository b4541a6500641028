import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../load/dice.ts'
import type { FaultProxy } from './fault-proxy.ts'
import type { Slot } from './fleet.ts'
import type { World } from './world.ts'

/** A process is dead to the others after this long without a sign; its holds go at the next sweep. */
export const LEASE_MS = 20_000
export const SWEEP_MS = 11_000

/** Something that breaks. True when it was felt: a fault that nobody felt has not happened. */
export type Fault = {
  name: string
  weight: number
  strike(world: World, dice: Dice): Promise<boolean>
}

/** Processes: each strike takes one that is up, and leaves at least one other. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9',
    weight: 12,
    strike: (world, dice) =>
      onOne(world, dice, async (slot) => {
        await world.fleet.kill(slot)
        await sleep(dice.between(0, 300))
        await world.fleet.start(slot, wrongClock(dice))
      }),
  },
  {
    name: 'restart (SIGTERM)',
    weight: 1,
    strike: (world, dice) =>
      onOne(world, dice, async (slot) => void (await world.fleet.restart(slot))),
  },
]

/** Beyond the lease and one sweep, so that its holds are gone when it wakes in the middle of calls. */
export const FREEZE: Fault = {
  name: 'SIGSTOP beyond the lease',
  weight: 1,
  strike: (world, dice) =>
    onOne(world, dice, (slot) =>
      world.fleet.freeze(slot, LEASE_MS + SWEEP_MS - dice.between(0, 4_000)),
    ),
}

/** The redirect leads to where nobody may go. */
const WRONG_ANSWERS = ['status-503', 'bad-json', '429-7', 'drop', 'empty', 'html', 'redirect']

/** Lines to the database, of one process or of all, and the line to the upstream. */
export const LINE_FAULTS: readonly Fault[] = [
  line(
    'database slow',
    3,
    (dice) => dice.between(800, 3_000),
    (proxy, dice) => proxy.slow(dice.pick([30, 120, 600])),
  ),
  line(
    'database reset',
    3,
    () => 0,
    (proxy) => proxy.reset(),
  ),
  line(
    'database cut',
    3,
    (dice) => dice.between(300, 3_500),
    (proxy) => proxy.cut(),
  ),
  line(
    'database mute',
    2,
    (dice) => dice.between(500, 6_000),
    (proxy) => proxy.hold(),
  ),
  line(
    'commit unanswered',
    5,
    () => 1_500,
    (proxy, dice) => proxy.swallowCommits(dice.between(1, 6)),
  ),
  upstream(
    'upstream slow',
    2,
    (dice) => dice.between(500, 2_500),
    (proxy, dice) => proxy.slow(dice.pick([50, 400, 1_500])),
  ),
  upstream(
    'upstream reset',
    2,
    () => 0,
    (proxy) => proxy.reset(),
  ),
  upstream(
    'upstream cut',
    1,
    (dice) => dice.between(300, 1_500),
    (proxy) => proxy.cut(),
  ),
  upstream(
    'upstream mute',
    1,
    (dice) => dice.between(500, 5_000),
    (proxy) => proxy.hold(),
  ),
  {
    name: 'upstream answers wrongly',
    weight: 1,
    async strike({ models }, dice) {
      const fault = dice.pick(WRONG_ANSWERS)
      models.fail({ fault, times: 6 })
      await sleep(1_000)
      models.heal()
      return true
    },
  },
  {
    name: 'payment provider out',
    weight: 1,
    async strike({ money }, dice) {
      money.control.outage(dice.pick([500, 503, 429]))
      await sleep(dice.between(500, 2_500))
      money.control.outage(undefined)
      return true
    },
  },
  {
    name: 'database server crash',
    weight: 0.4,
    async strike({ postgres }) {
      await postgres.halt('kill')
      await sleep(300)
      await postgres.resume()
      return true
    },
  },
]

async function onOne(
  { fleet }: World,
  dice: Dice,
  work: (slot: Slot) => Promise<void>,
): Promise<boolean> {
  const up = fleet.slots.filter((slot) => slot.state === 'up')
  if (up.length < 2) return false
  await work(dice.pick(up))
  return true
}

/**
 * Leases go by the database's clock, so a process whose own is wrong, or jumps in the middle of its
 * calls, changes nothing.
 */
function wrongClock(dice: Dice): Record<string, string> {
  const offMs = dice.pick([0, 0, 0, 0, 0, -45_000, 45_000, -3_600_000])
  const afterMs = dice.pick([0, 1_000, 3_000])
  return { TORTURE_CLOCK_OFF_MS: String(offMs), TORTURE_CLOCK_AFTER_MS: String(afterMs) }
}

type Strike = (proxy: FaultProxy, dice: Dice) => void | Promise<void>

function line(name: string, weight: number, lasts: (dice: Dice) => number, act: Strike): Fault {
  return {
    name,
    weight,
    async strike({ fleet }, dice) {
      const lines = fleet.slots.map((slot) => slot.line)
      return afflict(dice.chance(0.3) ? lines : [dice.pick(lines)], { dice, lasts, act })
    },
  }
}

function upstream(name: string, weight: number, lasts: (dice: Dice) => number, act: Strike): Fault {
  return {
    name,
    weight,
    strike: ({ upstream }, dice) => afflict([upstream], { dice, lasts, act }),
  }
}

async function afflict(
  proxies: FaultProxy[],
  { dice, lasts, act }: { dice: Dice; lasts(dice: Dice): number; act: Strike },
): Promise<boolean> {
  const before = feltBy(proxies)
  for (const proxy of proxies) await act(proxy, dice)
  await sleep(lasts(dice))
  for (const proxy of proxies) await proxy.heal()
  return feltBy(proxies) > before
}

function feltBy(proxies: FaultProxy[]): number {
  return proxies.reduce(
    (sum, { felt }) => sum + Object.values(felt).reduce((total, one) => total + one, 0),
    0,
  )
}
