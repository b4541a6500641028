import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { creditsNumber } from '../../../src/ledger/money.ts'
import { addPendingRollups } from '../../../src/activity/summing-store.ts'
import { dayAfter, dayAt } from '../../../src/lib/days.ts'
import { refused } from '../../support/accounts.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { assertOverview, independentFigures } from '../../support/money/independent-figures.ts'
import type { Loose } from '../../support/loose.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

const ZONE = 'Africa/Dar_es_Salaam'
const today = () => dayAt(new Date(), ZONE)

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
before(async () => {
  app = await startApp({
    env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false', TZS_PER_USD: '2500' },
  })
  owner = await newOperator(app, 'owner')
})
after(async () => {
  await assertAgreement(app.db)
  await app.close()
})

const overview = (query = '') =>
  app.call(`GET /v1/operator/overview${query}`, { token: owner.token })
const series = (query: string) =>
  app.call(`GET /v1/operator/series?${query}`, { token: owner.token })
const setRate = (day: string, tzs_per_usd: unknown, token = owner.token) =>
  app.call(`PUT /v1/operator/fx/${day}`, { token, body: { tzs_per_usd } })

/** What the ledger itself says, row by row. */
async function ledger(): Promise<Record<string, number>> {
  const rows = await app.db.query<{ type: string; micro: bigint }>(
    'select type, sum(amount_micro)::int8 as micro from ledger_entries group by type',
  )
  return Object.fromEntries(rows.map(({ type, micro }) => [type, creditsNumber(micro)]))
}

async function trade(): Promise<void> {
  const asha = await app.customer('25')
  await app.db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [
    asha.accountId,
  ])
  const messages = [{ role: 'user', content: 'Habari' }]
  const chat = (model: string) =>
    app.call('POST /v1/chat/completions', { token: asha.key, body: { model, messages } })
  for (const model of ['sim/hekima', 'sim/hekima-mini', 'sim/fault-usage-missing']) {
    const answer = await chat(model)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  assert.ok((await chat('sim/fault-status-400')).status >= 400)
  const made = await app.call('POST /v1/payments/topup', {
    token: asha.token,
    body: { amount_tzs: 5_000 },
  })
  await app.rooms.payments.idle()
  app.money.control.settle(made.body.data.reference, 'completed')
  await app.rooms.payments.check(made.body.data.id)
  const reason = 'Goodwill'
  const path = `POST /v1/operator/accounts/${asha.accountId}/adjustments`
  for (const amount of [7.5, -1.25]) {
    await app.call(path, { token: owner.token, body: { amount_credits: amount, reason } })
  }
  // Beyond what was given: the rest is bought.
  const picture = { model: 'sim/picha', prompt: 'Simba' }
  const drawn = await app.call('POST /v1/images/generations', { token: asha.key, body: picture })
  assert.equal(drawn.status, 200)
}

test('200: after some trade every figure is that of the ledger and the records', async () => {
  await trade()
  // Some of it is in the sums, and some still beside them.
  await addPendingRollups(app.db, 1_000)
  await trade()
  const { status, body } = await overview()
  assert.equal(status, 200, JSON.stringify(body))
  const { data } = body
  const { usage = 0, ...credits } = await ledger()
  assert.ok(usage < 0)
  assert.equal(data.used_credits, -usage)
  for (const [type, amount] of Object.entries(credits)) assert.equal(data.credits[type], amount)
  assert.equal(data.received_tzs, 10_000)
  assert.deepEqual([data.payments, data.fees_tzs, data.fees_unknown], [2, 200, 0])
  assert.equal(data.credits.topup, 10_000)
  const [owed] = await app.db.query<{ micro: bigint; gift: bigint }>(
    `select sum(balance_micro)::int8 as micro, sum(gift_micro)::int8 as gift from ledger_accounts`,
  )
  assert.equal(data.owed.balance_credits, creditsNumber(owed!.micro))
  assert.equal(data.owed.gift_credits, creditsNumber(owed!.gift))
  const paidIn = { received_tzs: 10_000, payments: 2, credits: 10_000 }
  assert.deepEqual(data.paid_in, paidIn)
  // Since the beginning, whatever the days.
  const lastYear = (await overview('?from=2025-01-01&to=2025-12-31')).body.data
  assert.deepEqual([lastYear.received_tzs, lastYear.paid_in], [0, paidIn])
  assert.ok(data.gift_credits > 0 && data.gift_credits < data.used_credits, 'gifts and bought ones')
  assert.ok(data.not_reported_share > 0 && data.not_reported_share < 1)
  const tzsPerUsd = () => '2500'
  assertOverview(data, await independentFigures(app.db, { zone: ZONE, tzsPerUsd }))
})

