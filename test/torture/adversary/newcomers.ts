import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../src/db/db.ts'
import { credits, lostMicro, smallMicro, type Reckoned } from './reckoning.ts'
import type { Tally } from './tally.ts'

/** When accounts that never paid reached their bound over all, by this process's clock. */
export type NewcomersWatch = { reachedMs: number | undefined; end(): Promise<void> }

const LOOK_MS = 1_000
/** Processes look every ten seconds, on a machine that is busy. */
const SEEN_MS = 15_000

/** Looks at the books as they are written, and not as the service sums them up. */
export function watchNewcomers(db: Db, limitMicro: bigint): NewcomersWatch {
  const over = new AbortController()
  const watch: NewcomersWatch = {
    reachedMs: undefined,
    async end() {
      over.abort()
      await looking
    },
  }
  const look = async () => {
    while (!over.signal.aborted && watch.reachedMs === undefined) {
      if ((await unpaidMicro(db)) >= limitMicro) watch.reachedMs = Date.now()
      else await sleep(LOOK_MS)
    }
  }
  const looking = look()
  return watch
}

async function unpaidMicro(db: Db): Promise<bigint> {
  const [row] = await db.query<{ micro: bigint }>(
    `with payers as (select account_id from ledger_entries where type = 'topup')
     select (coalesce((select sum(worth_micro) from unpaid_work
         where account_id not in (select account_id from payers)), 0)
       + coalesce((select sum(amount_micro) from uncollected
         where account_id not in (select account_id from payers)), 0))::int8 as micro`,
  )
  return row!.micro
}

/** The bound over all: what they cost beyond what they paid, but for what was under way. */
export function brokenBound(
  all: readonly Reckoned[],
  watch: Pick<NewcomersWatch, 'reachedMs'>,
  tally: Tally,
  limitMicro: bigint,
): string[] {
  const newcomers = all.filter(({ toppedUp }) => !toppedUp)
  const sum = (pick: (one: Reckoned) => bigint) =>
    newcomers.reduce((total, one) => total + pick(one), 0n)
  const { reachedMs } = watch
  const underWay = reachedMs === undefined ? 0n : sum(({ nth }) => around(tally, nth, reachedMs))
  const small = sum((one) => smallMicro(one))
  const lost = sum(lostMicro)
  const most = limitMicro + underWay + small
  if (lost <= most) return []
  const when = reachedMs === undefined ? 'not reached by the books' : 'reached'
  return [
    `${newcomers.length} accounts that never paid lost ${credits(lost)} where ${credits(most)} may ` +
      `be: ${credits(limitMicro)} a day (${when}), ${credits(underWay)} under way`,
  ]
}

function around(tally: Tally, nth: number, reachedMs: number): bigint {
  return tally
    .callsOf(nth)
    .filter(
      ({ openedMs, lastMs }) => openedMs <= reachedMs + SEEN_MS && lastMs >= reachedMs - LOOK_MS,
    )
    .reduce((total, { micro }) => total + micro, 0n)
}
