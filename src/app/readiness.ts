import { answers } from '../db/answers.ts'
import type { Tx } from '../db/db.ts'
import { within } from '../lib/clock.ts'

/** What a process needs before it can serve a call. */
export type NeededPart = 'database' | 'catalog'

/** Probes within this time share one answer: however many there are, the database is asked once. */
const REMEMBERED_MS = 1_000
/** A prober waits about this long; the database itself is given more. */
const PATIENCE_MS = 2_000

/** Gives a function that names the parts that are missing. It never throws. */
export function createReadiness(parts: {
  db: Tx
  models: () => number
  nowMs?: () => number
}): () => Promise<NeededPart[]> {
  const { db, models, nowMs = () => performance.now() } = parts
  let known: { untilMs: number; missing: Promise<NeededPart[]> } | undefined
  let asking: Promise<boolean> | undefined
  const look = async (): Promise<NeededPart[]> => {
    // While a question waits for its answer no other is asked: they would fill the pool.
    asking ??= answers(db).finally(() => {
      asking = undefined
    })
    const missing: NeededPart[] = []
    if (!(await within(PATIENCE_MS, asking, () => false))) missing.push('database')
    if (models() === 0) missing.push('catalog')
    return missing
  }
  return () => {
    if (known === undefined || known.untilMs <= nowMs()) {
      known = { untilMs: nowMs() + REMEMBERED_MS, missing: look() }
    }
    return known.missing
  }
}
