import type { Tx } from '../db/db.ts'

export async function beat(tx: Tx, processId: string): Promise<void> {
  await tx.query(
    `insert into processes (id) values ($1)
     on conflict (id) do update set beat_at = now()`,
    [processId],
  )
}

export async function leave(tx: Tx, processId: string): Promise<void> {
  await tx.query('delete from processes where id = $1', [processId])
}

/** A row that is missing counts as dead too, so an old one is not needed for the sweep. */
export async function forgetDead(tx: Tx): Promise<void> {
  await tx.query(`delete from processes where beat_at < now() - interval '1 day'`)
}
