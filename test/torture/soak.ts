import { setTimeout as sleep } from 'node:timers/promises'
import { openPlayers } from './load/players.ts'
import { seededRandom } from './load/random.ts'
import { brokenInvariants } from './judge/invariants.ts'
import type { World } from './rig/world.ts'

export type SoakReport = {
  seconds: number
  calls: number
  /** At the end of each tenth of the time. */
  rssMb: number[]
  heapMb: number[]
  violations: string[]
}

const TENTHS = 10
/** How much more memory the second half may need than the first, in which the process warms up. */
const MOST_GROWTH = 1.25

/** The whole mixed load on one process, without faults: memory must level off. */
export async function soak(
  world: World,
  options: { seed: number; seconds: number; players: number },
): Promise<SoakReport> {
  const players = await openPlayers(world, seededRandom(options.seed), {
    seed: options.seed,
    people: 40,
    victims: 4,
  })
  const untilMs = performance.now() + options.seconds * 1_000
  const playing = players.play(options.players, () => performance.now() > untilMs)
  const rssMb: number[] = []
  const heapMb: number[] = []
  for (let tenth = 0; tenth < TENTHS; tenth++) {
    await sleep((options.seconds * 1_000) / TENTHS)
    const { rss, heapUsed } = await world.fleet.figures()
    rssMb.push(Math.round(rss / 1e6))
    heapMb.push(Math.round(heapUsed / 1e6))
  }
  await playing
  await players.runLateChecks()
  const violations = [...(await brokenInvariants(world.db)), ...new Set(players.history.violations)]
  const half = TENTHS / 2
  const before = Math.max(...rssMb.slice(0, half))
  const after = Math.max(...rssMb.slice(half))
  if (after > before * MOST_GROWTH) violations.push(`memory grew from ${before} to ${after} MB`)
  const calls = [...players.history.counts.values()].reduce((sum, one) => sum + one, 0)
  return { seconds: options.seconds, calls, rssMb, heapMb, violations }
}
