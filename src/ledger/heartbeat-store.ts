import type { Db, Tx } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'

const BEAT_MS = 5_000
/** A process whose heartbeat is this old is dead, by the database's clock. */
export const DEAD_AFTER_MS = 20_000

export type Heartbeat = BackgroundJob & {
  /** At the end, after the last hold was closed. */
  leave(): Promise<void>
}

/** The first beat comes before the process takes its first hold; the job loop keeps it beating. */
export async function startHeartbeat(db: Db, processId: string): Promise<Heartbeat> {
  await beat(db, processId)
  return {
    name: 'heartbeat',
    everyMs: BEAT_MS,
    async run() {
      await beat(db, processId)
      await forgetDead(db)
    },
    leave: () => leave(db, processId),
  }
}

async function beat(tx: Tx, processId: string): Promise<void> {
  await tx.query(
    'insert into processes (id) values ($1) on conflict (id) do update set beat_at = now()',
    [processId],
  )
}

async function leave(tx: Tx, processId: string): Promise<void> {
  await tx.query('delete from processes where id = $1', [processId])
}

/** A row that is missing counts as dead too, so an old one is not needed for the sweep. */
async function forgetDead(tx: Tx): Promise<void> {
  await tx.query(`delete from processes where beat_at < now() - interval '1 day'`)
}
