import { setTimeout as sleep } from 'node:timers/promises'
import { PASSWORD } from '../../support/accounts.ts'
import type { Loose } from '../../support/loose.ts'
import type { Heard } from './ask.ts'
import type { Person } from './person.ts'
import { askSome, type Load, type Player } from './player.ts'

/** A credential that was ended may live in a far process for as long as its caches, no longer. */
const CACHED_MS = 12_000

export const loginLoad: Load = {
  name: 'login',
  weight: 1,
  async play(player) {
    const person = player.dice.pick(player.people)
    if (person.refresh === undefined || player.dice.chance(0.3)) return logIn(player, person)
    const body = { refresh_token: person.refresh }
    const heard = await askSome(player, { line: 'POST /v1/auth/refresh', body })
    note(player, 'refresh', heard)
    if (heard.status === 200) take(player, person, heard)
    else person.refresh = undefined
  },
}

export const readLoad: Load = {
  name: 'reads',
  weight: 6,
  async play(player) {
    const person = player.dice.pick(player.people)
    const line = player.dice.pick([
      'GET /v1/billing/balance',
      'GET /v1/billing/transactions?limit=5',
      'GET /v1/activity?limit=5',
      'GET /v1/me',
      'GET /v1/notifications',
      'GET /healthz',
    ])
    const heard = await askSome(player, { line, token: person.token })
    note(player, 'reads', heard)
    if (line === 'GET /healthz' && heard.whole && heard.status !== 200) {
      player.history.wrong(`/healthz answered ${heard.status}`)
    }
    if (heard.status === 401) await logIn(player, person)
    if (heard.status !== 200 || !line.endsWith('balance')) return
    const { balance_credits, reserved_credits, available_credits } = dataOf(heard)
    const odd = available_credits < 0 || reserved_credits < 0 || balance_credits < 0
    if (odd) player.history.wrong(`a balance below zero was shown: ${heard.text}`)
  },
}

/** A key is made, used, and revoked: from then on it opens nothing. */
export const keyLoad: Load = {
  name: 'api-key',
  weight: 1,
  async play(player) {
    const person = player.dice.pick(player.people)
    const { token } = person
    const made = await askSome(player, {
      line: 'POST /v1/api-keys',
      token,
      body: { name: 'short-lived' },
    })
    note(player, 'api-key', made)
    if (made.status !== 201) return
    const { id, key } = dataOf(made) as { id: string; key: string }
    player.world.secrets.add(key)
    await useKey(player, key)
    const gone = await askSome(player, { line: `DELETE /v1/api-keys/${id}`, token })
    note(player, 'api-key', gone)
    if (gone.status === 200) mustStayShut(player, key, 'a revoked key')
  },
}

export const deletionLoad: Load = {
  name: 'deletion',
  weight: 0.3,
  async play(player) {
    const person = player.victims.pop()
    if (person === undefined) return
    const using = Array.from({ length: 5 }, () => useKey(player, person.key))
    await sleep(player.dice.between(0, 20))
    const gone = await askSome(player, { line: 'DELETE /v1/me', token: person.token })
    note(player, 'deletion', gone)
    await Promise.all(using)
    if (gone.status !== 200) player.victims.push(person)
    else {
      mustStayShut(player, person.key, 'the key of a deleted account')
      mustStayShut(player, person.token, 'the session of a deleted account')
    }
  },
}

async function logIn(player: Player, person: Person): Promise<void> {
  const body = { identifier: person.email, password: PASSWORD }
  const heard = await askSome(player, { line: 'POST /v1/auth/login', body })
  note(player, 'login', heard)
  if (heard.status === 200) take(player, person, heard)
}

function take(player: Player, person: Person, heard: Heard): void {
  const { access_token, refresh_token } = dataOf(heard)
  person.token = access_token as string
  person.refresh = refresh_token as string
  player.world.secrets.add(person.token)
  player.world.secrets.add(person.refresh)
}

async function useKey(player: Player, key: string): Promise<Heard> {
  const line = 'GET /v1/billing/balance'
  const heard = await askSome(player, { line, token: key })
  note(player, 'api-key-use', heard)
  return heard
}

function mustStayShut(player: Player, credential: string, what: string): void {
  const endedMs = performance.now()
  player.later(async (player) => {
    await sleep(Math.max(0, endedMs + CACHED_MS - performance.now()))
    for (const slot of player.world.fleet.slots) {
      const line = 'GET /v1/billing/balance'
      const heard = await askSome(player, { line, token: credential }, slot)
      if (heard.status !== 401) player.history.wrong(`${what} was answered ${heard.status}`)
    }
  })
}

function note(player: Player, load: string, heard: Heard): void {
  const end = heard.whole ? (heard.status < 300 ? 'good' : 'refused') : 'broken'
  player.history.count(load, end, heard.status)
}

function dataOf(heard: Heard): Loose {
  return (JSON.parse(heard.text) as { data: Loose }).data
}
