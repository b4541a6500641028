import { LOADS } from '../load/loads.ts'
import { paidLoad } from '../load/paid.ts'
import type { Load } from '../load/player.ts'
import { streamLoad } from '../load/streams.ts'
import type { History } from '../judge/history.ts'
import { METERED_LOADS } from './honest-metered.ts'
import { credits } from './reckoning.ts'
import type { Tally } from './tally.ts'

/** The models that thieves use most: what they do to them, honest customers would feel. */
const SHARED_MODELS = ['mlafi/wastani', 'mlafi/maneno', 'mlafi/pole']

const chatBesideThieves = (model: string): Load =>
  paidLoad({
    name: `chat ${model}`,
    weight: 10,
    endpoint: 'POST /v1/chat/completions',
    keyed: true,
    body: (mark) => ({
      json: { model, messages: [{ role: 'user', content: `Habari ${mark}` }], max_tokens: 20 },
    }),
    isValid: (answer) => answer.text.includes('"choices"'),
  })

/** The usual load without what fails by itself, without sessions that end, and without late money. */
export const HONEST_LOADS: readonly Load[] = [
  ...LOADS.filter(({ name }) => !/fault|stream|video|topup|deletion|login|api-key/.test(name)),
  streamLoad(['sim/fixed', 'sim/hekima-mini']),
  ...SHARED_MODELS.map(chatBesideThieves),
  ...METERED_LOADS,
]

/** How long an honest caller waits, on a machine that thieves and others keep busy. */
export const HONEST_PATIENCE_MS = 120_000

/** Refusals that an honest caller may get: the key is in use, or the limits of the own account. */
const DOCUMENTED = new Set([409, 429])

/**
 * What a machine does that has no time for it: the database is given up, and the model whose clocks
 * are short. Callers are told to ask again. Of a hundred calls one may end like this.
 */
const BUSY = / 503$|^chat mlafi\/pole refused 502$/
const FEW = 3
const OF_CALLS = 100

/** Each honest call was answered well, or its caller hung up; else what the service wrote of it. */
export function brokenService({ counts, seen }: History, log: readonly string[]): string[] {
  const all = [...counts]
  const sum = (some: typeof all) => some.reduce((total, [, times]) => total + times, 0)
  const busy = sum(all.filter(([name]) => BUSY.test(name)))
  const isBusy = busy <= Math.max(FEW, sum(all) / OF_CALLS)
  return all.flatMap(([name, times]) => {
    const [, end, status] = /(good|refused|broken|left) (\d+)$/.exec(name)!
    if (end === 'good' || end === 'left' || DOCUMENTED.has(Number(status))) return []
    if (isBusy && BUSY.test(name)) return []
    const one = seen.find((call) => `${call.load} ${call.end} ${call.status}` === name)
    const id = one?.requestId ?? name
    const said = log.filter((line) => line.includes(id))
    return [`honest customers: ${name}, ${times} times: ${said.join(' | ')}`]
  })
}

/** Its pictures are drawn in calls of their own. */
const SEVERAL = /^images /

/**
 * A good answer costs what its upstream bills for it at list price, to the microcredit. Of several
 * that were made for a caller who had to ask again one is paid for.
 */
export function brokenPrices({ seen }: History, tally: Tally): string[] {
  const wrong = seen.flatMap(({ end, load, mark = '', chargedMicro }) => {
    const billed = tally.honest.get(mark)
    if (end !== 'good' || billed === undefined || chargedMicro === undefined) return []
    const answers = SEVERAL.test(load) ? 1 : billed.calls
    if (chargedMicro === billed.micro || chargedMicro * BigInt(answers) === billed.micro) return []
    return [
      `${load}: ${mark} was charged ${credits(chargedMicro)}, billed ${credits(billed.micro)}`,
    ]
  })
  return [...new Set(wrong)]
}