test('200: the rate of the day is what a dollar costs, until the next one is set', async () => {
  for (const [day, rate] of [
    [dayAfter(today(), -3), 2_400.5],
    [dayAfter(today(), -1), 2_612.25],
    [dayAfter(today(), 1), 9_999],
  ] as const) {
    const answer = await setRate(day, rate)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.data.tzs_per_usd, rate)
  }
  const { data } = (await overview()).body
  assert.equal(data.days.at(-1).tzs_per_usd, 2_612.25)
  const tzsPerUsd = () => '2612.25'
  assertOverview(data, await independentFigures(app.db, { zone: ZONE, tzsPerUsd }))
  const listed = await app.call('GET /v1/operator/fx', { token: owner.token })
  assert.deepEqual(
    listed.body.data.map((one: Loose) => one.tzs_per_usd),
    [9_999, 2_612.25, 2_400.5],
  )
  assert.equal(listed.body.default_tzs_per_usd, 2_500)
  const [log] = (await app.call('GET /v1/operator/actions?limit=1', { token: owner.token })).body
    .data
  assert.equal(log.action, 'fx.set')
  assert.deepEqual(log.after, { tzs_per_usd: '9999' })
})

test('400: a rate that is none, a day too far ahead; 404: a day that is none', async () => {
  for (const rate of [0, -1, 1e-7, 1_000_000, '2500', null, Number.NaN]) {
    const answer = await setRate(today(), rate)
    refused(answer, 400, 'validation_error')
    assert.match(answer.body.message, /^tzs_per_usd /)
  }
  const ahead = await setRate(dayAfter(today(), 2), 2_500)
  refused(ahead, 400, 'validation_error')
  assert.match(ahead.body.message, /^day /)
  for (const day of ['2026-02-30', 'today']) {
    refused(await setRate(day, 2_500), 404, 'not_found')
  }
})

test('200: a series has a value for each day, and its parts are the whole', async () => {
  const { data } = (await overview()).body
  for (const metric of ['requests', 'used_credits', 'upstream_usd', 'margin_tzs', 'received_tzs']) {
    const answer = await series(`metric=${metric}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { days, series: lines } = answer.body.data
    assert.equal(days.length, 30)
    assert.equal(days.at(-1), today())
    assert.deepEqual([lines.length, lines[0].name, lines[0].values.length], [1, 'all', 30])
    assert.equal(lines[0].values.at(-1), data.days.at(-1)[metric])
  }
  for (const by of ['model', 'upstream', 'kind']) {
    const { series: lines } = (await series(`metric=used_credits&by=${by}`)).body.data
    const sum = lines.reduce((total: number, one: Loose) => total + one.values.at(-1), 0)
    assert.equal(Math.round(sum * 1e6), Math.round(data.used_credits * 1e6), by)
  }
  const byModel = (await series('metric=margin_tzs&by=model')).body.data.series
  for (const { name, values } of byModel) {
    const shown = data.by_model.find(({ model }: Loose) => model === name)
    assert.equal(values.at(-1), shown.margin_tzs, name)
  }
  const networks = (await series('metric=received_tzs&by=network')).body.data.series
  assert.deepEqual(
    networks.map((one: Loose) => [one.name, one.values.at(-1)]),
    [['airtel', 10_000]],
  )
})

test('400: a series of nothing, or divided by what it cannot be divided by', async () => {
  for (const [field, query] of [
    ['metric', 'metric=everything'],
    ['metric', 'by=model'],
    ['by', 'metric=requests&by=account'],
    ['by', 'metric=received_tzs&by=model'],
    ['by', 'metric=margin_tzs&by=upstream'],
  ]) {
    const answer = await series(query!)
    refused(answer, 400, 'validation_error')
    assert.ok(answer.body.message.startsWith(`${field} `), answer.body.message)
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
