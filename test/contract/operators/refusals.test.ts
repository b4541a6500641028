import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import { openRefusals } from '../../../src/operators/refusals.ts'
import { listRefusals } from '../../../src/operators/refusals-store.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { refused } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { eventually } from '../../support/eventually.ts'

/* Whoever is refused at the operators' door is written down, and cannot flood anything by it. */

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
before(async () => {
  app = await startApp({ env: { TRUST_PROXY: 'on', OPERATOR_NETWORKS: '127.0.0.1' } })
  owner = await newOperator(app, 'owner')
})
after(() => app.close())

type Seen = { why: string; count: number; what: string; is_operator: boolean; address?: string }

async function seenOf(accountId: string, whys: string[], token = owner.token): Promise<Seen[]> {
  return eventually(`${whys.join()} is written down`, async () => {
    const line = `GET /v1/operator/refusals?account=${accountId}`
    const { body } = await app.call(line, { token })
    const seen = body.data as Seen[]
    return whys.every((why) => seen.some((one) => one.why === why)) && seen
  })
}

describe('every attempt', () => {
  it('of a customer, with a token and with a key, counted by the hour', async () => {
    const asha = await app.customer('10')
    const lines = [
      'GET /v1/operator/me',
      'POST /v1/operator/catalog/sync',
      'GET /v1/operator/refusals',
    ]
    for (const line of lines) {
      for (const token of [asha.token, asha.key]) {
        refused(await app.call(line, { token }), 404, 'not_found')
      }
    }
    const seen = await seenOf(asha.accountId, ['no_operator', 'api_key'])
    for (const one of seen) assert.equal(one.is_operator, false)
    const total = async () =>
      (await seenOf(asha.accountId, [])).reduce((sum, { count }) => sum + count, 0)
    await eventually('six are counted', async () => (await total()) >= 6)
    assert.equal(await total(), 6)
    assert.ok((await seenOf(asha.accountId, [])).length <= 4, 'a row for each attempt')
  })

  it('of a lesser role, with an old second factor, from elsewhere, and against a rule', async () => {
    const viewer = await newOperator(app, 'viewer')
    const line = 'POST /v1/operator/catalog/sync'
    refused(await app.call(line, { token: viewer.token, body: {} }), 403, 'forbidden')
    const [role] = await seenOf(viewer.accountId, ['role'])
    assert.deepEqual([role!.what, role!.is_operator], [line, true])

    const old = await newOperator(app, 'owner')
    await old.grow()
    refused(await app.call(line, { token: old.token, body: {} }), 403, 'second_factor_required')
    await seenOf(old.accountId, ['second_factor'])

    const far = await newOperator(app, 'owner')
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const answer = await app.call('GET /v1/operator/me', { token: far.token, headers })
    refused(answer, 404, 'not_found')
    const [foreign] = await seenOf(far.accountId, ['foreign_network'])
    assert.equal(foreign!.address, '203.0.113.7')
    const [hidden] = await seenOf(far.accountId, ['foreign_network'], viewer.token)
    assert.equal(hidden!.address, undefined)

    const helper = await newOperator(app, 'support')
    const above = `POST /v1/operator/accounts/${owner.accountId}/suspension`
    const body = { reason: 'not for me to do' }
    refused(await app.call(above, { token: helper.token, body }), 403, 'forbidden')
    const [rule] = await seenOf(helper.accountId, ['rule'])
    assert.match(rule!.what, /account of an operator/)
  })

  it('none of it is in the chained audit log, which holds', async () => {
    const actions = await app.db.query<{ action: string }>(
      'select distinct action from operator_actions order by action',
    )
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['operator.add', 'read.refusals'],
    )
    assert.equal((await checkAuditLog(app.db)).finding, undefined)
  })

  it('400: a query that makes no sense', async () => {
    for (const query of ['account=me', 'before=now', 'limit=0']) {
      const line = `GET /v1/operator/refusals?${query}`
      refused(await app.call(line, { token: owner.token }), 400, 'validation_error')
    }
  })
})

it('a flood of accounts is written in one piece, and no more of them than there is room for', async () => {
  const refusals = openRefusals({ db: app.db, log: silentLog, now: () => new Date() })
  const more = { what: 'GET /v1/operator/me', address: '127.0.0.1', requestId: 'req_1' }
  const first = uuidv7()
  for (let i = 0; i < 5_000; i++) {
    refusals.note({ accountId: first, why: 'no_operator', ...more })
    refusals.note({ accountId: uuidv7(), why: 'api_key', ...more })
  }
  await refusals.flush()
  const all = { before: undefined, limit: 10_000 }
  const [one] = await listRefusals(app.db, { accountId: first, ...all })
  assert.equal(one!.count, 5_000)
  const listed = await listRefusals(app.db, { accountId: undefined, ...all })
  assert.ok(listed.filter(({ why }) => why === 'api_key').length <= 1_001)
})
