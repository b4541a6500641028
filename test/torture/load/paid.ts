import { setTimeout as sleep } from 'node:timers/promises'
import type { Heard } from './ask.ts'
import type { Person } from './person.ts'
import { askSome, seenOf, type Load, type Player } from './player.ts'

/** A route that is paid for and answered whole. */
export type PaidRoute = {
  name: string
  weight: number
  line: string
  /** The mark must reach the upstream. */
  body(mark: string, player: Player): { json: unknown } | { raw: Buffer; type: string }
  /** False where the mark travels inside sound or pictures, where nobody can read it. */
  marked?: boolean
  /** Honours Idempotency-Key. */
  keyed: boolean
  /** Records of a good answer; 1 unless told. */
  stages?: number
  /** A good answer must satisfy this. */
  sound?(heard: Heard): boolean
}

/** Plain calls, calls that hang up, keyed calls that are asked until answered, and keyed bursts. */
export function paidLoad(route: PaidRoute): Load {
  return {
    name: route.name,
    weight: route.weight,
    async play(player) {
      const { dice, people } = player
      const person = dice.pick(people)
      if (!route.keyed || dice.chance(0.55)) return plain(route, player, person)
      if (dice.chance(0.7)) return keyed(route, player, person, 1)
      return keyed(route, player, person, dice.between(2, 5))
    },
  }
}

async function plain(route: PaidRoute, player: Player, person: Person): Promise<void> {
  const { dice, history } = player
  const mark = player.mark()
  const token = credentialOf(player, person)
  const signal = dice.chance(0.03) ? AbortSignal.timeout(dice.between(1, 40)) : undefined
  const heard = await askSome(player, { ...askedOf(route, player, mark), token, signal })
  check(route, player, heard)
  history.add({ ...seenOf(route.name, person, heard), ...markOf(route, mark), ...stagesOf(route) })
}

async function keyed(
  route: PaidRoute,
  player: Player,
  person: Person,
  copies: number,
): Promise<void> {
  const mark = player.mark()
  const key = `key-${mark}`
  const once = async (player: Player) => {
    const { headers, ...asked } = askedOf(route, player, mark)
    const token = credentialOf(player, person)
    const all = { ...headers, 'idempotency-key': key }
    const heard = await askSome(player, { ...asked, token, headers: all })
    check(route, player, heard)
    const text = heard.status === 200 ? heard.text : undefined
    const seen = seenOf(route.name, person, heard)
    player.history.add({
      ...seen,
      ...markOf(route, mark),
      idempotencyKey: key,
      text,
      ...stagesOf(route),
    })
    return heard
  }
  const answers = await Promise.all(Array.from({ length: copies }, () => once(player)))
  if (answers.some(isFinal)) return
  for (let tries = 0; tries < 3; tries++) {
    await sleep(player.dice.between(50, 800))
    if (isFinal(await once(player))) return
  }
  // The claim of a process that died is free after its lease, so in the end it must be answered.
  player.later(async (player) => {
    for (let tries = 0; tries < 30; tries++) {
      if (isFinal(await once(player))) return
      await sleep(1_000)
    }
    player.history.wrong(`${route.name}: ${key} was never answered`)
  })
}

/** A good answer, or a refusal that another try would not change. */
function isFinal(heard: Heard): boolean {
  return heard.whole && heard.status < 500 && ![409, 429, 0].includes(heard.status)
}

function askedOf(route: PaidRoute, player: Player, mark: string) {
  const made = route.body(mark, player)
  const { line } = route
  if ('json' in made) return { line, body: made.json, headers: {} }
  return { line, raw: made.raw, headers: { 'content-type': made.type } }
}

/** Mostly the API key; sometimes the session, which has no workspace. */
function credentialOf({ dice }: Player, person: Person): string {
  return dice.chance(0.9) ? person.key : person.token
}

function check(route: PaidRoute, { history }: Player, heard: Heard): void {
  if (heard.status !== 200 || !heard.whole || route.sound === undefined) return
  if (!route.sound(heard)) history.wrong(`${route.name}: odd answer ${heard.text.slice(0, 200)}`)
}

function markOf({ marked }: PaidRoute, mark: string): { mark?: string } {
  return marked === false ? {} : { mark }
}

function stagesOf({ stages }: PaidRoute): { stages?: number } {
  return stages === undefined ? {} : { stages }
}
