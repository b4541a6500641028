import type { Db } from '../../db/db.ts'
import { findSeat, SESSIONS_CHANNEL } from './sessions-store.ts'
import type { Seat } from './sessions-store.ts'
import { createToldCache } from './notified-cache.ts'

/** Who sits in a live session. Asked on every request; the database is asked when it is cold. */
export type SessionCache = {
  find(sessionId: string): Promise<Seat | undefined>
  /** A session's or an account's id; empty forgets all, for changes may have been missed. */
  forget(id: string): void
}

export async function openSessionCache(db: Db): Promise<SessionCache> {
  const cache = createToldCache<Seat>(50_000)
  const forget = (id: string) =>
    cache.forget((seat, key) => !seat || id === '' || key === id || seat.accountId === id)
  await db.listen(SESSIONS_CHANNEL, forget)
  return {
    find: (sessionId) => cache.get(sessionId, () => findSeat(db, sessionId)),
    forget,
  }
}
