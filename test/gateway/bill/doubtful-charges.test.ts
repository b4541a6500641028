import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { insertRecords } from '../../../src/activity/activity-store.ts'
import { applyCommands } from '../../../src/billing/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { openDebts, type Debt } from '../../../src/gateway/bill/doubtful-charges.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { assertAgreement } from '../../support/agreement.ts'
import { onEachEngine } from '../../support/databases.ts'

const PAID_IN = 100_000n
const PRICE = 700n

onEachEngine('charges in doubt', (open) => {
  let db: Db
  let folder: string
  before(async () => {
    db = await open()
    folder = join(await mkdtemp(join(tmpdir(), 'mlango-debts-')), 'refunds')
  })
  after(async () => {
    await assertAgreement(db)
    await rm(folder, { recursive: true, force: true })
  })

  /** An account with credits and one open hold, as a call in flight has it. */
  async function inFlight(): Promise<Debt> {
    const [accountId, holdId] = [uuidv7(), uuidv7()]
    const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
    const owner = { process: uuidv7() }
    await db.begin((tx) =>
      applyCommands(tx, [
        { kind: 'grant', accountId, amountMicro: PAID_IN, entry },
        { kind: 'hold', accountId, holdId, wantMicro: 900n, needMicro: 900n, owner, about: {} },
      ]),
    )
    return { accountId, holdId, recordIds: [uuidv7()], model: 'sim/fixed' }
  }

  /** The commit whose answer was lost. */
  async function charge({ accountId, holdId, recordIds, model }: Debt): Promise<void> {
    const [id] = recordIds as [string]
    const about = { type: 'usage' as const, key: `usage:${id}`, description: model }
    const entry = { id, ...about, reference: { type: 'activity', id } }
    const charges = [{ costMicro: PRICE, entry }]
    const record = { id, accountId, model, requestId: `req_${id}`, kind: 'chat' as const }
    const end = { status: 'completed' as const, costMicro: PRICE, estimated: false, latencyMs: 1 }
    await db.begin(async (tx) => {
      await applyCommands(tx, [{ kind: 'settle', accountId, holdId, charges }])
      await insertRecords(tx, [{ ...record, ...end, createdAt: new Date() }], 'UTC')
    })
  }

  async function balance({ accountId }: Debt): Promise<bigint> {
    const [row] = await db.query<{ balance_micro: bigint }>(
      'select balance_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    return row!.balance_micro
  }

  test('a charge that was committed is given back once, and the note is gone', async () => {
    const debts = openDebts({ db, folder, log: silentLog })
    const debt = await inFlight()
    await charge(debt)
    await debts.note(debt)
    assert.deepEqual(await readdir(folder), [`${debt.holdId}.json`])
    await debts.pay()
    await debts.pay()
    assert.equal(await balance(debt), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('the note of a process that died is paid by the next, even by two at once', async () => {
    const debt = await inFlight()
    await openDebts({ db, folder, log: silentLog }).note(debt)
    await charge(debt)
    const next = [1, 2].map(() => openDebts({ db, folder, log: silentLog }))
    await Promise.all(next.map((one) => one.pay()))
    assert.equal(await balance(debt), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('while the hold is open nothing is decided; released, nothing is owed', async () => {
    const debts = openDebts({ db, folder, log: silentLog })
    const debt = await inFlight()
    await debts.note(debt)
    await debts.pay()
    assert.deepEqual(await readdir(folder), [`${debt.holdId}.json`])
    const { accountId, holdId } = debt
    await db.begin((tx) => applyCommands(tx, [{ kind: 'release', accountId, holdId }]))
    await debts.pay()
    assert.equal(await balance(debt), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('a folder that cannot be written costs nobody anything while the process lives', async () => {
    const blocked = `${folder}-blocked`
    await writeFile(blocked, 'a file where the folder should be')
    const debts = openDebts({ db, folder: blocked, log: silentLog })
    const debt = await inFlight()
    await charge(debt)
    await debts.note(debt)
    await debts.pay()
    assert.equal(await balance(debt), PAID_IN)
    await rm(blocked)
  })

  test('a note that can never be paid stays, and keeps nobody behind it waiting', async () => {
    const debts = openDebts({ db, folder, log: silentLog })
    const [never, debt] = [await inFlight(), await inFlight()]
    const { accountId, holdId } = never
    await db.begin((tx) => applyCommands(tx, [{ kind: 'release', accountId, holdId }]))
    await debts.note({ ...never, recordIds: ['no id of ours'] })
    await charge(debt)
    await debts.note(debt)
    await debts.pay()
    assert.equal(await balance(debt), PAID_IN)
    assert.deepEqual(await readdir(folder), [`${holdId}.json`])
    await rm(join(folder, `${holdId}.json`))
  })
})
