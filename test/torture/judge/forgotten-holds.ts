import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../src/db/db.ts'
import { FORGOTTEN_MS } from '../rig/faults.ts'
import { shown } from './invariants.ts'

/**
 * Looks for holds that live processes have forgotten, as long as a run lasts. No call of it takes so
 * long that its process may still know such an old hold.
 */
export function watchHolds(db: Db): { stop(): Promise<string[]> } {
  const found = new Map<string, string>()
  const stopped = new AbortController()
  const watching = watch(async () => {
    const rows = await db.query<{ id: string }>(
      `select holds.id, account_id, created_at, about, now() as seen_at from holds
       join processes on processes.id = owner_process
       where beat_at > now() - interval '20 s'
         and created_at < now() - $1::int4 * interval '1 ms'`,
      [FORGOTTEN_MS],
    )
    for (const row of rows) found.set(row.id, `I3: forgotten by a live process: ${shown(row)}`)
  }, stopped.signal)
  return {
    async stop() {
      stopped.abort()
      await watching
      return [...found.values()]
    },
  }
}

async function watch(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The database may be away: that is a fault of the run.
    await look().catch(() => {})
    await sleep(1_000, undefined, { signal }).catch(() => {})
  }
}
