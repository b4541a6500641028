import type { Tx } from '../db/db.ts'

export type Outage = { upstream: string; why: string; since: Date }

/** True for one process only, when no process has seen it down in the last minutes. */
export async function noteOutage(tx: Tx, { upstream, why, since }: Outage): Promise<boolean> {
  const rows = await tx.query(
    `insert into upstream_outages as known (upstream, why, since) values ($1, $2, $3)
     on conflict (upstream) do update set why = $2, since = $3, seen_at = now()
       where known.seen_at < now() - interval '5 minutes'
     returning upstream`,
    [upstream, why, since],
  )
  if (rows.length === 1) return true
  await tx.query('update upstream_outages set seen_at = now() where upstream = $1', [upstream])
  return false
}
