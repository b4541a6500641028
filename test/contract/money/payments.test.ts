import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { MoneySimulator } from '../../../simulator/money/server.ts'
import type { Db } from '../../../src/db/db.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { freshDb } from '../../support/databases.ts'
import { jwtHeaders, keyHeaders } from '../../support/server.ts'
import type { Loose } from '../../support/loose.ts'
import { startMoney, startPayments, until } from '../../support/payments.ts'

let db: Db
let simulator: MoneySimulator
let service: Awaited<ReturnType<typeof startPayments>>
before(async () => {
  db = await freshDb()
  simulator = await startMoney()
  service = await startPayments({ db, simulator })
})
after(async () => {
  await service.close()
  await simulator.close()
  await assertAudit(db)
  await db.close()
})

type Headers = Record<string, string>
const other = { authorization: 'Bearer jwt-2' }

async function ask(
  path: string,
  headers: Headers = jwtHeaders,
  init: RequestInit = {},
  to = service,
) {
  const response = await fetch(to.url + path, { ...init, headers })
  return { response, status: response.status, body: (await response.json()) as Loose }
}

function topUp(body: unknown, headers: Headers = {}, to = service) {
  const all = { ...jwtHeaders, 'content-type': 'application/json', ...headers }
  return ask('/v1/payments/topup', all, { method: 'POST', body: JSON.stringify(body) }, to)
}

describe('POST /v1/payments/topup', () => {
  it('201: a pending payment with its credits, the phone masked, unset fields left out', async () => {
    const { status, body } = await topUp({ amount_tzs: 5000, unknown: 1 })
    assert.equal(status, 201)
    assert.equal(body.status, 'success')
    assert.equal(body.code, 201)
    const { id, reference, created_at, updated_at, expires_at, ...rest } = body.data
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(reference, /^[0-9A-Z]{20}$/)
    for (const at of [created_at, updated_at, expires_at]) {
      assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 1_800_000)
    assert.deepEqual(rest, {
      status: 'pending',
      amount_tzs: 5000,
      credits: 5000,
      currency: 'TZS',
      method: 'mobile_money',
      phone_number: '+255***567',
    })
  })

  it('201: the smallest and the largest amount', async () => {
    assert.equal((await topUp({ amount_tzs: 500 })).status, 201)
    assert.equal((await topUp({ amount_tzs: 3_000_000 })).status, 201)
  })

  it('201: credits by the rate at creation', async () => {
    const cheap = await startPayments({ db, simulator, rules: { creditsPerTzs: '0.3333333' } })
    const { body } = await topUp({ amount_tzs: 700 }, {}, cheap)
    assert.equal(body.data.credits, 233.33331)
    await cheap.close()
  })

  it('201 again, byte for byte, for the same Idempotency-Key: one payment, one push', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const count = simulator.control.payments().length
    const first = await topUp({ amount_tzs: 1500 }, headers)
    const second = await topUp({ amount_tzs: 1600 }, headers)
    assert.equal(first.status, 201)
    assert.equal(second.response.headers.get('idempotency-replayed'), 'true')
    assert.equal(first.response.headers.get('idempotency-replayed'), null)
    assert.deepEqual(second.body, first.body)
    await service.payments.idle()
    assert.equal(simulator.control.payments().length, count + 1)
  })

  it('201 to both of two at once, or 409 to the later: never two payments', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const both = await Promise.all(
      Array.from({ length: 10 }, () => topUp({ amount_tzs: 1700 }, headers)),
    )
    const made = new Set(both.flatMap(({ status, body }) => (status === 201 ? [body.data.id] : [])))
    assert.equal(made.size, 1)
    for (const { status } of both) assert(status === 201 || status === 409)
  })

  for (const amount of [0, -1, 499, 3_000_001, 1.5, '1000', 1e21, null, 2 ** 53 + 2, [5000]]) {
    it(`400: amount_tzs ${JSON.stringify(amount)}`, async () => {
      const { status, body } = await topUp({ amount_tzs: amount })
      assert.equal(status, 400)
      assert.equal(body.error_code, 'validation_error')
      assert.match(body.message, /amount_tzs/)
    })
  }

  it('400: no body, no amount', async () => {
    assert.equal((await topUp({})).status, 400)
    assert.equal((await topUp([])).status, 400)
  })

  it('400 names phone_number when there is none, or none that can pay; no provider is called', async () => {
    const count = simulator.control.log.length
    for (const phoneNumber of [undefined, '+14155550123', '+255222123456']) {
      const poor = await startPayments({ db, simulator, payer: { phoneNumber } })
      const { status, body } = await topUp({ amount_tzs: 5000 }, {}, poor)
      assert.equal(status, 400)
      assert.equal(body.error_code, 'validation_error')
      assert.match(body.message, /phone_number/)
      await poor.close()
    }
    const creates = simulator.control.log.slice(count).filter(({ kind }) => kind === 'create')
    assert.deepEqual(creates, [])
  })

  it('403: the phone number is not verified, unless the setting allows it', async () => {
    const payer = { phoneVerified: false }
    const strict = await startPayments({ db, simulator, payer })
    const refused = await topUp({ amount_tzs: 5000 }, {}, strict)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.error_code, 'forbidden')
    await strict.close()
    const rules = { requireVerifiedPhone: false }
    const lenient = await startPayments({ db, simulator, payer, rules })
    assert.equal((await topUp({ amount_tzs: 5000 }, {}, lenient)).status, 201)
    await lenient.close()
  })

  it('401 without a credential, 403 with an API key', async () => {
    assert.equal((await topUp({ amount_tzs: 5000 }, { authorization: '' })).status, 401)
    const { status, body } = await topUp({ amount_tzs: 5000 }, keyHeaders)
    assert.equal(status, 403)
    assert.equal(body.error_code, 'forbidden')
  })
})

