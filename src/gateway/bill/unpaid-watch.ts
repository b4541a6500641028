import type { Db, Tx } from '../../db/db.ts'
import type { BackgroundJob, Clock } from '../../lib/clock.ts'
import { hasPaid, noteUnpaidDay, unpaidByNewcomers } from './allowance-store.ts'

/** What accounts that never paid caused and did not pay on a day, which is more than they all may. */
export type UnpaidDay = { day: string; unpaidMicro: bigint; limitMicro: bigint }

type UnpaidWatchOptions = {
  db: Db
  clock: Clock
  limitMicro: bigint
  /** In the transaction that notes the day, so once. */
  tellOperator(tx: Tx, day: UnpaidDay): Promise<void>
}

const EVERY_MS = 10_000
const DAY_MS = 24 * 3_600_000

/**
 * Accounts are cheap to make, and each has an allowance. So there is a bound over all that never
 * paid: once they reach it on a day (UTC), they have no allowance until midnight.
 */
export class UnpaidWatch {
  readonly #options: UnpaidWatchOptions
  #tightUntilMs = 0

  constructor(options: UnpaidWatchOptions) {
    this.#options = options
  }

  get job(): BackgroundJob {
    return { name: 'unpaid-watch', everyMs: EVERY_MS, run: () => this.#look() }
  }

  /** Whether the account must not cost anything today that it does not pay. */
  async tightened(accountId: string): Promise<boolean> {
    const { db, clock } = this.#options
    return clock.now().getTime() < this.#tightUntilMs && !(await hasPaid(db, accountId))
  }

  async #look(): Promise<void> {
    const { db, clock, limitMicro, tellOperator } = this.#options
    const nowMs = clock.now().getTime()
    if (nowMs < this.#tightUntilMs) return
    const midnight = new Date(nowMs - (nowMs % DAY_MS))
    const unpaidMicro = await unpaidByNewcomers(db, midnight)
    if (unpaidMicro < limitMicro) return
    const day = midnight.toISOString().slice(0, 10)
    await db.begin(async (tx) => {
      if (await noteUnpaidDay(tx, day)) await tellOperator(tx, { day, unpaidMicro, limitMicro })
    })
    this.#tightUntilMs = midnight.getTime() + DAY_MS
  }
}
