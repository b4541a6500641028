import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Command } from '../../../src/ledger/commands.ts'
import { groupCommit } from '../../../src/db/group-commit.ts'
import { startLocalServer } from '../../../src/db/local/start.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/**
 * Run as a process of its own, with a server of its own: grants without end, and says each key once
 * it is committed.
 */
const [dataDir = '', accountId = ''] = process.argv.slice(2)
const server = await startLocalServer({ dataDir, connections: 20, log: silentLog })
const db = openDatabase({ url: server.url, poolSize: 10, log: silentLog })
await migrate(db, silentLog)
const ledger = groupCommit({ db, apply: (tx, items: Command[]) => applyCommands(tx, items) })
await Promise.all(Array.from({ length: 8 }, grantForEver))

async function grantForEver(): Promise<never> {
  for (;;) {
    const id = randomUUID()
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    await ledger.submit({ kind: 'grant', accountId, amountMicro: 3n, entry }).then(
      // Synchronous: what we said before the kill is not lost in a buffer of ours.
      () => writeSync(1, `${id}\n`),
      // The server is away, and nothing was said.
      () => sleep(20),
    )
  }
}
