import type { Db, Tx } from '../db/db.ts'
import type { Duty } from '../lib/clock.ts'

const BEAT_MS = 5_000
/** A process whose heartbeat is this old is dead, by the database's clock. */
export const DEAD_AFTER_MS = 20_000

export type Heartbeat = Duty & {
  /**
   * Since when, by the monotonic clock, nobody can have taken this process for dead. Infinity while
   * that is not certain for some seconds more.
   */
  steadySinceMs(): number
  /** How many processes there were at the last beat. */
  processes(): number
  /** At the end, after the last hold was closed. */
  leave(): Promise<void>
}

/** The first beat comes before the process takes its first hold; the job loop keeps it beating. */
export async function startHeartbeat(
  db: Db,
  processId: string,
  nowMs: () => number = () => performance.now(),
): Promise<Heartbeat> {
  let beatMs = nowMs()
  let sinceMs = beatMs
  const isSteady = () => nowMs() - beatMs < DEAD_AFTER_MS / 2
  let processes = await beat(db, processId)
  return {
    name: 'heartbeat',
    everyMs: BEAT_MS,
    async run() {
      // Before the beat: the database's clock reads it no earlier.
      const startMs = nowMs()
      const wasSteady = isSteady()
      processes = await beat(db, processId)
      if (!wasSteady) sinceMs = startMs
      beatMs = startMs
      await forgetDead(db)
    },
    steadySinceMs: () => (isSteady() ? sinceMs : Infinity),
    processes: () => processes,
    leave: () => leave(db, processId),
  }
}

/** Says how many processes live, this one among them. */
async function beat(tx: Tx, processId: string): Promise<number> {
  const [row] = await tx.query<{ others: bigint }>(
    `with beat as (
       insert into processes (id) values ($1) on conflict (id) do update set beat_at = now()
     )
     select count(*) as others from processes
     where id <> $1 and beat_at > now() - $2::int4 * interval '1 ms'`,
    [processId, DEAD_AFTER_MS],
  )
  return Number(row!.others) + 1
}

async function leave(tx: Tx, processId: string): Promise<void> {
  await tx.query('delete from processes where id = $1', [processId])
}

/** A row that is missing counts as dead too, so an old one is not needed for the sweep. */
async function forgetDead(tx: Tx): Promise<void> {
  await tx.query(`delete from processes where beat_at < now() - interval '1 day'`)
}
