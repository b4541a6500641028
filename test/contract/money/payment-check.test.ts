import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { MoneySimulator } from '../../../simulator/money/server.ts'
import type { Db } from '../../../src/db/db.ts'
import { ProcessCounter } from '../../../src/http/limits/process-counter.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { findById } from '../../../src/payments/payments-read-store.ts'
import { paymentRoutes } from '../../../src/routes/payments.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { freshDb } from '../../support/databases.ts'
import type { Loose } from '../../support/loose.ts'
import { creditsFor, FAST, startMoney, startPayments } from '../../support/payments.ts'
import { jwtHeaders, keyHeaders, startServer } from '../../support/server.ts'
import { eventually } from '../../support/eventually.ts'

/* "I have paid": the customer makes the service ask. The service itself asks next in an hour. */

const PATIENT = { ...FAST, pendingS: [3_600], overdueS: 3_600, lateS: [3_600, 3_600] }

let db: Db
let simulator: MoneySimulator
let service: Awaited<ReturnType<typeof startPayments>>
before(async () => {
  db = await freshDb()
  simulator = await startMoney()
  service = await startPayments({ db, simulator, timing: PATIENT })
})
after(async () => {
  await service.close()
  await simulator.close()
  await assertAudit(db)
  await db.close()
})

type Ask = { headers?: Record<string, string>; body?: unknown; to?: string }

async function ask(line: string, { headers = jwtHeaders, body, to = service.url }: Ask = {}) {
  const [method, path] = line.split(' ') as [string, string]
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(to + path, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Loose }
}

/** Handed to the provider, and not asked about again by itself. */
async function pay(suffix: string): Promise<string> {
  service.payWith(suffix)
  const { status, body } = await ask('POST /v1/payments/topup', { body: { amount_tzs: 5000 } })
  assert.equal(status, 201)
  await service.payments.idle()
  return body.data.id
}

const check = (id: string, headers: Record<string, string> = jwtHeaders) =>
  ask(`POST /v1/payments/${id}/check`, { headers })

/** Questions that the provider was asked. */
const asked = () => simulator.control.log.filter(({ kind }) => kind === 'status').length

/** Until the payer has done what the number says, as the provider knows it. */
async function checkUntil(id: string, status: string): Promise<Loose> {
  return eventually(`the payment is ${status}`, async () => {
    const { body } = await check(id)
    return body.data.status === status && body.data
  })
}

describe('POST /v1/payments/{id}/check', () => {
  it('200: asks, and the money that no callback told us of is there', async () => {
    const id = await pay('0004')
    const pending = (await ask(`GET /v1/payments/${id}`)).body.data
    assert.equal(pending.status, 'pending')
    assert.ok(Date.parse(pending.asked_at) >= Date.parse(pending.created_at))
    const done = await checkUntil(id, 'completed')
    assert.equal(done.credits, 5000)
    assert.equal('late' in done, false)
    for (const proof of ['completed_at', 'reference', 'provider_reference', 'phone_number']) {
      assert.equal(typeof done[proof], 'string', proof)
    }
    assert.deepEqual((await ask(`GET /v1/payments/${id}`)).body.data, done)
  })

  it('200: however many ask at once and again, the credits are added once', async () => {
    const id = await pay('0004')
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 10 }, () => check(id)))
      for (const { status } of all) assert.equal(status, 200)
    }
    await checkUntil(id, 'completed')
    assert.deepEqual(await creditsFor(db, id), [5_000_000_000n])
  })

  it('200: taps at once are one question, and a completed payment is none', async () => {
    const id = await pay('0015')
    const before = asked()
    await Promise.all(Array.from({ length: 20 }, () => check(id)))
    assert.ok(asked() - before < 20, `${asked() - before} questions`)
    const paid = await pay('0004')
    await checkUntil(paid, 'completed')
    const after = asked()
    await check(paid)
    assert.equal(asked(), after)
  })

  it('200: questions of the customer take none of those that will be asked', async () => {
    const id = await pay('0015')
    const { checks } = (await findById(db, id))!
    for (let i = 0; i < 8; i++) await check(id)
    assert.equal((await findById(db, id))!.checks, checks)
    const [row] = await db.query('select next_check_at from payments where id = $1', [id])
    assert.ok(row!.next_check_at instanceof Date)
  })

  it('200: the end by its code', async () => {
    const poor = await checkUntil(await pay('0002'), 'failed')
    assert.equal(poor.error.code, 'insufficient_funds')
    const refused = await checkUntil(await pay('0003'), 'failed')
    assert.equal(refused.error.code, 'cancelled_by_payer')
  })

  it('200: money that comes after the end is shown as late', async () => {
    const id = await pay('0015')
    await db.query(`update payments set expires_at = now() - interval '1 minute' where id = $1`, [
      id,
    ])
    const expired = await checkUntil(id, 'expired')
    assert.equal(expired.error.code, 'timeout')
    const paid = await pay('0004')
    await db.query(
      `update payments set status = 'expired', error_code = 'timeout' where id = $1 and status = 'pending'`,
      [paid],
    )
    const late = await checkUntil(paid, 'completed')
    assert.equal(late.late, true)
    assert.equal('error' in late, false)
    assert.deepEqual(await creditsFor(db, paid), [5_000_000_000n])
  })

  it("404: unknown, malformed, and another account's; nobody is asked about it", async () => {
    const id = await pay('0004')
    const before = asked()
    for (const [wanted, headers] of [
      [randomUUID(), jwtHeaders],
      ['nonsense', jwtHeaders],
      [id, { authorization: 'Bearer jwt-2' }],
    ] as const) {
      const { status, body } = await check(wanted, headers)
      assert.deepEqual([status, body.error_code], [404, 'not_found'])
    }
    assert.equal(asked(), before)
  })

  it('401 and 403; 429 beyond ten a minute, while other routes go on', async () => {
    const id = randomUUID()
    assert.equal((await check(id, {})).status, 401)
    assert.equal((await check(id, keyHeaders)).status, 403)
    const counted = await startServer({
      routes: paymentRoutes({ payments: service.payments }),
      limiter: new ProcessCounter(systemClock),
    })
    const to = counted.url
    const statuses: number[] = []
    // A minute may pass between two of them, on a busy machine: then more are let through.
    for (let i = 0; i < 45 && !statuses.includes(429); i++) {
      statuses.push((await ask(`POST /v1/payments/${id}/check`, { to })).status)
    }
    assert.ok(statuses.length > 10)
    assert.deepEqual(new Set(statuses), new Set([404, 429]))
    assert.equal((await ask('GET /v1/payments', { to })).status, 200)
    const neighbour = { authorization: 'Bearer jwt-2' }
    const other = await ask(`POST /v1/payments/${id}/check`, { to, headers: neighbour })
    assert.equal(other.status, 404)
    await counted.close()
  })
})
