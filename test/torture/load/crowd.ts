import type { Dice } from './dice.ts'
import { openHistory, type History } from '../judge/history.ts'
import { inLanes } from './lanes.ts'
import { LOADS } from './loads.ts'
import { newPerson, type Person } from './person.ts'
import type { Player } from './player.ts'
import type { World } from '../rig/world.ts'

/** Everybody who uses the service in a run, and what they saw of it. */
export type Crowd = {
  history: History
  /** So many clients at once, each in a loop, until the time is over. */
  play(players: number, untilMs: number): Promise<void>
  /** What must hold when everything is whole again, asked by a patient client. */
  askAgain(): Promise<void>
}

const BALANCES = ['5', '40', '500', '20000', '1000000']
const PATIENCE_MS = 60_000

export async function openCrowd(
  world: World,
  dice: Dice,
  size: { seed: number; people: number; victims: number },
): Promise<Crowd> {
  const history = openHistory()
  const laters: ((player: Player) => Promise<void>)[] = []
  let marks = 0
  const shared = {
    world,
    history,
    people: await makePeople(world, size.people, 0),
    victims: await makePeople(world, size.victims, size.people),
    mark: () => `siri-${size.seed}-${++marks}`,
    later: (check: (player: Player) => Promise<void>) => void laters.push(check),
  }
  return {
    history,
    async play(players, untilMs) {
      const lives = Array.from({ length: players }, (_, i) =>
        playUntil({ ...shared, dice: dice.fork(`player ${i}`) }, untilMs),
      )
      await Promise.all(lives)
    },
    async askAgain() {
      const patient = { ...shared, dice: dice.fork('later'), patienceMs: PATIENCE_MS }
      await inLanes(laters, 24, (check) => check(patient))
    },
  }
}

async function makePeople(world: World, count: number, from: number): Promise<Person[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      newPerson(world, BALANCES[i % BALANCES.length]!, from + i),
    ),
  )
}

async function playUntil(player: Player, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) await player.dice.weighted(LOADS).play(player)
}
