import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { applyFinding } from '../../src/payments/apply-finding.ts'
import { insertPayment } from '../../src/payments/payments-store.ts'
import type { Found } from '../../src/payments/provider.ts'
import { DEFAULT_TIMING } from '../../src/payments/schedule.ts'
import { newReference } from '../../src/payments/topup.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshDb } from '../support/databases.ts'

/* What a provider keeps of a payment is recorded where it says so, and where that can be true. */

let db: Db
before(async () => (db = await freshDb()))
after(async () => {
  await assertAudit(db)
  await db.close()
})

const FOUND: Found = {
  status: 'completed',
  amountTzs: 5_000,
  currency: 'TZS',
  providerRef: undefined,
  network: 'airtel',
  failure: undefined,
  said: 'completed',
}

async function feeAfter(...findings: Partial<Found>[]): Promise<bigint | null> {
  const id = uuidv7()
  await insertPayment(db, {
    id,
    accountId: randomUUID(),
    provider: 'snippe',
    reference: newReference(),
    amountTzs: 5_000,
    creditsMicro: 5_000_000_000n,
    phoneNumber: '+255700000000',
    createBody: '{}',
    expiresInS: 60,
  })
  const timing = DEFAULT_TIMING
  const parts = { db, log: silentLog, timing, balanceWatch: undefined, onStep: () => {} }
  for (const finding of findings) {
    await applyFinding(parts, id, { ...FOUND, providerRef: `ref-${id}`, ...finding })
  }
  const [row] = await db.query<{ fee_tzs: bigint | null }>(
    'select fee_tzs from payments where id = $1',
    [id],
  )
  return row!.fee_tzs
}

test('the fee is kept with the payment, once', async () => {
  assert.equal(await feeAfter({ feeTzs: 90 }), 90n)
  assert.equal(await feeAfter({ feeTzs: 0 }), 0n)
  assert.equal(await feeAfter({ feeTzs: 90 }, { feeTzs: 70 }), 90n)
  assert.equal(await feeAfter({}, { feeTzs: 90 }), 90n, 'said later, when it was asked again')
})

test('it is unknown where nothing was said, or what cannot be', async () => {
  assert.equal(await feeAfter({}), null)
  assert.equal(await feeAfter({ feeTzs: 5_001 }), null)
  assert.equal(await feeAfter({ feeTzs: -1 }), null)
  assert.equal(await feeAfter({ status: 'pending', feeTzs: 90 }), null)
  assert.equal(await feeAfter({ amountTzs: 4_000, feeTzs: 90 }), null)
})