describe('GET /v1/payments/{id}', () => {
  it('200: pending, then completed with its time and network', async () => {
    const { body } = await topUp({ amount_tzs: 2500 })
    const { id } = body.data
    const early = await ask(`/v1/payments/${id}`)
    assert.equal(early.status, 200)
    assert.equal(early.body.data.status, 'pending')
    await until(db, service.payments, id, ({ status }) => status === 'completed')
    const { data } = (await ask(`/v1/payments/${id}`)).body
    assert.equal(data.status, 'completed')
    assert.equal(data.network, 'airtel')
    assert.ok(Date.parse(data.completed_at) >= Date.parse(data.created_at))
    assert.equal('error' in data, false)
  })

  it('200: failed, with the reason in our own words', async () => {
    const { id } = (await topUp({ amount_tzs: 1002 })).body.data
    await until(db, service.payments, id, ({ status }) => status === 'failed')
    const { data } = (await ask(`/v1/payments/${id}`)).body
    assert.deepEqual(data.error, {
      code: 'insufficient_funds',
      message: 'Your mobile money balance is too low for this payment.',
    })
    assert.equal('completed_at' in data, false)
  })

  it("404: another account's payment answers as one that does not exist", async () => {
    const { id } = (await topUp({ amount_tzs: 2500 })).body.data
    const foreign = await ask(`/v1/payments/${id}`, other)
    const none = await ask(`/v1/payments/${randomUUID()}`)
    const odd = await ask('/v1/payments/not-a-uuid')
    for (const { status, body } of [foreign, none, odd]) {
      assert.equal(status, 404)
      assert.equal(body.error_code, 'not_found')
      assert.equal(body.message, none.body.message)
    }
  })

  it('401 and 403', async () => {
    assert.equal((await ask(`/v1/payments/${randomUUID()}`, {})).status, 401)
    assert.equal((await ask(`/v1/payments/${randomUUID()}`, keyHeaders)).status, 403)
  })
})

describe('GET /v1/payments', () => {
  const mine = { authorization: 'Bearer jwt-5' }

  it('200: an empty list for a new account', async () => {
    const { status, body } = await ask('/v1/payments', { authorization: 'Bearer jwt-9' })
    assert.equal(status, 200)
    assert.deepEqual(body.data, [])
    assert.deepEqual(body.pagination, { limit: 50, offset: 0, total: 0, has_more: false })
  })

  it('200: newest first, page by page, and by status', async () => {
    const ids: string[] = []
    for (const amount_tzs of [1001, 1002, 1015]) {
      ids.unshift((await topUp({ amount_tzs }, mine)).body.data.id)
    }
    await until(db, service.payments, ids[2]!, ({ status }) => status === 'completed')
    await until(db, service.payments, ids[1]!, ({ status }) => status === 'failed')
    const all = await ask('/v1/payments', mine)
    assert.deepEqual(
      all.body.data.map(({ id }: Loose) => id),
      ids,
    )
    const page = await ask('/v1/payments?limit=1&offset=1', mine)
    assert.deepEqual(
      page.body.data.map(({ id }: Loose) => id),
      [ids[1]],
    )
    assert.deepEqual(page.body.pagination, { limit: 1, offset: 1, total: 3, has_more: true })
    const failed = await ask('/v1/payments?status=failed', mine)
    assert.deepEqual(
      failed.body.data.map(({ id }: Loose) => id),
      [ids[1]],
    )
    assert.equal(failed.body.pagination.total, 1)
  })

  for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x', 'status=created']) {
    it(`400: ${query}`, async () => {
      const { status, body } = await ask(`/v1/payments?${query}`)
      assert.equal(status, 400)
      assert.equal(body.error_code, 'validation_error')
    })
  }

  it('401 and 403', async () => {
    assert.equal((await ask('/v1/payments', {})).status, 401)
    assert.equal((await ask('/v1/payments', keyHeaders)).status, 403)
  })
})

describe('POST /v1/payments/callbacks/{provider}', () => {
  const send = (provider: string, body: string, headers: Headers = {}) =>
    ask(`/v1/payments/callbacks/${provider}`, headers, { method: 'POST', body })

  it('200: a valid callback', async () => {
    const { id, reference } = (await topUp({ amount_tzs: 1015 })).body.data
    await service.payments.idle()
    simulator.control.settle(reference, 'completed')
    const { headers, body } = simulator.control.callback(simulator.control.find(reference)!)
    const answer = await send('snippe', body, headers)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.data, {})
    await until(db, service.payments, id, ({ status }) => status === 'completed')
  })

  it('401: unsigned, empty, or no JSON', async () => {
    for (const text of ['', '{}', 'x'.repeat(1000)]) {
      const { status, body } = await send('snippe', text)
      assert.equal(status, 401)
      assert.equal(body.error_code, 'unauthorized')
      assert.doesNotMatch(body.message, /signature|timestamp|snippe/i)
    }
  })

  it('404: another provider', async () => {
    assert.equal((await send('clickpesa', '{}')).status, 404)
    assert.equal((await send('constructor', '{}')).status, 404)
  })

  it('413: larger than any callback', async () => {
    assert.equal((await send('snippe', 'x'.repeat(70_000))).status, 413)
  })
})
