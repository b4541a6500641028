import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command, Entry } from '../../../../src/ledger/commands.ts'
import { startHeartbeat } from '../../../../src/ledger/heartbeat-store.ts'
import { applyCommands } from '../../../../src/ledger/ledger-store.ts'
import { startLocalServer } from '../../../../src/db/local/start.ts'
import { groupCommit } from '../../../../src/db/group-commit.ts'
import { migrate } from '../../../../src/db/migrate.ts'
import { openDatabase } from '../../../../src/db/database.ts'
import { silentLog } from '../../../../src/lib/log.ts'

/**
 * Run as a process of its own: a server in the folder given, and callers that grant, hold and settle
 * without end. Each entry is told on stdout once its commit was answered. SIGTERM stops it politely.
 */
const [dataDir = '', binDir = '', settings = '{}', ...accounts] = process.argv.slice(2)
const server = await startLocalServer({
  dataDir,
  binDir,
  connections: 20,
  log: silentLog,
  settings: JSON.parse(settings) as Record<string, string>,
})
const db = openDatabase({ url: server.url, poolSize: 10, log: silentLog })
await migrate(db, silentLog)
const processId = randomUUID()
await startHeartbeat(db, processId)
const ledger = groupCommit({ db, apply: (tx, items: Command[]) => applyCommands(tx, items) })
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
writeSync(1, 'ready\n')
await Promise.all([checkpoints(), ...Array.from({ length: 12 }, earn)])
await db.close()
await server.stop()

async function earn(): Promise<void> {
  while (!stopping.signal.aborted) {
    const accountId = accounts[Math.floor(Math.random() * accounts.length)]!
    const grant = entry('topup')
    await ledger.submit({ kind: 'grant', accountId, amountMicro: 10n, entry: grant })
    tell(grant)
    const holdId = randomUUID()
    const amounts = { estimateMicro: 5n, minimumMicro: 5n }
    const owner = { process: processId }
    const held = await ledger.submit({
      kind: 'hold',
      accountId,
      holdId,
      ...amounts,
      owner,
      about: {},
    })
    if (held.kind !== 'held') continue
    const charge = entry('usage')
    const charges = [{ costMicro: 4n, entry: charge }]
    const settled = await ledger.submit({ kind: 'settle', accountId, holdId, charges })
    if (settled.kind === 'settled') tell(charge)
  }
}

/** Pages are written and synced while the load goes on, and the log is cut and used again. */
async function checkpoints(): Promise<void> {
  while (!stopping.signal.aborted) {
    await sleep(300 + Math.random() * 700)
    await db.query('checkpoint')
  }
}

/** Synchronous: what was told before the end is not lost in a buffer of ours. */
function tell({ key }: Entry): void {
  writeSync(1, `${key}\n`)
}

function entry(type: Entry['type']): Entry {
  const id = randomUUID()
  return { id, type, key: id, description: 'Power' }
}
