import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'

export type UpstreamMinute = {
  upstream: string
  at: Date
  calls: number
  errors: number
  latencies: number[]
  troubled: number
}

/** Adds to what other processes counted in the same minute. */
export async function addMinutes(tx: Tx, minutes: readonly UpstreamMinute[]): Promise<void> {
  const rows = minutes.map((one) => ({ ...one, latencies: `{${one.latencies.join()}}` }))
  await tx.query(
    `insert into upstream_minutes as known (upstream, at, calls, errors, latencies, troubled)
     select upstream, at, calls, errors, latencies::int[], troubled
     from jsonb_to_recordset($1::text::jsonb) as m(upstream text, at timestamptz, calls int,
       errors int, latencies text, troubled int)
     order by upstream, at
     on conflict (upstream, at) do update set calls = known.calls + excluded.calls,
       errors = known.errors + excluded.errors, troubled = known.troubled + excluded.troubled,
       latencies = (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by n)
         from unnest(known.latencies, excluded.latencies) with ordinality as both_of(a, b, n))`,
    [JSON.stringify(rows)],
  )
}

/** Oldest first. Of one upstream, or of all. */
export async function readMinutes(
  tx: Tx,
  span: { upstream: string | undefined; from: Date; to: Date },
): Promise<UpstreamMinute[]> {
  return tx.read<UpstreamMinute>(
    `select upstream, at, calls, errors, latencies, troubled from upstream_minutes
     where at >= $1 and at < $2 and ($3::text is null or upstream = $3) order by at, upstream`,
    [span.from, span.to, span.upstream ?? null],
  )
}

/** The last minute in which a process saw each upstream in trouble. */
export async function readLastTrouble(tx: Tx): Promise<Map<string, Date>> {
  const rows = await tx.read<{ upstream: string; at: Date }>(
    'select upstream, max(at) as at from upstream_minutes where troubled > 0 group by upstream',
  )
  return new Map(rows.map(({ upstream, at }) => [upstream, at]))
}

export function purgeMinutes(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'upstream_minutes',
    where: `at < now() - interval '30 days'`,
    order: 'at',
  })
}
