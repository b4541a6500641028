import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { simulatedTopUps } from '../payments/payments-read-store.ts'

/**
 * Credits of simulated payments look like all others. A database that was tried out with them and
 * is now used with real models still has them, and its operator should know.
 */
export async function warnOfPlayMoney(config: Config, db: Db, log: Log): Promise<void> {
  if (config.UPSTREAMS_FILE === undefined) return
  const { count, creditsMicro } = await simulatedTopUps(db)
  if (count === 0) return
  log.warn('Credits of simulated payments can be spent on real models.', {
    count,
    amount_micro: creditsMicro,
  })
}
