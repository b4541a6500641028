import type { Db } from '../../../src/db/db.ts'
import { eventually } from '../eventually.ts'

/** The hold of a caller who left is released in the background. */
export async function noHolds({ db }: { db: Db }): Promise<void> {
  await eventually('no hold is open', async () => {
    return (await db.query('select from holds limit 1')).length === 0
  })
}
