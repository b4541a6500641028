import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type Asked, type Heard } from './ask.ts'
import type { Dice } from './dice.ts'
import type { Slot } from '../rig/fleet.ts'
import type { History, Seen } from '../judge/history.ts'
import type { Person } from './person.ts'
import type { World } from '../rig/world.ts'

/** One client in a loop: it picks a load, a person and a process, and writes down what it saw. */
export type Player = {
  world: World
  dice: Dice
  history: History
  people: Person[]
  /** People who will be deleted. */
  victims: Person[]
  /** Words that no other call bears. */
  mark(): string
  /** Must hold when everything is whole again: asked then, by a patient player. */
  later(check: (player: Player) => Promise<void>): void
  patienceMs?: number
}

/** A kind of traffic. Adding a route to the fire is adding one of these to `loads.ts`. */
export type Load = { name: string; weight: number; play(player: Player): Promise<void> }

/** Asks some process; where nobody listens, another one. */
export async function askSome(player: Player, asked: Asked, at?: Slot): Promise<Heard> {
  for (let tries = 0; ; tries++) {
    const slot = tries === 0 && at !== undefined ? at : player.world.fleet.pick(player.dice)
    // Some wait until a frozen process wakes up again; most lose their patience before.
    const patienceMs = player.patienceMs ?? (player.dice.chance(0.1) ? 50_000 : 6_000)
    const heard = await ask(slot.url, { patienceMs, ...asked })
    inspect(player, asked, heard)
    if (!heard.refused || tries >= 40) return heard
    await sleep(player.dice.between(20, 120))
  }
}

/** What no answer may ever be or hold, whatever was asked. */
function inspect({ history, world }: Player, asked: Asked, heard: Heard): void {
  if (!heard.whole) return
  const about = `${asked.line} answered ${heard.status}`
  if (!heard.headers['x-request-id']?.startsWith('req_')) history.wrong(`${about} without an id`)
  if (heard.status === 500) history.wrong(`${about}: ${heard.text.slice(0, 300)}`)
  if ([429, 503].includes(heard.status) && heard.headers['retry-after'] === undefined) {
    history.wrong(`${about} without Retry-After: ${heard.text.slice(0, 200)}`)
  }
  if (heard.status < 400) return
  const leaks = world.secrets.in(heard.text)
  if (leaks.length > 0) history.wrong(`${about} with a secret: ${leaks.join(' ')}`)
}

/** A call that ends in one answer or in none. */
export function seenOf(load: string, person: Person, heard: Heard): Seen {
  const charged = heard.headers['x-credits-charged']
  return {
    load,
    accountId: person.accountId,
    end: endOf(heard),
    status: heard.status,
    requestId: heard.headers['x-request-id'],
    chargedMicro: charged === undefined ? undefined : micro(charged),
  }
}

function endOf(heard: Heard): Seen['end'] {
  if (heard.left) return 'left'
  if (heard.refused) return 'refused'
  if (!heard.whole) return 'broken'
  return heard.status < 300 ? 'good' : 'refused'
}

function micro(credits: string): bigint {
  const [whole = '0', part = ''] = credits.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'))
}
