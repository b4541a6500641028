import type { Tx } from '../db/db.ts'
import type { Hold } from './ledger.ts'
import { holdOf, type HoldRow } from './ledger-store.ts'

/** Open holds of a process that are older than this. */
export async function holdsOf(
  tx: Tx,
  options: { processId: string; olderThanMs: number; limit: number },
): Promise<Hold[]> {
  const rows = await tx.read<HoldRow>(
    `select * from holds where owner_process = $1
       and created_at < now() - $2::int4 * interval '1 ms'
     order by created_at limit $3`,
    [options.processId, options.olderThanMs, options.limit],
  )
  return rows.map(holdOf)
}

/**
 * Open holds of processes that stopped signing, and not so new that their owner may be a process
 * whose first beat we cannot see yet. Only reads: closing them is the ledger's work.
 */
export async function holdsOfTheDead(
  tx: Tx,
  options: { deadAfterMs: number; limit: number },
): Promise<Hold[]> {
  const rows = await tx.read<HoldRow>(
    `select holds.* from holds left join processes on processes.id = owner_process
     where owner_process is not null
       and created_at < now() - $1::int4 * interval '1 ms'
       and coalesce(beat_at, '-infinity') < now() - $1::int4 * interval '1 ms'
     order by created_at limit $2`,
    [options.deadAfterMs, options.limit],
  )
  return rows.map(holdOf)
}

export async function holdsPastDeadline(tx: Tx, options: { limit: number }): Promise<Hold[]> {
  const rows = await tx.read<HoldRow>(
    'select * from holds where deadline < now() order by deadline limit $1',
    [options.limit],
  )
  return rows.map(holdOf)
}
