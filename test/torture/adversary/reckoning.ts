import { MICRO } from '../../../src/ledger/money.ts'
import type { Db } from '../../../src/db/db.ts'
import { sumOf, type Cost, type Costs, type Tally } from './tally.ts'

/** One account's books and the upstreams' books about it. */
export type Reckoned = {
  nth: number
  /** It paid something in. */
  toppedUp: boolean
  paidMicro: bigint
  /** What the service says was left or not collected; an upstream need not notice either. */
  leftMicro: bigint
  cost: Cost
  costs: Costs
  processes: number
}

/** Settings as they are by default. */
const CAP_MICRO = 10n * MICRO
/** What an account may leave unpaid in a day; processes decide on their own at the same moment. */
const FREE_MICRO = 100n * MICRO
/** The ways to play in which thieves leave. */
const LEAVES = / left$| left at |slow readers/

export async function reckon(
  db: Db,
  thieves: readonly { nth: number; accountId: string }[],
  tally: Tally,
  processes: number,
): Promise<Reckoned[]> {
  const sums = async (sql: string) => {
    const rows = await db.query<{ account_id: string; micro: bigint }>(sql)
    return new Map(rows.map((row) => [row.account_id, row.micro]))
  }
  const paid = await sums(
    `select account_id, -sum(amount_micro)::int8 as micro from ledger_entries
     where type in ('usage', 'refund') group by account_id`,
  )
  const left = await sums(
    `select account_id, sum(micro)::int8 as micro from (
       select account_id, worth_micro as micro from unpaid_work
       union all select account_id, amount_micro from uncollected) as unpaid group by account_id`,
  )
  const toppedUp = await sums(
    `select account_id, sum(amount_micro)::int8 as micro from ledger_entries
     where type = 'topup' group by account_id`,
  )
  return thieves.map(({ nth, accountId }) => ({
    nth,
    toppedUp: toppedUp.has(accountId),
    paidMicro: paid.get(accountId) ?? 0n,
    leftMicro: left.get(accountId) ?? 0n,
    cost: sumOf(tally.ofThief(nth)),
    costs: tally.ofThief(nth),
    processes,
  }))
}

export function lostMicro({ cost, paidMicro }: Reckoned): bigint {
  return cost.micro - paidMicro
}

/** The promise: a tenth of what was paid, plus the cap of a reservation, plus the allowance. */
export function allowedMicro({ costs, paidMicro, leftMicro, processes }: Reckoned): bigint {
  const most = (FREE_MICRO + paidMicro / 10n) * BigInt(processes)
  const seen = leftUpstream(costs)
  const left = seen > leftMicro ? seen : leftMicro
  return paidMicro / 10n + CAP_MICRO + (left < most ? left : most)
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
      const { nth, paidMicro, cost, costs } = one
      return (
        `thief ${nth} paid ${credits(paidMicro)} and cost ${credits(cost.micro)}: ` +
        `${credits(lostMicro(one))} lost where ${credits(allowedMicro(one))} may be ` +
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
