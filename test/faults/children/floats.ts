import { setTimeout as wait } from 'node:timers/promises'
import { startHeartbeat } from '../../../src/billing/heartbeat-store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { openBill, type Billing } from '../../../src/gateway/bill/billable.ts'
import { openDoubtfulCharges } from '../../../src/gateway/bill/doubtful-charges.ts'
import { openPostingQueue } from '../../../src/gateway/bill/posting-queue.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'

/**
 * Run as a process of its own until it is killed: callers of two accounts, whose calls mostly draw
 * from floats. Each line of output is a charge that was confirmed.
 */
const [url = '', dataDir = '', ...accounts] = process.argv.slice(2)
const processId = uuidv7()
const db = openDatabase({ url, poolSize: 5, log: silentLog })
const heartbeat = await startHeartbeat(db, processId)
const queue = openPostingQueue({
  db,
  timeZone: 'UTC',
  noteBalances: async () => {},
  isNews: () => false,
  floats: { mostMicro: 4_000n, heartbeat },
})
const doubtfulCharges = await openDoubtfulCharges({ db, dataDir, log: silentLog })
const billing: Billing = { queue, doubtfulCharges, processId, clock: systemClock, log: silentLog }
const stage = { kind: 'chat', model: 'test/model' } as const
let drawn = 0
await Promise.all([beatOn(), giveBackNowAndThen(), ...Array.from({ length: 12 }, callOn)])

async function callOn(): Promise<void> {
  for (;;) {
    const accountId = accounts[Math.floor(Math.random() * accounts.length)]!
    const principal = { kind: 'key', accountId, keyId: uuidv7(), workspaceId: uuidv7() } as const
    const wantMicro = BigInt(50 + Math.floor(Math.random() * 50))
    const order = { principal, requestId: uuidv7(), stage, wantMicro, needMicro: wantMicro }
    const before = queue.undrawnMicro(accountId)
    const bill = await openBill(billing, order)
    if (queue.undrawnMicro(accountId) < before) drawn += 1
    await wait(Math.random() * 5)
    if (Math.random() < 0.2) {
      await bill.drop({ status: 'failed', errorCode: 'test', stage, latencyMs: 1 })
      continue
    }
    const line = { stage, costMicro: wantMicro / 2n, latencyMs: 1, estimated: false }
    const { chargedMicro } = await bill.settle([line])
    console.log(JSON.stringify({ chargedMicro: Number(chargedMicro), drawn }))
  }
}

async function beatOn(): Promise<void> {
  for (;;) {
    await wait(300)
    await heartbeat.run(new AbortController().signal)
  }
}

async function giveBackNowAndThen(): Promise<void> {
  for (;;) {
    await wait(Math.random() * 400)
    if (Math.random() < 0.5) await queue.returnFloats(0)
    else await queue.returnFloat(accounts[0]!)
  }
}
