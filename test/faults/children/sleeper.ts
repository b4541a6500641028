import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Entry } from '../../../src/ledger/commands.ts'
import { startHeartbeat } from '../../../src/ledger/heartbeat-store.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { startBackgroundJobs } from '../../../src/app/job-loop.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Run as a process of its own: takes a hold, beats, and settles it on SIGUSR2. */
const [url = '', accountId = ''] = process.argv.slice(2)
const processId = randomUUID()
const holdId = randomUUID()
const db = openDatabase({ url, poolSize: 2, log: silentLog })
const heartbeat = await startHeartbeat(db, processId)
const jobs = startBackgroundJobs([{ ...heartbeat, everyMs: 50 }], silentLog)
const signalled = once(process, 'SIGUSR2')

await db.begin((tx) =>
  applyCommands(tx, [
    { kind: 'grant', accountId, amountMicro: 100n, entry: entry('topup') },
    {
      kind: 'hold',
      accountId,
      holdId,
      estimateMicro: 40n,
      minimumMicro: 40n,
      owner: { process: processId },
      about: {},
    },
  ]),
)
console.log('held')
await signalled
const charges = [{ costMicro: 10n, entry: entry('usage') }]
const [outcome] = await db.begin((tx) =>
  applyCommands(tx, [{ kind: 'settle', accountId, holdId, charges }]),
)
console.log(outcome!.kind)
await jobs.stop()
await db.close()

function entry(type: Entry['type']): Entry {
  const id = randomUUID()
  return { id, type, key: id, description: '' }
}
