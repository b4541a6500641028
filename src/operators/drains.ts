import type { Db } from '../db/db.ts'
import { freshReader } from '../lib/fresh-reader.ts'
import type { Log } from '../lib/log.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'
import { deleteDrain, insertDrain, listDrains, notifyDrains } from './drains-store.ts'

/** Follows which upstreams are drained: read at the start, and again whenever it changes. */
export async function followDrains(parts: {
  db: Db
  log: Log
  apply(drained: ReadonlySet<string>): void
}): Promise<void> {
  const { db, log, apply } = parts
  const read = freshReader(async () => {
    apply(new Set((await listDrains(db)).map(({ upstream }) => upstream)))
  })
  await db.listen('upstream_drains', () => {
    read().catch((error: unknown) =>
      log.error('The list of drained upstreams could not be read; the last one holds.', { error }),
    )
  })
  await read()
}

export type DrainWish = { upstream: string; reason: string | undefined }

/** It gets no new calls, in any process; running ones finish. False: it was drained already. */
export function drainUpstream(db: Db, actor: Actor, wish: DrainWish): Promise<boolean> {
  const { upstream, reason } = wish
  return withAuditLog(db, actor, async (tx, record) => {
    const drain = { upstream, reason: reason ?? null, operator: actor.name }
    if (!(await insertDrain(tx, drain))) return false
    await notifyDrains(tx)
    await record({ action: 'upstream.drain', target: { type: 'upstream', id: upstream }, reason })
    return true
  })
}

/** False: it was not drained. */
export function undrainUpstream(db: Db, actor: Actor, wish: DrainWish): Promise<boolean> {
  const { upstream, reason } = wish
  return withAuditLog(db, actor, async (tx, record) => {
    const drain = await deleteDrain(tx, upstream)
    if (drain === undefined) return false
    await notifyDrains(tx)
    const before = { since: drain.at.toISOString(), reason: drain.reason, by: drain.operator }
    const target = { type: 'upstream', id: upstream }
    await record({ action: 'upstream.undrain', target, reason, before })
    return true
  })
}
