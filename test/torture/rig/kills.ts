import { setTimeout as sleep } from 'node:timers/promises'
import type { Players } from '../load/players.ts'
import type { Random } from '../load/random.ts'
import type { InjectedCounts } from './faults.ts'
import type { World } from './world.ts'

/** On the default set-up: what is killed, one kind after the other. */
const KILLS: Record<string, (world: World) => Promise<void>> = {
  async 'kill -9 of the service'({ fleet }) {
    await fleet.kill(fleet.slots[0]!)
    await fleet.start(fleet.slots[0]!)
  },
  async 'kill -9 of the server'({ postgres }) {
    const before = postgres.pid()
    await postgres.halt('kill')
    while (postgres.pid() === before || postgres.pid() === 0) await sleep(10)
  },
  async 'kill -9 of both'({ fleet, postgres }) {
    const killed = [postgres.halt('kill'), fleet.kill(fleet.slots[0]!)]
    await Promise.all(killed)
    await fleet.start(fleet.slots[0]!)
  },
}

/** How long it may take until clients get answers again, on a busy machine. */
const BACK_WITHIN_MS = 60_000
const ANSWERS_BETWEEN = 10

/**
 * The service is started again at once, and only once; the server must come back by itself. The next
 * kill comes at any moment of the work that follows.
 */
export async function killInTurn(
  world: World,
  { history }: Players,
  options: { kills: number; random: Random; say?: ((sentence: string) => void) | undefined },
): Promise<InjectedCounts> {
  const names = Object.keys(KILLS)
  const injected: InjectedCounts = new Map(names.map((name) => [name, 0]))
  let longestMs = 0
  for (let nth = 0; nth < options.kills; nth++) {
    const name = names[nth % names.length]!
    const startedMs = performance.now()
    await KILLS[name]!(world)
    injected.set(name, injected.get(name)! + 1)
    if (!(await answeredAgain(history))) {
      history.violation(`no answers for ${BACK_WITHIN_MS / 1_000} s after ${name}`)
      break
    }
    longestMs = Math.max(longestMs, performance.now() - startedMs)
    if (nth % 20 === 19)
      options.say?.(`${nth + 1} kills; answers came back within ${Math.round(longestMs)} ms`)
    await sleep(options.random.between(0, 700))
  }
  return injected
}

async function answeredAgain({ seen }: Players['history']): Promise<boolean> {
  const from = seen.length
  const untilMs = performance.now() + BACK_WITHIN_MS
  const good = () => seen.slice(from).filter(({ end }) => end === 'good').length
  while (good() < ANSWERS_BETWEEN) {
    if (performance.now() > untilMs) return false
    await sleep(20)
  }
  return true
}
