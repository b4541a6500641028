import { setTimeout as pause } from 'node:timers/promises'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Db, Tx } from './db.ts'

/** Deletes up to `batch` expired rows, by the database's clock; says how many. */
export type Purge = (tx: Tx, batch: number) => Promise<number>

const HOUR_MS = 3_600_000
const BATCH = 500
/** Between batches, so that years of rows leave the database to the callers. */
const REST_MS = 50

/**
 * Keeps tables within their bounds, in small transactions. Every process runs it: what another is
 * just deleting, or a caller has locked, is left out.
 */
export function purgeJob(parts: {
  db: Db
  name: string
  purges: Purge[]
  everyMs?: number
}): BackgroundJob {
  const { db, name, purges, everyMs = HOUR_MS } = parts
  return {
    name,
    everyMs,
    async run(signal) {
      const failures: unknown[] = []
      for (const purge of purges) {
        await purgeAll(db, purge, signal).catch((error: unknown) => failures.push(error))
      }
      // One that fails does not stop the others; the loop logs it and tries again.
      if (failures.length > 0) throw failures[0]
    },
  }
}

async function purgeAll(db: Db, purge: Purge, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await purge(db, BATCH)) === BATCH) await pause(REST_MS)
}

/**
 * Deletes the oldest rows that fit. `where` may use $2 and on, `order` must have an index. The
 * texts are ours, never a caller's.
 */
export async function deleteOldest(
  tx: Tx,
  batch: number,
  rows: { table: string; where: string; order: string; params?: unknown[] },
): Promise<number> {
  const { table, where, order, params = [] } = rows
  const deleted = await tx.query(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${where} order by ${order} limit $1
       for update skip locked))
     returning 1 as deleted`,
    [batch, ...params],
  )
  return deleted.length
}
