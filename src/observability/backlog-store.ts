import type { Tx } from '../db/db.ts'

/** How much of one kind waits, and since when. */
export type Backlog = { what: string; state: string; count: number; oldestS: number }

/**
 * What is waiting: holds, payments, video jobs, messages. Each part reads an index of live rows, so it
 * stays quick as the tables grow.
 */
export async function readBacklog(tx: Tx): Promise<Backlog[]> {
  const rows = await tx.query<{
    what: string
    state: string
    count: bigint
    oldest_s: number | null
  }>(
    `select what, state, count(*) as count,
       extract(epoch from now() - min(since))::float8 as oldest_s
     from (
       select 'holds' as what, 'open' as state, created_at as since from holds
         where owner_process is not null
       union all
       select 'payments', 'pending', created_at from payments where status = 'pending'
       union all
       select 'video_jobs', status, created_at from video_jobs where next_look_at is not null
       union all
       select 'outbox_messages', 'waiting', created_at from outbox where state = 'waiting'
       union all
       select 'outbox_messages', 'dead', finished_at from outbox
         where state <> 'waiting' and state = 'dead'
           and finished_at > now() - interval '7 days'
     ) live group by what, state`,
  )
  return rows.map(({ what, state, count, oldest_s }) => ({
    what,
    state,
    count: Number(count),
    oldestS: Math.max(0, oldest_s ?? 0),
  }))
}

/** What accounts caused and did not pay within a day, in microcredits; without what is uncollected. */
export async function readUnpaid(tx: Tx): Promise<bigint> {
  const [row] = await tx.query<{ worth: bigint }>(
    `select coalesce(sum(worth_micro), 0)::int8 as worth from unpaid_work
     where at > now() - interval '1 day'`,
  )
  return row!.worth
}
