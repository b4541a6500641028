import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { applyCommands } from '../../../src/billing/ledger-store.ts'
import type { Command } from '../../../src/billing/commands.ts'
import { groupCommit } from '../../../src/db/group-commit.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Run as a process of its own: grants without end, and says each key once it is committed. */
const [where = '', accountId = ''] = process.argv.slice(2)
const place = where.startsWith('postgres') ? { DATABASE_URL: where } : { DATABASE_URL: undefined }
const db = await openDatabase({ ...place, DATABASE_POOL: 10, DATA_DIR: where }, silentLog)
await migrate(db, silentLog)
const ledger = groupCommit({ db, apply: (tx, items: Command[]) => applyCommands(tx, items) })
await Promise.all(Array.from({ length: 8 }, grantForEver))

async function grantForEver(): Promise<never> {
  for (;;) {
    const id = randomUUID()
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    await ledger.submit({ kind: 'grant', accountId, amountMicro: 3n, entry })
    // Synchronous: what we said before the kill is not lost in a buffer of ours.
    writeSync(1, `${id}\n`)
  }
}
