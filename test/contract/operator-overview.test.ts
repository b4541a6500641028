import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { creditsNumber } from '../../src/billing/money.ts'
import { refused } from '../support/accounts.ts'
import { assertBooks } from '../support/audit.ts'
import { startHouse } from '../support/house.ts'
import { newOperator, type TestOperator } from '../support/operators.ts'

let house: Awaited<ReturnType<typeof startHouse>>
let owner: TestOperator
before(async () => {
  house = await startHouse({ env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
  owner = await newOperator(house, 'owner')
})
after(async () => {
  await assertBooks(house.db)
  await house.close()
})

const overview = (query = '') =>
  house.call(`GET /v1/operator/overview${query}`, { token: owner.token })

/** What the ledger itself says, row by row. */
async function ledger(): Promise<Record<string, number>> {
  const rows = await house.db.query<{ type: string; micro: bigint }>(
    'select type, sum(amount_micro)::int8 as micro from ledger_entries group by type',
  )
  return Object.fromEntries(rows.map(({ type, micro }) => [type, creditsNumber(micro)]))
}

async function trade(): Promise<void> {
  const asha = await house.customer('25')
  await house.db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [
    asha.accountId,
  ])
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] }
  for (let i = 0; i < 3; i++) {
    const answer = await house.call('POST /v1/chat/completions', { token: asha.key, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const made = await house.call('POST /v1/payments/topup', {
    token: asha.token,
    body: { amount_tzs: 5000 },
  })
  await house.house.payments.idle()
  house.money.control.settle(made.body.data.reference, 'completed')
  await house.house.payments.check(made.body.data.id)
  const reason = 'Goodwill'
  const path = `POST /v1/operator/accounts/${asha.accountId}/adjustments`
  for (const amount of [7.5, -1.25]) {
    await house.call(path, { token: owner.token, body: { amount_credits: amount, reason } })
  }
}

test('200: after some trade every figure is the ledger, to the microcredit', async () => {
  await trade()
  await trade()
  const { status, body } = await overview()
  assert.equal(status, 200, JSON.stringify(body))
  const { data } = body
  const { usage = 0, ...credits } = await ledger()
  assert.ok(usage < 0)
  assert.equal(data.used_credits, -usage)
  for (const [type, amount] of Object.entries(credits)) assert.equal(data.credits[type], amount)
  assert.equal(data.received_tzs, 10_000)
  assert.equal(data.payments, 2)
  assert.equal(data.credits.topup, 10_000)
  const [owed] = await house.db.query<{ micro: bigint }>(
    'select sum(balance_micro)::int8 as micro from ledger_accounts',
  )
  assert.equal(data.owed.balance_credits, creditsNumber(owed!.micro))
  for (const parts of [data.days, data.by_model]) {
    const used = parts.reduce(
      (sum: bigint, one: { used_credits: number }) =>
        sum + BigInt(Math.round(one.used_credits * 1e6)),
      0n,
    )
    assert.equal(creditsNumber(used), data.used_credits)
  }
})

test('200: days without anything are empty; 400: days that make no sense', async () => {
  const { body } = await overview('?from=2020-01-01&to=2020-01-31')
  assert.equal(body.data.received_tzs, 0)
  assert.deepEqual(body.data.days, [])
  for (const [field, query] of [
    ['from', 'from=2020-02-30'],
    ['to', 'to=x'],
    ['to', 'from=2020-02-02&to=2020-02-01'],
    ['to', 'from=2020-02-02&to=2022-02-01'],
  ]) {
    const answer = await overview(`?${query}`)
    refused(answer, 400, 'validation_error')
    assert.ok(answer.body.message.startsWith(`${field} `), answer.body.message)
  }
})
