import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { Failure } from '../../src/lib/failure.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { openPayment } from '../../src/payments/topup.ts'
import { withDatabase } from '../support/databases.ts'

const NOWHERE = { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', webhookSecret: 's' }
const provider = snippe({ ...NOWHERE, callbackUrl: () => '', fallbackEmail: undefined })
const rules = {
  minTzs: 500,
  maxTzs: 5_000,
  creditsPerTzs: '1',
  requireVerifiedPhone: false,
  expiresInS: 600,
}

withDatabase('payments that wait for a PIN', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  type Who = { accountId?: string; phoneNumber: string; phoneVerified?: boolean }
  const topUp = ({ accountId = uuidv7(), phoneNumber, phoneVerified = false }: Who) => {
    const payer = { name: 'Asha', email: undefined, phoneNumber, phoneVerified }
    const parts = { db, provider, rules, payerOf: async () => payer }
    return openPayment(parts, { accountId, amountTzs: 500, keep: undefined })
  }

  /** How many of eight at one moment are let through. The others are told what to do. */
  async function ofEight(who: () => Who): Promise<number> {
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => topUp(who())))
    const refused = ends.filter((end) => end.status === 'rejected')
    for (const { reason } of refused) {
      assert.ok(reason instanceof Failure, String(reason))
      assert.deepEqual([reason.kind, reason.param], ['rate_limited', 'phone_number'])
      assert.ok(reason.retryAfterS! > 0 && reason.retryAfterS! <= 600)
    }
    return ends.length - refused.length
  }

  test('are bounded for an account, whatever numbers it names', async () => {
    const accountId = uuidv7()
    let nth = 0
    const who = () => ({ accountId, phoneNumber: `+25571200000${nth++}`, phoneVerified: true })
    assert.equal(await ofEight(who), 5)
  })

  test('are bounded on a phone, whoever names it, and its owner is not kept out', async () => {
    const phoneNumber = '+255713000000'
    assert.equal(await ofEight(() => ({ phoneNumber })), 5)
    const accountId = uuidv7()
    assert.equal(await ofEight(() => ({ accountId, phoneNumber, phoneVerified: true })), 5)
  })

  test('make room when they end or expire', async () => {
    const who = { accountId: uuidv7(), phoneNumber: '+255714000000' }
    assert.equal(await ofEight(() => who), 5)
    await db.query(
      `update payments set expires_at = now() where id in
         (select id from payments where account_id = $1 limit 1)`,
      [who.accountId],
    )
    await topUp(who)
    await db.query(`update payments set status = 'failed' where account_id = $1`, [who.accountId])
    assert.equal(await ofEight(() => who), 5)
  })
})
