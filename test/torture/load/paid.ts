import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientAnswer } from './client.ts'
import type { Person } from './person.ts'
import { callSome, seenCallOf, type Load, type Player } from './player.ts'

/** A route that is paid for and answered whole. */
export type PaidRoute = {
  name: string
  weight: number
  endpoint: string
  /** Must contain the mark, so that it reaches the upstream. */
  body(mark: string, player: Player): { json: unknown } | { raw: Buffer; type: string }
  /** False if the input is sound, in which a mark cannot be found again. */
  marked?: boolean
  /** Honours Idempotency-Key. */
  keyed: boolean
  /** Records of a good answer; 1 by default. */
  stages?: number
  /** A good answer must satisfy this. */
  isValid?(answer: ClientAnswer): boolean
}

/** Plain calls, calls that hang up, keyed calls repeated until answered, and bursts with one key. */
export function paidLoad(route: PaidRoute): Load {
  return {
    name: route.name,
    weight: route.weight,
    async play(player) {
      const { random, people } = player
      const person = random.pick(people)
      if (!route.keyed || random.chance(0.55)) return plain(route, player, person)
      if (random.chance(0.7)) return keyed(route, player, person, 1)
      return keyed(route, player, person, random.between(2, 5))
    },
  }
}

async function plain(route: PaidRoute, player: Player, person: Person): Promise<void> {
  const { random, history } = player
  const mark = player.mark()
  const token = credentialOf(player, person)
  const signal = random.chance(0.03) ? AbortSignal.timeout(random.between(1, 40)) : undefined
  const answer = await callSome(player, { ...callOf(route, player, mark), token, signal })
  check(route, player, answer)
  history.add({
    ...seenCallOf(route.name, person, answer),
    ...markOf(route, mark),
    ...stagesOf(route),
  })
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
    const { headers, ...call } = callOf(route, player, mark)
    const token = credentialOf(player, person)
    const all = { ...headers, 'idempotency-key': key }
    const answer = await callSome(player, { ...call, token, headers: all })
    check(route, player, answer)
    const text = answer.status === 200 ? answer.text : undefined
    const seen = seenCallOf(route.name, person, answer)
    player.history.add({
      ...seen,
      ...markOf(route, mark),
      idempotencyKey: key,
      text,
      ...stagesOf(route),
    })
    return answer
  }
  const answers = await Promise.all(Array.from({ length: copies }, () => once(player)))
  if (answers.some(isFinal)) {
    // Much later, and perhaps from another process, the answer is still the same.
    if (player.random.chance(0.1)) player.later(async (player) => void (await once(player)))
    return
  }
  for (let tries = 0; tries < 3; tries++) {
    await sleep(player.random.between(50, 800))
    if (isFinal(await once(player))) return
  }
  // The claim of a process that died is free after its lease, so the key must be answered in the end.
  player.later(async (player) => {
    for (let tries = 0; tries < 30; tries++) {
      if (isFinal(await once(player))) return
      await sleep(1_000)
    }
    player.history.violation(`${route.name}: ${key} was never answered`)
  })
}

/** A good answer, or a refusal that another try would not change. */
function isFinal(answer: ClientAnswer): boolean {
  return answer.whole && answer.status < 500 && ![409, 429, 0].includes(answer.status)
}

function callOf(route: PaidRoute, player: Player, mark: string) {
  const body = route.body(mark, player)
  const { endpoint } = route
  if ('json' in body) return { endpoint, body: body.json, headers: {} }
  return { endpoint, raw: body.raw, headers: { 'content-type': body.type } }
}

/** Mostly the API key; sometimes the session, which has no workspace. */
function credentialOf({ random }: Player, person: Person): string {
  return random.chance(0.9) ? person.key : person.token
}

function check(route: PaidRoute, { history }: Player, answer: ClientAnswer): void {
  if (answer.status !== 200 || !answer.whole || route.isValid === undefined) return
  if (!route.isValid(answer))
    history.violation(`${route.name}: invalid answer ${answer.text.slice(0, 200)}`)
}

function markOf({ marked }: PaidRoute, mark: string): { mark?: string } {
  return marked === false ? {} : { mark }
}

function stagesOf({ stages }: PaidRoute): { stages?: number } {
  return stages === undefined ? {} : { stages }
}
