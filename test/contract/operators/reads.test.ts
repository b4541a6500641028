import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import type { Route } from '../../../src/http/route.ts'
import { startApp } from '../../support/app.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

/* Whatever shows a customer to an operator is in the log: who looked, at what, and when. */

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
let asha: Awaited<ReturnType<typeof app.customer>>
const PHONE = '+255713000009'
const EMAIL = 'asha.of.reads@example.com'
const PAYMENT = '01900000-0000-7000-8000-00000000abcd'
before(async () => {
  app = await startApp()
  owner = await newOperator(app, 'owner')
  asha = await app.customer('25')
  await app.db.query(
    `update accounts set full_name = 'Zuhura wa Mtihani', email = $2, phone_number = $3, login_phone = $3, phone_verified_at = now()
     where id = $1`,
    [asha.accountId, EMAIL, PHONE],
  )
  await app.db.query('update outbox set recipient = $2 where account_id = $1', [
    asha.accountId,
    EMAIL,
  ])
  await app.db.query(
    `insert into payments (id, account_id, provider, reference, status, amount_tzs, credits_micro,
       phone_number, payer_name, expires_at, review, review_at)
     values ($1, $2, 'snippe', 'reads', 'failed', 1000, 1000000000, $3, 'Asha', now(), 'reversed', now())`,
    [PAYMENT, asha.accountId, PHONE],
  )
  await app.db.query(
    `insert into operator_refusals (hour, account_id, why, count, first_at, last_at, what, address, request_id)
     values (now(), $1, 'no_operator', 1, now(), now(), 'GET /', '203.0.113.77', 'req')`,
    [asha.accountId],
  )
})
after(async () => {
  assert.equal((await checkAuditLog(app.db)).finding, undefined)
  await assertAudit(app.db)
  await app.close()
})

/** They tell what operators did or asked for, and name accounts by their ids. */
const OF_OPERATORS = ['/v1/operator/actions', '/v1/operator/requests']
const SECRETS = [EMAIL, PHONE, '203.0.113.77', 'Zuhura wa Mtihani']

const logged = async (): Promise<bigint> => {
  const [row] = await app.db.query<{ seq: bigint }>(
    'select count(*) as seq from operator_actions where operator_id = $1',
    [owner.accountId],
  )
  return row!.seq
}
const get = (path: string) => app.call(`GET ${path}`, { token: owner.token })

it('every route that shows one', async () => {
  const routes = app.rooms.server.context.routes.filter(
    ({ method, credential, path }: Route) =>
      method === 'GET' && credential === 'operator' && !OF_OPERATORS.includes(path),
  )
  const shown: string[] = []
  for (const { path } of routes) {
    const month = new Date().toISOString().slice(0, 7)
    const query = path.includes('/exports/') ? `?month=${month}` : ''
    const id = path.includes('/payments/') ? PAYMENT : asha.accountId
    const before = await logged()
    const answer = await fetch(`${app.url}${path.replace(/:\w+/, id)}${query}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
    const text = await answer.text()
    const isTheirs = path.startsWith('/v1/operator/accounts/') && answer.status === 200
    if (!isTheirs && !text.includes(asha.accountId) && !SECRETS.some((one) => text.includes(one))) {
      continue
    }
    shown.push(path)
    assert.equal(await logged(), before + 1n, path)
  }
  assert.ok(shown.length >= 8, shown.join('\n'))
})

it('who, what and when; once an hour for the same, and without a name or an address', async () => {
  const read = `GET /v1/operator/actions?reads=true&target=${asha.accountId}&action=read.account`
  const before = (await app.call(read, { token: owner.token })).body.data.length
  for (let i = 0; i < 3; i++) await get(`/v1/operator/accounts/${asha.accountId}`)
  const { data } = (await app.call(read, { token: owner.token })).body
  assert.equal(data.length, Math.max(before, 1))
  assert.equal(data[0].operator.name, owner.email)
  await app.call(`GET /v1/operator/accounts?q=${encodeURIComponent(PHONE)}`, { token: owner.token })
  const search = (await get('/v1/operator/actions?action=read.search&limit=1')).body.data[0]
  assert.deepEqual([search.target.id, search.after], ['search', { accounts: [asha.accountId] }])
  const rows = await app.db.query('select * from operator_actions where operator_id = $1', [
    owner.accountId,
  ])
  const all = JSON.stringify(rows, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  for (const secret of SECRETS) assert.ok(!all.includes(secret), secret)
  // What was only looked at is not among what was done, unless it is asked for.
  const done = (await get('/v1/operator/actions?limit=200')).body.data
  assert.ok(done.every(({ action }: { action: string }) => !action.startsWith('read.')))
})
