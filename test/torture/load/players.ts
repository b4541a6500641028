import type { Random } from './random.ts'
import { openHistory, type History } from '../judge/history.ts'
import { runInParallel } from './in-parallel.ts'
import { LOADS } from './loads.ts'
import { newPerson, type Person } from './person.ts'
import type { Load, Player } from './player.ts'
import type { World } from '../rig/world.ts'

/** The clients of a run, the people they act for, and what they saw. */
export type Players = {
  history: History
  people: Person[]
  /** So many clients at once, each in a loop. */
  play(players: number, isOver: () => boolean): Promise<void>
  /** Runs the checks that must hold once the faults have stopped, with a client that waits longer. */
  runLateChecks(): Promise<void>
}

const BALANCES = ['5', '40', '500', '20000', '1000000']
const PATIENCE_MS = 60_000
/** All at once would each wait for all the others. */
const SIGN_UPS_AT_ONCE = 8

export async function openPlayers(
  world: World,
  random: Random,
  size: {
    seed: number
    people: number
    victims: number
    /** Credits of the people, in turn. */
    balances?: readonly string[]
    loads?: readonly Load[]
    /** How long a client waits; unset: some longer, some shorter. */
    patienceMs?: number
  },
): Promise<Players> {
  const { balances = BALANCES, loads = LOADS } = size
  const history = openHistory()
  const laters: ((player: Player) => Promise<void>)[] = []
  let marks = 0
  const shared = {
    world,
    history,
    people: await makePeople(world, balances, size.people, 0),
    victims: await makePeople(world, balances, size.victims, size.people),
    ...(size.patienceMs === undefined ? {} : { patienceMs: size.patienceMs }),
    mark: () => `siri-${size.seed}-${++marks}`,
    later: (check: (player: Player) => Promise<void>) => void laters.push(check),
  }
  return {
    history,
    people: shared.people,
    async play(players, isOver) {
      const clients = Array.from({ length: players }, (_, i) =>
        playUntil({ ...shared, random: random.fork(`player ${i}`) }, loads, isOver),
      )
      await Promise.all(clients)
    },
    async runLateChecks() {
      const patient = { ...shared, random: random.fork('later'), patienceMs: PATIENCE_MS }
      await runInParallel(laters, 24, (check) => check(patient))
    },
  }
}

async function makePeople(
  world: World,
  balances: readonly string[],
  count: number,
  from: number,
): Promise<Person[]> {
  const people: Person[] = []
  const nth = Array.from({ length: count }, (_, i) => i)
  await runInParallel(nth, SIGN_UPS_AT_ONCE, async (i) => {
    people[i] = await newPerson(world, balances[i % balances.length]!, from + i)
  })
  return people
}

async function playUntil(
  player: Player,
  loads: readonly Load[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) await player.random.weighted(loads).play(player)
}
