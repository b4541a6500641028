import { setTimeout as sleep } from 'node:timers/promises'
import { PASSWORD } from '../../support/accounts.ts'
import type { Loose } from '../../support/loose.ts'
import type { ClientAnswer } from './client.ts'
import type { Person } from './person.ts'
import { callSome, type Load, type Player } from './player.ts'

/** A revoked credential may be accepted by another process for as long as its caches, no longer. */
const CACHED_MS = 12_000

export const loginLoad: Load = {
  name: 'login',
  weight: 1,
  async play(player) {
    const person = player.random.pick(player.people)
    if (person.refresh === undefined || player.random.chance(0.3)) return logIn(player, person)
    const body = { refresh_token: person.refresh }
    const answer = await callSome(player, { endpoint: 'POST /v1/auth/refresh', body })
    note(player, 'refresh', answer)
    if (answer.status === 200) storeTokens(player, person, answer)
    else person.refresh = undefined
  },
}

export const readLoad: Load = {
  name: 'reads',
  weight: 6,
  async play(player) {
    const person = player.random.pick(player.people)
    const endpoint = player.random.pick([
      'GET /v1/billing/balance',
      'GET /v1/billing/transactions?limit=5',
      'GET /v1/activity?limit=5',
      'GET /v1/me',
      'GET /v1/notifications',
      'GET /healthz',
    ])
    const answer = await callSome(player, { endpoint, token: person.token })
    note(player, 'reads', answer)
    if (endpoint === 'GET /healthz' && answer.whole && answer.status !== 200) {
      player.history.violation(`/healthz answered ${answer.status}`)
    }
    if (answer.status === 401) await logIn(player, person)
    if (answer.status !== 200 || !endpoint.endsWith('balance')) return
    const { balance_credits, reserved_credits, available_credits } = dataOf(answer)
    const belowZero = available_credits < 0 || reserved_credits < 0 || balance_credits < 0
    if (belowZero) player.history.violation(`a balance below zero was shown: ${answer.text}`)
  },
}

/** A key is made, used and revoked: from then on it must be refused. */
export const keyLoad: Load = {
  name: 'api-key',
  weight: 1,
  async play(player) {
    const person = player.random.pick(player.people)
    const { token } = person
    const made = await callSome(player, {
      endpoint: 'POST /v1/api-keys',
      token,
      body: { name: 'short-lived' },
    })
    note(player, 'api-key', made)
    if (made.status !== 201) return
    const { id, key } = dataOf(made) as { id: string; key: string }
    player.world.secrets.add(key)
    await useKey(player, key)
    const deleted = await callSome(player, { endpoint: `DELETE /v1/api-keys/${id}`, token })
    note(player, 'api-key', deleted)
    if (deleted.status === 200) mustBeRefused(player, key, 'a revoked key')
  },
}

export const deletionLoad: Load = {
  name: 'deletion',
  weight: 0.3,
  async play(player) {
    const person = player.victims.pop()
    if (person === undefined) return
    const using = Array.from({ length: 5 }, () => useKey(player, person.key))
    await sleep(player.random.between(0, 20))
    const deleted = await callSome(player, { endpoint: 'DELETE /v1/me', token: person.token })
    note(player, 'deletion', deleted)
    await Promise.all(using)
    if (deleted.status !== 200) player.victims.push(person)
    else {
      mustBeRefused(player, person.key, 'the key of a deleted account')
      mustBeRefused(player, person.token, 'the session of a deleted account')
    }
  },
}

async function logIn(player: Player, person: Person): Promise<void> {
  const body = { identifier: person.email, password: PASSWORD }
  const answer = await callSome(player, { endpoint: 'POST /v1/auth/login', body })
  note(player, 'login', answer)
  if (answer.status === 200) storeTokens(player, person, answer)
}

function storeTokens(player: Player, person: Person, answer: ClientAnswer): void {
  const { access_token, refresh_token } = dataOf(answer)
  person.token = access_token as string
  person.refresh = refresh_token as string
  player.world.secrets.add(person.token)
  player.world.secrets.add(person.refresh)
}

async function useKey(player: Player, key: string): Promise<ClientAnswer> {
  const endpoint = 'GET /v1/billing/balance'
  const answer = await callSome(player, { endpoint, token: key })
  note(player, 'api-key-use', answer)
  return answer
}

function mustBeRefused(player: Player, credential: string, what: string): void {
  const endedMs = performance.now()
  player.later(async (player) => {
    await sleep(Math.max(0, endedMs + CACHED_MS - performance.now()))
    for (const slot of player.world.fleet.slots) {
      const endpoint = 'GET /v1/billing/balance'
      const answer = await callSome(player, { endpoint, token: credential }, slot)
      if (answer.status !== 401) player.history.violation(`${what} was answered ${answer.status}`)
    }
  })
}

function note(player: Player, load: string, answer: ClientAnswer): void {
  const end = answer.whole ? (answer.status < 300 ? 'good' : 'refused') : 'broken'
  player.history.count(load, end, answer.status)
}

function dataOf(answer: ClientAnswer): Loose {
  return (JSON.parse(answer.text) as { data: Loose }).data
}
