import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { readPaidIn } from '../../src/operators/business/overview-store.ts'
import type { Db, Tx } from '../../src/db/db.ts'
import { withDatabase } from '../support/databases.ts'

const MIGRATION = new URL('../../src/db/migrations/0109-received-sums.sql', import.meta.url)

withDatabase('all that was ever paid in', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  async function pay(status: 'pending' | 'completed', amountTzs: number, provider = 'snippe') {
    const id = randomUUID()
    await db.query(
      `insert into payments (id, account_id, provider, reference, status, amount_tzs, credits_micro,
         phone_number, payer_name, expires_at, completed_at)
       values ($1, $2, $3, $4, $5, $6, $7, '+255712345678', '', now(),
         case when $5 = 'completed' then now() end)`,
      [id, randomUUID(), provider, id, status, amountTzs, BigInt(amountTzs) * 1_500_000n],
    )
    return id
  }
  const complete = (id: string, tx: Tx = db) =>
    tx.query(`update payments set status = 'completed', completed_at = now() where id = $1`, [id])

  test('a payment counts when it is completed, once, also beside others', async () => {
    assert.deepEqual(await readPaidIn(db), { payments: 0n, amountTzs: 0n, creditsMicro: 0n })
    const waiting = await Promise.all(Array.from({ length: 20 }, () => pay('pending', 1_000)))
    await pay('pending', 7)
    assert.equal((await readPaidIn(db)).payments, 0n)
    await Promise.all(waiting.flatMap((id) => [complete(id), complete(id)]))
    await pay('completed', 500, 'clickpesa')
    const paidIn = { payments: 21n, amountTzs: 20_500n, creditsMicro: 30_750_000_000n }
    assert.deepEqual(await readPaidIn(db), paidIn)
  })

  test('what was not committed does not count', async () => {
    const id = await pay('pending', 9_000)
    const before = await readPaidIn(db)
    const work = db.begin(async (tx) => {
      await complete(id, tx)
      throw new Error('It broke.')
    })
    await assert.rejects(work, /It broke/)
    assert.deepEqual(await readPaidIn(db), before)
  })

  test('payments from before the sums were kept are in them', async () => {
    const before = await readPaidIn(db)
    await db.script(`drop trigger payments_add_to_received on payments;
      drop function payment_adds_to_received; drop table received_sums;
      ${readFileSync(MIGRATION, 'utf8')}`)
    assert.deepEqual(await readPaidIn(db), before)
    await pay('completed', 1)
    assert.equal((await readPaidIn(db)).amountTzs, before.amountTzs + 1n)
  })
})
