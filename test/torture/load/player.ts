import { setTimeout as sleep } from 'node:timers/promises'
import { callService, type ClientCall, type ClientAnswer } from './client.ts'
import type { Random } from './random.ts'
import type { Slot } from '../rig/fleet.ts'
import type { History, SeenCall } from '../judge/history.ts'
import type { Person } from './person.ts'
import type { World } from '../rig/world.ts'

/** One client in a loop: it picks a load, a person and a process, and writes down what it saw. */
export type Player = {
  world: World
  random: Random
  history: History
  people: Person[]
  /** People who will be deleted. */
  victims: Person[]
  /** A text that no other call has in its prompt. */
  mark(): string
  /** A check that must hold once the faults have stopped; it runs then. */
  later(check: (player: Player) => Promise<void>): void
  patienceMs?: number
}

/** A kind of traffic. Adding a route to the fire is adding one of these to `loads.ts`. */
export type Load = { name: string; weight: number; play(player: Player): Promise<void> }

/** Calls some process; if its connection is refused, another one. */
export async function callSome(player: Player, call: ClientCall, at?: Slot): Promise<ClientAnswer> {
  for (let tries = 0; ; tries++) {
    const slot = tries === 0 && at !== undefined ? at : player.world.fleet.pick(player.random)
    // Some wait until a frozen process wakes up; most give up before.
    const patienceMs = player.patienceMs ?? (player.random.chance(0.1) ? 50_000 : 6_000)
    const answer = await callService(slot.url, { patienceMs, ...call })
    checkAnswer(player, call, answer)
    if (!answer.refused || tries >= 40) return answer
    await sleep(player.random.between(20, 120))
  }
}

/** What no answer may ever be or contain. */
function checkAnswer({ history, world }: Player, call: ClientCall, answer: ClientAnswer): void {
  if (!answer.whole) return
  const about = `${call.endpoint} answered ${answer.status}`
  if (!answer.headers['x-request-id']?.startsWith('req_'))
    history.violation(`${about} without an id`)
  if (answer.status === 500) history.violation(`${about}: ${answer.text.slice(0, 300)}`)
  if ([429, 503].includes(answer.status) && answer.headers['retry-after'] === undefined) {
    history.violation(`${about} without Retry-After: ${answer.text.slice(0, 200)}`)
  }
  if (answer.status < 400) return
  const leaks = world.secrets.in(answer.text)
  if (leaks.length > 0) history.violation(`${about} with a secret: ${leaks.join(' ')}`)
}

/** A call that ends in one answer or in none. */
export function seenCallOf(load: string, person: Person, answer: ClientAnswer): SeenCall {
  const charged = answer.headers['x-credits-charged']
  return {
    load,
    accountId: person.accountId,
    end: endOf(answer),
    status: answer.status,
    requestId: answer.headers['x-request-id'],
    chargedMicro: charged === undefined ? undefined : micro(charged),
  }
}

function endOf(answer: ClientAnswer): SeenCall['end'] {
  if (answer.left) return 'left'
  if (answer.refused) return 'refused'
  if (!answer.whole) return 'broken'
  return answer.status < 300 ? 'good' : 'refused'
}

function micro(credits: string): bigint {
  const [whole = '0', part = ''] = credits.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'))
}
