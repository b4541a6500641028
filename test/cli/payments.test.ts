import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { App } from '../../src/app/app.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { runMlango } from '../support/command.ts'
import { freshDatabase } from '../support/databases.ts'
import {
  addAccount,
  creditsFor,
  FAST,
  KEYS,
  startMoney,
  startPayments,
} from '../support/payments.ts'

describe('npm run mlango', () => {
  let url: string
  let db: Db
  let simulator: MoneySimulator
  let service: Awaited<ReturnType<typeof startPayments>>
  const dataDir = mkdtempSync(join(tmpdir(), 'mlango-operator-'))
  const accountId = randomUUID()

  before(async () => {
    url = await freshDatabase()
    db = openDatabase({ url, poolSize: 4, log: silentLog })
    simulator = await startMoney()
    const timing = { ...FAST, pendingS: [3600] }
    service = await startPayments({ db, simulator, phone: '1230015', timing })
    await addAccount(db, accountId)
  })
  after(async () => {
    await service.close()
    await simulator.close()
    await assertAudit(db)
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** In this process. */
  async function mlango(...args: string[]): Promise<{ code: number; out: string }> {
    const lines: string[] = []
    const app = { db, payments: service.payments } as unknown as App
    const code = await runCommand(args, app, (line) => lines.push(line))
    return { code, out: lines.map((line) => `${line}\n`).join('') }
  }

  const asProcess = (...args: string[]) =>
    runMlango(
      {
        DATABASE_URL: url,
        MASTER_KEY: 'a master key for tests, long enough',
        DATA_DIR: dataDir,
        PAYMENT_PROVIDER: 'snippe',
        SNIPPE_BASE_URL: simulator.url,
        SNIPPE_API_KEY: KEYS.snippe.apiKey,
        SNIPPE_WEBHOOK_SECRET: KEYS.snippe.webhookSecret,
      },
      ...args,
    )

  test('payments list shows what is stuck, payments check asks the provider and credits', async () => {
    const topUp = { accountId, amountTzs: 5000, keep: undefined }
    const { id, reference } = await service.payments.topUp(topUp)
    await service.payments.idle()
    const listed = await asProcess('payments', 'list', '--status', 'pending')
    assert.equal(listed.code, 0)
    assert(listed.out.includes(id))
    assert.doesNotMatch(listed.out, /\+255/)
    simulator.control.settle(reference, 'completed')
    const checked = await mlango('payments', 'check', id)
    assert.equal(checked.code, 0)
    assert.match(checked.out, /completed/)
    assert.equal((await findById(db, id))?.status, 'completed')
    assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
    assert.match((await mlango('payments', 'list', '--status', 'pending')).out, /^0 shown/)
  })

  test('a payment that was taken back is listed until an operator has dealt with it', async () => {
    const topUp = { accountId, amountTzs: 5000, keep: undefined }
    const { id, reference } = await service.payments.topUp(topUp)
    await service.payments.idle()
    simulator.control.settle(reference, 'completed')
    await mlango('payments', 'check', id)
    assert.match((await mlango('payments', 'list', '--review')).out, /^0 shown/)
    simulator.control.takeBack(reference, { word: 'reversed' })
    await mlango('payments', 'check', id)
    const listed = await asProcess('payments', 'list', '--review')
    assert.match(listed.out, new RegExp(`${id}.*REVIEW=reversed  said="reversed TZS 5000"  at=20`))
    assert.equal((await mlango('payments', 'reviewed', id)).code, 2)
    const by = ['--operator', 'neema', '--note', 'ticket 8']
    assert.equal((await mlango('payments', 'reviewed', 'no-id', ...by)).code, 1)
    assert.equal((await mlango('payments', 'reviewed', id, ...by)).code, 0)
    assert.equal((await mlango('payments', 'reviewed', id, ...by)).code, 1)
    assert.match((await mlango('payments', 'list', '--review')).out, /^0 shown/)
    const all = (await mlango('payments', 'list', '--status', 'completed')).out
    assert.match(all, new RegExp(`${id}.*reviewed=reversed.*by="neema"`))
    assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
    const [row] = await db.query('select review_note from payments where id = $1', [id])
    assert.equal(row?.review_note, 'ticket 8')
  })

  test('accounts adjust credits and debits, with the name of the operator', async () => {
    const by = ['--reason', 'Goodwill', '--operator', 'neema', '--key', 'ticket 7']
    const credit = await mlango('accounts', 'adjust', accountId, '+12.5', ...by)
    assert.equal(credit.code, 0)
    assert(credit.out.startsWith(`Account ${accountId} now has 10012.5 credits.\n`))
    assert.match((await mlango('accounts', 'adjust', accountId, '+12.5', ...by)).out, /before/)
    const why = ['--reason', 'Mistake', '--operator', 'neema']
    assert.equal((await mlango('accounts', 'adjust', accountId, '-2.5', ...why)).code, 0)
    const refused = await mlango('accounts', 'adjust', accountId, '-999999', ...why)
    assert.equal(refused.code, 1)
    assert.match(refused.out, /^Only 10010 credits are available\./)
    const rows = await db.query(
      `select amount_micro, description, operator from ledger_entries
       where type = 'adjustment' order by seq`,
    )
    assert.deepEqual(rows, [
      { amount_micro: 12_500_000n, description: 'Goodwill', operator: 'neema' },
      { amount_micro: -2_500_000n, description: 'Mistake', operator: 'neema' },
    ])
  })

  test('what makes no sense changes nothing', async () => {
    const by = ['--reason', 'x', '--operator', 'y']
    assert.equal((await mlango('accounts', 'adjust', accountId, '5')).code, 2)
    assert.equal((await mlango('accounts', 'adjust', randomUUID(), '5', ...by)).code, 1)
    assert.equal((await mlango('payments', 'list', '--status', 'stuck')).code, 2)
    assert.equal((await mlango('payments', 'list', '--status', 'failed', '--review')).code, 2)
  })
})
