import type { Db } from '../db/db.ts'
import { tablesDueForUpkeep, vacuumTable } from '../db/upkeep-store.ts'
import type { Duty } from '../lib/duty.ts'

/**
 * A server clears dead rows by itself; the embedded engine has nobody to do it. Table by table, so
 * that requests get their turn in between.
 */
export function upkeep(db: Db): Duty[] {
  if (db.engine === 'server') return []
  return [
    {
      name: 'upkeep',
      everyMs: 5 * 60_000,
      async run(signal) {
        for (const name of await tablesDueForUpkeep(db)) {
          if (signal.aborted) return
          await vacuumTable(db, name)
        }
      },
    },
  ]
}
