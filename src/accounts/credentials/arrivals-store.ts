import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

/** Whether notifications of changes arrive. */
export type Arrivals = {
  /** Whether all that were sent until ten seconds ago have certainly arrived. */
  areCurrent(): boolean
  /** Sends one to this process. To be called every few seconds. */
  send(): Promise<void>
}

const CURRENT_MS = 10_000

/**
 * Notifications arrive in the order of their commits, so whoever has received one has received all
 * that were sent before it. Behind a pooler that shares its connections none ever comes, and nothing
 * else would say so.
 */
export async function watchArrivals(parts: { db: Db; clock: Clock; log: Log }): Promise<Arrivals> {
  const { db, clock, log } = parts
  const channel = `arrivals_${randomUUID()}`
  const nowMs = () => clock.now().getTime()
  let arrivedMs = nowMs()
  let warned = false
  await db.listen(channel, (sentMs) => {
    if (sentMs !== '') arrivedMs = Math.max(arrivedMs, Number(sentMs))
  })
  const areCurrent = () => nowMs() - arrivedMs < CURRENT_MS
  return {
    areCurrent,
    async send() {
      await db.query('select pg_notify($1, $2)', [channel, String(nowMs())])
      if (areCurrent() || warned) return
      warned = true
      log.warn(
        'Notifications of the database do not arrive. Behind a pooler, set DATABASE_LISTEN_URL.',
      )
    },
  }
}
