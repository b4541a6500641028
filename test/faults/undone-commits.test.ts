import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openBill, type Bill } from '../../src/gateway/bill/billable.ts'
import type { BillLine, Stage } from '../../src/gateway/bill/rows.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { Failure } from '../../src/lib/failure.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startTestServer, type TestServer } from '../support/local-server.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { billingOn, unwatched } from '../support/money/billing.ts'

/* A hold does not wait for the disk: a crash of the database may undo it while its process lives. */

let server: TestServer
let db: Db
before(async () => {
  // It writes on its own account every ten seconds only, so that a crash undoes what nobody waited for.
  server = await startTestServer({ settings: { wal_writer_delay: '10s' } })
  db = openDatabase({ url: server.url, poolSize: 4, log: silentLog })
  await migrate(db, silentLog)
})
after(async () => {
  await db.close()
  await server.stop()
})

const stage: Stage = { kind: 'chat', model: 'test/model' }
const line = (costMicro: bigint): BillLine => ({ stage, costMicro, latencyMs: 1, estimated: false })

async function fundedAccount(): Promise<string> {
  const accountId = uuidv7()
  const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: '' }
  const grant = { kind: 'grant' as const, accountId, amountMicro: 100_000n, entry }
  await db.begin((tx) => applyCommands(tx, [grant]))
  return accountId
}

const left = { status: 'cancelled', errorCode: 'caller_left', stage, latencyMs: 1 } as const

const crash = async () => {
  await server.halt('kill')
  await server.resume()
}

for (const [path, unconfirmedCapMicro] of [
  ['first', 0n],
  ['beside the call', 1_000n],
] as const) {
  test(`holds that a crash undid are not charged, those before a charge are: placed ${path}`, async () => {
    const accountId = await fundedAccount()
    const on = await billingOn(db, { unconfirmedCapMicro })
    const principal = { kind: 'key', accountId, keyId: uuidv7(), workspaceId: uuidv7() } as const
    const amounts = { estimateMicro: 100n, minimumMicro: 100n }
    async function open(): Promise<Bill> {
      const requestId = `req_${uuidv7()}`
      const bill = await openBill(on, unwatched({ principal, requestId, stage, ...amounts }))
      await bill.confirm(Promise.resolve())
      return bill
    }
    /** The server may write a hold to the disk all the same: then another one is made. */
    async function openAndLose(): Promise<Bill> {
      for (;;) {
        const bill = await open()
        await crash()
        const [, held] = await heldOf(accountId)
        if (held === 100n) return bill
        await bill.drop(left)
      }
    }
    const [early, charged] = [await open(), await open()]
    await charged.settle([line(10n)])
    const undone = await openAndLose()
    const isInterrupted = (error: unknown) =>
      error instanceof Failure && error.kind === 'unavailable'
    await assert.rejects(undone.settle([line(20n)]), isInterrupted)
    assert.equal((await early.settle([line(30n)])).chargedMicro, 30n)
    const next = await open()
    assert.equal((await next.settle([line(40n)])).chargedMicro, 40n)
    assert.deepEqual(await heldOf(accountId), [99_920n, 0n])
    assert.equal(on.openHolds.size, 0)
    await assertAgreement(db)
    const records = await db.query(
      `select coalesce(error_code, status) as how, count(*) from activity_records
       where account_id = $1 and status <> 'cancelled' group by 1 order by 1`,
      [accountId],
    )
    assert.deepEqual(records, [
      { how: 'completed', count: 3n },
      { how: 'interrupted', count: 1n },
    ])
  })
}

async function heldOf(accountId: string): Promise<[balance: bigint, held: bigint]> {
  const read = () =>
    db.query<{ balance_micro: bigint; held_micro: bigint }>(
      'select balance_micro, held_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
  // A crash leaves broken connections in the pool.
  const rows = await read().catch(read).catch(read).catch(read).catch(read)
  return [rows[0]!.balance_micro, rows[0]!.held_micro]
}
