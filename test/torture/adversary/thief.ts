import { callService, type ClientAnswer, type ClientCall } from '../load/client.ts'
import { newPerson, type Person } from '../load/person.ts'
import type { Random } from '../load/random.ts'
import type { World } from '../rig/world.ts'
import { tagText } from './tally.ts'

/** What all thieves of a run share. */
export type Den = {
  world: World
  /** Honest customers, whom thieves may try to rob. */
  honest: readonly Person[]
  /** How long a socket is kept that does nothing. */
  holdMs: number
  /** Amounts that thieves pay in, in TZS. */
  topUps: readonly number[]
  violation(sentence: string): void
  /** Which way to play each call belongs to, by its request id. */
  asked: Map<string, string>
}

/** An account that does not mean to pay, with several keys and an address of its own. */
export type Thief = Person & {
  nth: number
  keys: string[]
  address: string
  random: Random
  den: Den
  /** What it plays at the moment, and how often it has played before. */
  strategy: string
  round: number
}

/** A way to get paid work for nothing, to get in, or to stop the others. */
export type Strategy = {
  name: string
  weight: number
  /** True if it took effect: it was carried out and reached what it was aimed at. */
  play(thief: Thief): Promise<boolean>
}

/** Numbers of accounts that no honest customer of a run has. */
const FIRST_THIEF = 500
const KEYS = 3

/** With the sign-up bonus, as anybody gets it. */
export async function newThief(den: Den, random: Random, count: number): Promise<Thief> {
  const nth = FIRST_THIEF + count
  const person = await newPerson(den.world, '100', nth)
  const address = `10.66.${nth >> 8}.${nth & 255}`
  const known = { ...person, nth, keys: [person.key], address, random, den }
  const thief: Thief = { ...known, strategy: '', round: 0 }
  while (thief.keys.length < KEYS) {
    const made = await askAs(thief, {
      endpoint: 'POST /v1/api-keys',
      token: person.token,
      body: { name: 'another' },
    })
    const { data } = JSON.parse(made.text) as { data: { key: string } }
    den.world.secrets.add(data.key)
    thief.keys.push(data.key)
  }
  return thief
}

/** One thief may play several at the same time. */
export function playing(thief: Thief, strategy: Strategy): Promise<boolean> {
  return strategy.play({ ...thief, strategy: strategy.name })
}

/** Any process, and any of the thief's keys unless the call names another credential. */
export async function askAs(thief: Thief, call: ClientCall): Promise<ClientAnswer> {
  const { random, keys, den } = thief
  const answer = await callService(random.pick(den.world.fleet.slots).url, {
    token: random.pick(keys),
    patienceMs: 60_000,
    ...call,
    headers: { ...call.headers, ...headersOf(thief) },
  })
  const requestId = answer.headers['x-request-id']
  if (requestId !== undefined) den.asked.set(requestId, thief.strategy)
  check(den, call, answer)
  return answer
}

/** Thieves are behind the operator's proxy as everybody is, each at another address. */
export function headersOf({ address }: Thief): { 'x-forwarded-for': string } {
  return { 'x-forwarded-for': address }
}

/** The text by which an upstream knows whom a call is for. */
export function tagOf({ nth, round }: Thief, strategy: string): string {
  return tagText({ nth, round, strategy })
}

export function inParallel<T>(count: number, work: (nth: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, nth) => work(nth)))
}

/** Comes by mobile money, as everybody's does. */
export async function topUp(thief: Thief): Promise<void> {
  await askAs(thief, {
    endpoint: 'POST /v1/payments/topup',
    token: thief.token,
    body: { amount_tzs: thief.random.pick(thief.den.topUps) },
  })
}

/** It got an answer: the service may well have refused it. */
export function answered(answers: ClientAnswer[]): boolean {
  return answers.some(({ status }) => status > 0)
}

function check(den: Den, { endpoint }: ClientCall, answer: ClientAnswer): void {
  const about = `to a thief ${endpoint} answered ${answer.status}`
  if (answer.status === 500) den.violation(`${about}: ${answer.text.slice(0, 300)}`)
  const busy = [429, 503].includes(answer.status)
  if (busy && answer.headers['retry-after'] === undefined)
    den.violation(`${about} without Retry-After`)
}
