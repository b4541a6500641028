import type { JournalEntry } from '../../../simulator/models/journal.ts'
import { worthOfUsd } from './models.ts'
import type { Pulse } from './pulse.ts'

/** What upstreams did, at catalog prices. */
export type Cost = { micro: bigint; calls: number; leftMicro: bigint; left: number }
/** The same for each way to play. */
export type Costs = ReadonlyMap<string, Cost>

/** One call at an upstream: counted as it works, so that an answer broken off is counted too. */
export type Meter = { add(micro: bigint): void; left(): void; pause: Pulse['pause'] }

/** When it came, and when it last cost something. */
type Call = { strategy: string; round: number; micro: bigint; openedMs: number; lastMs: number }

/** The upstreams' own books: what each account, and each way to play, has cost the operator. */
export type Tally = {
  /** A call by what stands in it: the tag of a thief, or the mark of an honest customer. */
  open(sent: Buffer): Meter
  noteSimulated(entry: JournalEntry): void
  ofThief(nth: number): Costs
  callsOf(nth: number): readonly Call[]
  /** By their marks. */
  readonly honest: ReadonlyMap<string, Pick<Cost, 'micro' | 'calls'>>
  readonly byStrategy: Costs
}

/**
 * Every call of a thief says in its text who plays what, so that an upstream knows. A thief's calls
 * of one round are under way together, and no others of his.
 */
export type Tag = { nth: number; round: number; strategy: string }

export function tagText({ nth, round, strategy }: Tag): string {
  return `mwizi-${nth}-${round}-${strategy.replaceAll(' ', '_')}.`
}

const MARK = /siri-\d+-\d+/
const TAG = /mwizi-(\d+)-(\d+)-(\w+)\./

function tagIn(text: string): Tag | undefined {
  const found = TAG.exec(text)
  if (found === null) return undefined
  const [, nth, round, strategy] = found
  return { nth: Number(nth), round: Number(round), strategy: strategy!.replaceAll('_', ' ') }
}

/** The words of a thief or of a customer, however large the rest is. */
function textAt(sent: Buffer, word: string): string {
  const at = sent.indexOf(word)
  return at < 0 ? '' : sent.toString('latin1', at, at + 200)
}

export function openTally({ pause }: Pick<Pulse, 'pause'>): Tally {
  const thieves = new Map<number, Map<string, Cost>>()
  const byStrategy = new Map<string, Cost>()
  const calls = new Map<number, Call[]>()
  const honest = new Map<string, Cost>()
  const openFor = (tag: Tag): Meter => {
    const own = thieves.get(tag.nth) ?? new Map<string, Cost>()
    thieves.set(tag.nth, own)
    const costs = [costIn(own, tag.strategy), costIn(byStrategy, tag.strategy)]
    const call = {
      strategy: tag.strategy,
      round: tag.round,
      micro: 0n,
      openedMs: Date.now(),
      lastMs: Date.now(),
    }
    const before = calls.get(tag.nth) ?? []
    calls.set(tag.nth, before)
    before.push(call)
    return meterOf(costs, call, pause)
  }
  return {
    byStrategy,
    honest,
    ofThief: (nth) => thieves.get(nth) ?? new Map(),
    callsOf: (nth) => calls.get(nth) ?? [],
    open(sent) {
      const tag = tagIn(textAt(sent, 'mwizi-'))
      if (tag !== undefined) return openFor(tag)
      const mark = MARK.exec(textAt(sent, 'siri-'))?.[0]
      const costs = mark === undefined ? [] : [costIn(honest, mark)]
      const call = { strategy: '', round: 0, micro: 0n, openedMs: 0, lastMs: 0 }
      return meterOf(costs, call, pause)
    },
    noteSimulated(entry) {
      const usd = priceOf(entry)
      const tag = tagIn(textOf(entry))
      if (usd > 0 && tag !== undefined) openFor(tag).add(worthOfUsd(usd))
    },
  }
}

function meterOf(costs: readonly Cost[], call: Call, pause: Pulse['pause']): Meter {
  for (const cost of costs) cost.calls += 1
  return {
    pause,
    add(micro) {
      call.micro += micro
      call.lastMs = Date.now()
      for (const cost of costs) cost.micro += micro
    },
    left() {
      for (const cost of costs) {
        cost.left += 1
        cost.leftMicro += call.micro
      }
    },
  }
}

export function sumOf(costs: Costs): Cost {
  const sum = { ...NOTHING }
  for (const { micro, calls, leftMicro, left } of costs.values()) {
    sum.micro += micro
    sum.calls += calls
    sum.leftMicro += leftMicro
    sum.left += left
  }
  return sum
}

const NOTHING: Cost = { micro: 0n, calls: 0, leftMicro: 0n, left: 0 }

function costIn(costs: Map<string, Cost>, strategy: string): Cost {
  const known = costs.get(strategy) ?? { ...NOTHING }
  costs.set(strategy, known)
  return known
}

/** A film is paid for when it is ordered; its later polls name the price again. */
function priceOf({ route, method, status, cost = 0 }: JournalEntry): number {
  if (!route.startsWith('/videos')) return cost
  return method === 'POST' && status === 202 ? SHORT_FILM_USD : 0
}

/** Five seconds of `sim/filamu-senti`, the only film that thieves order rightly. */
const SHORT_FILM_USD = 0.25

/** The words of a recording are inside its bytes. */
function textOf({ body }: JournalEntry): string {
  const { input_audio: audio } = (body ?? {}) as { input_audio?: { data?: unknown } }
  if (typeof audio?.data !== 'string') return JSON.stringify(body) ?? ''
  return Buffer.from(audio.data, 'base64').toString('latin1')
}
