import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { readPaidIn } from '../../src/operators/business/overview-store.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { applyFinding } from '../../src/payments/apply-finding.ts'
import { insertPayment } from '../../src/payments/payments-store.ts'
import { DEFAULT_TIMING } from '../../src/payments/schedule.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('all that was ever paid in', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  async function order(amountTzs: number, provider = 'snippe'): Promise<string> {
    const { id } = await insertPayment(db, {
      id: randomUUID(),
      accountId: randomUUID(),
      provider,
      reference: randomUUID(),
      amountTzs,
      creditsMicro: BigInt(amountTzs) * 1_500_000n,
      phoneNumber: '+255712345678',
      createBody: '{}',
      expiresInS: 1_800,
    })
    return id
  }

  function complete(id: string, amountTzs: number, onStep: (step: string) => void = () => {}) {
    const parts = { db, log: silentLog, timing: DEFAULT_TIMING, balanceWatch: undefined, onStep }
    return applyFinding(parts, id, {
      status: 'completed',
      amountTzs,
      currency: 'TZS',
      providerRef: `their ${id}`,
      network: undefined,
      failure: undefined,
      said: 'completed',
    })
  }

  test('a payment counts when it is completed, once, also beside others', async () => {
    assert.deepEqual(await readPaidIn(db), { payments: 0n, amountTzs: 0n, creditsMicro: 0n })
    const waiting = await Promise.all(Array.from({ length: 20 }, () => order(1_000)))
    await order(700)
    assert.equal((await readPaidIn(db)).payments, 0n)
    await Promise.all(waiting.flatMap((id) => [complete(id, 1_000), complete(id, 1_000)]))
    await complete(await order(500, 'clickpesa'), 500)
    const paidIn = { payments: 21n, amountTzs: 20_500n, creditsMicro: 30_750_000_000n }
    assert.deepEqual(await readPaidIn(db), paidIn)
    await assertAudit(db)
  })

  test('what was not committed does not count, nor what was paid otherwise than ordered', async () => {
    const before = await readPaidIn(db)
    const broken = complete(await order(9_000), 9_000, (step) => {
      if (step === 'credit_written') throw new Error('It broke.')
    })
    await assert.rejects(broken, /It broke/)
    await complete(await order(9_000), 8_000)
    assert.deepEqual(await readPaidIn(db), before)
    await assertAudit(db)
  })
})
