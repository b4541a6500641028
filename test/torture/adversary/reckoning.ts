import { greater, lesser, MICRO } from '../../../src/ledger/money.ts'
import type { Db } from '../../../src/db/db.ts'
import { sumOf, type Cost, type Costs, type Tally } from './tally.ts'

/** One account's books and the upstreams' books about it. */
export type Reckoned = {
  nth: number
  /** It paid something in. */
  toppedUp: boolean
  paidMicro: bigint
  /** What the service counts as left, or refused after it was made. */
  unpaidMicro: bigint
  /** What it could not collect. */
  uncollectedMicro: bigint
  /** The most that its calls under way at one moment came to, of each kind that is refused. */
  underWayMicro: bigint
  /** The dearest of its calls of unknown size, one of which may cost more than it has. */
  unknownMicro: bigint
  cost: Cost
  costs: Costs
}

/** Settings as they are by default. */
const CAP_MICRO = 10n * MICRO
/** What an account may leave unpaid in a day. */
const FREE_MICRO = 100n * MICRO
/** The ways to play in which thieves leave. */
const LEAVES = / left$| left at |slow readers/

export async function reckon(
  db: Db,
  thieves: readonly { nth: number; accountId: string }[],
  tally: Tally,
): Promise<Reckoned[]> {
  const sums = async (what: string) => {
    const rows = await db.query<{ account_id: string; micro: bigint }>(
      `select account_id, sum(${what} group by account_id`,
    )
    return new Map(rows.map((row) => [row.account_id, row.micro]))
  }
  const paid = await sums(
    `-amount_micro)::int8 as micro from ledger_entries where type in ('usage', 'refund')`,
  )
  const toppedUp = await sums(
    `amount_micro)::int8 as micro from ledger_entries where type = 'topup'`,
  )
  const unpaid = await sums('worth_micro)::int8 as micro from unpaid_work')
  const uncollected = await sums('amount_micro)::int8 as micro from uncollected')
  return thieves.map(({ nth, accountId }) => ({
    nth,
    toppedUp: toppedUp.has(accountId),
    paidMicro: paid.get(accountId) ?? 0n,
    unpaidMicro: unpaid.get(accountId) ?? 0n,
    uncollectedMicro: uncollected.get(accountId) ?? 0n,
    underWayMicro: mostBeyond(tally.callsOf(nth)),
    unknownMicro: dearestUnknown(tally.callsOf(nth)),
    cost: sumOf(tally.ofThief(nth)),
    costs: tally.ofThief(nth),
  }))
}

/** Answers that are refused: of each kind, the calls that run when the first one is. */
const REFUSED = /never drawn|too large|inaudible|silent|no object|come out empty|too few/

function mostBeyond(calls: ReturnType<Tally['callsOf']>): bigint {
  const kindOf = ({ strategy }: (typeof calls)[number]) => (REFUSED.test(strategy) ? strategy : '')
  return [...Map.groupBy(calls, kindOf).values()]
    .map(mostUnderWay)
    .reduce((sum, micro) => sum + micro, 0n)
}

/** Until all processes know that an account's answers were refused: a second, on a busy machine more. */
const KNOWN_MS = 5_000

function mostUnderWay(calls: ReturnType<Tally['callsOf']>): bigint {
  const rounds = [...Map.groupBy(calls, ({ round }) => round).values()].map((all) => ({
    fromMs: Math.min(...all.map(({ openedMs }) => openedMs)),
    toMs: Math.max(...all.map(({ lastMs }) => lastMs)),
    micro: all.reduce((sum, { micro }) => sum + micro, 0n),
  }))
  return rounds
    .map(({ fromMs, toMs }) =>
      rounds
        .filter((other) => other.fromMs >= fromMs && other.fromMs <= toMs + KNOWN_MS)
        .reduce((sum, { micro }) => sum + micro, 0n),
    )
    .reduce(greater, 0n)
}

/** Nobody knows what is behind a link, how dense a PDF is, or how often a model begins by itself. */
const UNKNOWN = /behind links|dense text in PDFs|several iterations/

function dearestUnknown(calls: ReturnType<Tally['callsOf']>): bigint {
  const unknown = calls.filter(({ strategy }) => UNKNOWN.test(strategy))
  return unknown.map(({ micro }) => micro).reduce(greater, 0n)
}

export function lostMicro({ cost, paidMicro }: Reckoned): bigint {
  return cost.micro - paidMicro
}

/**
 * The promise: a tenth of what was paid, the cap of a reservation, and the allowance, beyond which
 * only what was under way may be left or refused, and one call of unknown size uncollected. An
 * upstream need not notice that it was left.
 */
export function allowedMicro(one: Reckoned): bigint {
  const { costs, paidMicro, unpaidMicro, uncollectedMicro, underWayMicro, unknownMicro } = one
  const allowance = FREE_MICRO + paidMicro / 10n
  const uncollected = lesser(uncollectedMicro, greater(allowance, unknownMicro))
  const unpaid = lesser(
    greater(unpaidMicro, leftUpstream(costs)),
    greater(0n, allowance - uncollected) + underWayMicro,
  )
  return smallMicro(one) + uncollected + unpaid
}

/** What is nobody's fault. */
export function smallMicro({ paidMicro }: Reckoned): bigint {
  return paidMicro / 10n + CAP_MICRO
}

function leftUpstream(costs: Costs): bigint {
  return [...costs].reduce(
    (sum, [name, cost]) => sum + (LEAVES.test(name) ? cost.leftMicro : 0n),
    0n,
  )
}

/** Every account that cost more than it may. */
export function brokenPromises(all: readonly Reckoned[]): string[] {
  return all
    .filter((one) => lostMicro(one) > allowedMicro(one))
    .map((one) => {
      const { nth, paidMicro, unpaidMicro, uncollectedMicro, cost, costs } = one
      return (
        `thief ${nth} paid ${credits(paidMicro)} and cost ${credits(cost.micro)}: ` +
        `${credits(lostMicro(one))} lost where ${credits(allowedMicro(one))} may be, ` +
        `${credits(unpaidMicro)} counted as unpaid, ${credits(uncollectedMicro)} as uncollected ` +
        `(${[...costs].map(about).join('; ')})`
      )
    })
}

function about([strategy, { micro, calls, left, leftMicro }]: [string, Cost]): string {
  const unread = left === 0 ? '' : `, of which ${left} were left at ${credits(leftMicro)}`
  return `${strategy}: ${calls} calls for ${credits(micro)}${unread}`
}

export function credits(micro: bigint): number {
  return Number(micro / 10_000n) / 100
}
