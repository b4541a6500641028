import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

/* "I paid and got nothing": found, asked about, put right, and out of the queue. */

let app: Awaited<ReturnType<typeof startApp>>
let support: TestOperator
before(async () => {
  app = await startApp({ env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
  support = await newOperator(app, 'support')
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
})

const ask = (line: string, body?: object) =>
  app.call(line, { token: support.token, ...(body && { body }) })
const queue = async (name: string) =>
  (await ask(`GET /v1/operator/payments?queue=${name}`)).body.data.map(
    ({ id }: { id: string }) => id,
  )

/** A payment whose phone stays silent until the provider is told otherwise. */
async function silentPayment() {
  const asha = await app.customer('0')
  await app.db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [
    asha.accountId,
  ])
  const made = await app.call('POST /v1/payments/topup', {
    token: asha.token,
    body: { amount_tzs: 5000 },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await app.rooms.payments.idle()
  return { asha, id: made.body.data.id as string, reference: made.body.data.reference as string }
}
const credits = async (token: string) =>
  (await app.call('GET /v1/billing/balance', { token })).body.data.balance_credits

test('200: a stuck payment is found by its reference, checked, and credited once', async () => {
  const { asha, id, reference } = await silentPayment()
  await app.db.query(
    `update payments set created_at = created_at - interval '6 minutes', next_check_at = null
     where id = $1`,
    [id],
  )
  assert.ok((await queue('stuck')).includes(id))
  const found = await ask(`GET /v1/operator/accounts?q=${reference}`)
  assert.equal(found.body.data[0].id, asha.accountId)
  app.money.control.settle(reference, 'completed')
  for (let i = 0; i < 2; i++) {
    const checked = await ask(`POST /v1/operator/payments/${id}/check`, {})
    assert.equal(checked.body.data.status, 'completed')
    assert.equal(checked.body.data.account_id, asha.accountId)
  }
  assert.equal(await credits(asha.token), 5000)
  assert.ok(!(await queue('stuck')).includes(id))
  const log = await ask(`GET /v1/operator/actions?target=${id}`)
  assert.equal(log.body.data.at(-1).action, 'payment.check')
  assert.equal(log.body.data.length, 2)
})

test('200: what was taken back waits for a person, who says what was done', async () => {
  const { asha, id, reference } = await silentPayment()
  app.money.control.settle(reference, 'completed')
  await ask(`POST /v1/operator/payments/${id}/check`, {})
  app.money.control.takeBack(reference, { word: 'reversed' })
  await ask(`POST /v1/operator/payments/${id}/check`, { reason: 'The customer called' })
  assert.ok((await queue('review')).includes(id))
  const read = await ask(`GET /v1/operator/payments/${id}`)
  assert.equal(read.body.data.review.reason, 'reversed')
  const path = `POST /v1/operator/payments/${id}/resolution`
  const reason = 'Taken from the balance'
  refused(await ask(path, { action: 'x', reason }), 400, 'validation_error')
  refused(await ask(path, { action: 'refunded' }), 400, 'validation_error')
  assert.equal((await ask(path, { action: 'refunded', reason })).status, 200)
  refused(await ask(path, { action: 'refunded', reason }), 404, 'not_found')
  assert.ok(!(await queue('review')).includes(id))
  const log = await ask(`GET /v1/operator/actions?target=${id}&action=payment.resolve`)
  assert.equal(log.body.data[0].before.review, 'reversed')
  assert.deepEqual(log.body.data[0].after, { resolution: 'refunded' })
  // Nothing was taken from the customer by itself.
  assert.equal(await credits(asha.token), 5000)
})

test('404: a payment that does not exist; 400: a queue that does not', async () => {
  const nobody = uuidv7()
  refused(await ask(`GET /v1/operator/payments/${nobody}`), 404, 'not_found')
  refused(await ask(`POST /v1/operator/payments/${nobody}/check`, {}), 404, 'not_found')
  refused(await ask('GET /v1/operator/payments?queue=x'), 400, 'validation_error')
  assert.deepEqual(await queue('late'), [])
})

test('200: a statement is compared with our payments, and what differs is listed', async () => {
  const { id, reference } = await silentPayment()
  const compare = (csv: string, more: object = {}) => {
    const period = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
    }
    return ask('POST /v1/operator/payments/statement', { csv, ...period, ...more })
  }
  const csv = `reference,amount,status\n${reference},5000,success\nstranger,10,success`
  const before = await compare(csv)
  assert.equal(before.status, 200, JSON.stringify(before.body))
  const kinds = before.body.data.differences
    .filter(({ kind }: { kind: string }) => kind !== 'missing_there')
    .map(({ kind, payment_id: payment }: { kind: string; payment_id?: string }) => [kind, payment])
  assert.deepEqual(kinds, [
    ['not_credited', id],
    ['unknown_here', undefined],
  ])
  app.money.control.settle(reference, 'completed')
  await ask(`POST /v1/operator/payments/${id}/check`, {})
  const after = await compare(csv)
  assert.equal(after.body.data.matched, 1)
  for (const [field, bad, more] of [
    ['csv', 'a,b', {}],
    ['csv', '', {}],
    ['to', csv, { to: '2020-01-01T00:00:00Z' }],
    ['from', csv, { from: 'yesterday' }],
  ] as const) {
    const answer = await compare(bad, more)
    refused(answer, 400, 'validation_error')
    assert.match(answer.body.message, new RegExp(`^${field} `))
  }
})
