import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

/** The first tries are free; then each wait is twice the last. Nobody is locked out for ever. */
export type ThrottleRule = {
  freeTries: number
  firstWaitS: number
  longestWaitS: number
  /** After this long without a try, the count starts again. */
  forgetAfterS: number
}

/** Counts a try; false, and not counted, while the bucket is blocked. */
export async function takeThrottle(tx: Tx, bucket: string, rule: ThrottleRule): Promise<boolean> {
  const rows = await tx.query(
    `insert into throttles as t (bucket, tries) values ($1, 1)
     on conflict (bucket) do update set
       tries = case when t.last_try < now() - $5::float8 * interval '1 second' then 1
                    else t.tries + 1 end,
       last_try = now(),
       blocked_until = case
         when t.last_try >= now() - $5::float8 * interval '1 second' and t.tries + 1 >= $2::int
         then now() + least($3::float8 * power(2, least(t.tries + 1 - $2::int, 20)), $4::float8)
           * interval '1 second' end
     where t.blocked_until is null or t.blocked_until <= now()
     returning bucket`,
    [bucket, rule.freeTries, rule.firstWaitS, rule.longestWaitS, rule.forgetAfterS],
  )
  return rows.length === 1
}

/** Counts one more without ever refusing, and returns how many they are. */
export async function countThrottle(tx: Tx, bucket: string, forgetAfterS: number): Promise<number> {
  const [row] = await tx.query<{ tries: number }>(
    `insert into throttles as t (bucket, tries) values ($1, 1)
     on conflict (bucket) do update set
       tries = case when t.last_try < now() - $2::float8 * interval '1 second' then 1
                    else t.tries + 1 end,
       last_try = now()
     returning tries`,
    [bucket, forgetAfterS],
  )
  return row!.tries
}

/** Seconds until the bucket is free again; 0 or less when it is free. */
export async function throttleWait(tx: Tx, bucket: string): Promise<number> {
  const [row] = await tx.read<{ wait_s: number | null }>(
    `select extract(epoch from blocked_until - now())::float8 as wait_s
     from throttles where bucket = $1`,
    [bucket],
  )
  return row?.wait_s ?? 0
}

export async function clearThrottles(tx: Tx, buckets: string[]): Promise<void> {
  await tx.query('delete from throttles where bucket = any($1::text[])', [buckets])
}

/** Longer than any rule remembers. */
export function purgeThrottles(tx: Tx, batch: number): Promise<number> {
  const where = `last_try < now() - interval '2 days'`
  return deleteOldest(tx, batch, { table: 'throttles', where, order: 'last_try' })
}
