import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
let support: TestOperator
let viewer: TestOperator
before(async () => {
  app = await startApp({
    env: { OPERATOR_ADJUST_LIMIT_CREDITS: '100', OPERATOR_SECOND_PERSON_CREDITS: '1000' },
  })
  owner = await newOperator(app, 'owner')
  support = await newOperator(app, 'support')
  viewer = await newOperator(app, 'viewer')
})
after(() => app.close())
afterEach(async () => {
  await assertAudit(app.db)
  assert.equal((await checkAuditLog(app.db)).finding, undefined)
})

const ask = (line: string, { token }: { token: string }, body?: object, key?: string) =>
  app.call(line, {
    token,
    ...(body && { body }),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const reason = 'The customer called'
const newest = async (target: string) => {
  const answer = await ask(`GET /v1/operator/actions?target=${target}&limit=1`, viewer)
  return answer.body.data[0]
}
const balance = async ({ token }: { token: string }) =>
  (await ask('GET /v1/billing/balance', { token })).body.data.balance_credits

describe('finding a customer', () => {
  it('200: by address, id, key, and reference of a payment; a viewer sees addresses masked', async () => {
    const asha = await app.customer('25')
    const me = await ask('GET /v1/me', asha)
    const { email } = me.body.data
    for (const q of [email, email.toUpperCase(), asha.accountId, asha.key.slice(0, 12), asha.key]) {
      const found = await ask(`GET /v1/operator/accounts?q=${encodeURIComponent(q)}`, support)
      assert.equal(found.body.data.length, 1, q)
      assert.equal(found.body.data[0].id, asha.accountId)
      assert.equal(found.body.data[0].email, email)
      assert.equal(found.body.data[0].balance_credits, 25)
    }
    const masked = await ask(`GET /v1/operator/accounts?q=${asha.accountId}`, viewer)
    assert.match(masked.body.data[0].email, /^u\*\*\*@example\.com$/)
    for (const q of ['nobody@example.com', uuidv7(), 'mlg_00000000', '+255712345678', 'x y']) {
      const found = await ask(`GET /v1/operator/accounts?q=${encodeURIComponent(q)}`, support)
      assert.deepEqual(found.body.data, [], q)
    }
  })

  it('200: the newest first, page by page', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await app.signUp()).accountId)
    const page = await ask('GET /v1/operator/accounts?limit=2', viewer)
    const shown = page.body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(shown, ids.slice(0, 2))
    const next = await ask(`GET /v1/operator/accounts?limit=1&before=${ids[1]}`, viewer)
    assert.equal(next.body.data[0].id, ids[2])
  })

  it('200: one customer on a page, and the lists that the customer sees', async () => {
    const asha = await app.customer('25')
    const { body } = await ask(`GET /v1/operator/accounts/${asha.accountId}`, viewer)
    assert.equal(body.data.balance.available_credits, 25)
    assert.equal(body.data.sessions.length, 1)
    assert.equal(body.data.api_keys.length, 1)
    assert.equal(body.data.messages[0].channel, 'email')
    assert.match(body.data.messages[0].to, /\*\*\*/)
    // What a message says is not shown: it may contain a code.
    assert.equal(body.data.messages[0].body ?? body.data.messages[0].text, undefined)
    for (const list of ['transactions', 'activity', 'payments']) {
      const own = list === 'transactions' ? 'billing/transactions' : list
      const theirs = await ask(`GET /v1/operator/accounts/${asha.accountId}/${list}`, viewer)
      const mine = await ask(`GET /v1/${own}`, asha)
      assert.deepEqual(theirs.body.data, mine.body.data, list)
    }
  })

  it('404: an account that does not exist; 400: a query that makes no sense', async () => {
    refused(await ask(`GET /v1/operator/accounts/${uuidv7()}`, viewer), 404, 'not_found')
    for (const query of ['status=x', 'limit=0', 'before=x', `q=${'x'.repeat(321)}`]) {
      refused(await ask(`GET /v1/operator/accounts?${query}`, viewer), 400, 'validation_error')
    }
    for (const query of ['operator=x', 'before=x', 'limit=1000']) {
      refused(await ask(`GET /v1/operator/actions?${query}`, viewer), 400, 'validation_error')
    }
  })
})

describe('suspension', () => {
  it('200: shuts out at once, with a reason in the log; restored, all works again', async () => {
    const asha = await app.customer('25')
    const path = `/v1/operator/accounts/${asha.accountId}/suspension`
    const chat = () => ask('GET /v1/models', { token: asha.key })
    assert.equal((await chat()).status, 200)
    const done = await ask(`POST ${path}`, support, { reason })
    assert.deepEqual(done.body.data, { id: asha.accountId, status: 'suspended' })
    assert.equal((await chat()).status, 401)
    assert.equal((await ask('GET /v1/me', asha)).status, 401)
    const action = await newest(asha.accountId)
    assert.deepEqual(
      [action.action, action.reason, action.before, action.after, action.operator.account_id],
      ['account.suspend', reason, { status: 'active' }, { status: 'suspended' }, support.accountId],
    )
    assert.ok(action.request_id.startsWith('req_'))
    assert.equal((await ask(`DELETE ${path}`, support, { reason })).body.data.status, 'active')
    assert.equal((await chat()).status, 200)
    assert.equal((await newest(asha.accountId)).action, 'account.restore')
  })

  it('400 without a reason, 404 for nobody; 403 for an operator unless by an owner', async () => {
    const path = (id: string) => `POST /v1/operator/accounts/${id}/suspension`
    for (const body of [{}, { reason: '' }, { reason: 'a\nb' }, { reason: 7 }]) {
      const answer = await ask(path(uuidv7()), support, body)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /^reason /)
    }
    refused(await ask(path(uuidv7()), support, { reason }), 404, 'not_found')
    refused(await ask(path(owner.accountId), support, { reason }), 403, 'forbidden')
  })
})

describe('sessions, keys and codes', () => {
  it('200: ends all sessions and leaves keys; revokes a key', async () => {
    const asha = await app.customer('25')
    const account = `/v1/operator/accounts/${asha.accountId}`
    const ended = await ask(`DELETE ${account}/sessions`, support, { reason })
    assert.deepEqual(ended.body.data, { ended: 1 })
    assert.equal((await ask('GET /v1/me', asha)).status, 401)
    assert.equal((await ask('GET /v1/models', { token: asha.key })).status, 200)
    const overview = await ask(`GET ${account}`, viewer)
    const { id } = overview.body.data.api_keys[0]
    assert.equal((await ask(`DELETE ${account}/api-keys/${id}`, support, { reason })).status, 200)
    assert.equal((await ask('GET /v1/models', { token: asha.key })).status, 401)
    refused(await ask(`DELETE ${account}/api-keys/${id}`, support, { reason }), 404, 'not_found')
    const stranger = `/v1/operator/accounts/${uuidv7()}`
    refused(await ask(`DELETE ${stranger}/sessions`, support, { reason }), 404, 'not_found')
  })

  it('sends a code again by the rules of the customer: 429 in the cool-down, 400 without an address', async () => {
    const asha = await app.customer('25')
    const path = `POST /v1/operator/accounts/${asha.accountId}/codes`
    const wanted = { channel: 'email', purpose: 'reset_password', reason }
    assert.equal((await ask(path, support, wanted)).status, 200)
    assert.equal((await newest(asha.accountId)).action, 'account.resend_code')
    refused(await ask(path, support, wanted), 429, 'rate_limited')
    refused(await ask(path, support, { ...wanted, channel: 'phone' }), 400, 'validation_error')
    refused(await ask(path, support, { ...wanted, purpose: 'x' }), 400, 'validation_error')
  })
})

describe('adjustments', () => {
  const adjust = (
    who: TestOperator,
    { accountId }: { accountId: string },
    amount: unknown,
    key?: string,
  ) =>
    ask(
      `POST /v1/operator/accounts/${accountId}/adjustments`,
      who,
      { amount_credits: amount, reason },
      key,
    )

  it('200: credits and debits, in the ledger and the log with before and after', async () => {
    const asha = await app.customer('25')
    const done = await adjust(owner, asha, 1.5)
    assert.deepEqual(done.body.data, { outcome: 'posted', balance_credits: 26.5 })
    const action = await newest(asha.accountId)
    assert.equal(action.amount_credits, 1.5)
    assert.equal(action.before.balance_credits, '25')
    assert.equal(action.after.balance_credits, '26.5')
    assert.equal((await adjust(owner, asha, -6.5)).body.data.balance_credits, 20)
    refused(await adjust(owner, asha, -20.5), 409, 'conflict')
    assert.equal(await balance(asha), 20)
  })

  it('400: amounts that are none; 404: nobody', async () => {
    const asha = await app.customer('25')
    for (const amount of [0, '5', null, 1e-7, 0.1234567, 1e9, 1e30, undefined]) {
      const answer = await adjust(owner, asha, amount)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /^amount_credits /)
    }
    refused(await adjust(owner, { accountId: uuidv7() }, 5), 404, 'not_found')
  })

  it('the same Idempotency-Key changes nothing, even when the kept answer is lost', async () => {
    const asha = await app.customer('25')
    assert.equal((await adjust(owner, asha, 5, 'ticket-1')).body.data.balance_credits, 30)
    assert.equal((await adjust(owner, asha, 5, 'ticket-1')).body.data.balance_credits, 30)
    await app.db.query('delete from idempotency_keys where account_id = $1', [owner.accountId])
    assert.equal((await adjust(owner, asha, 5, 'ticket-1')).body.data.outcome, 'posted_before')
    assert.equal(await balance(asha), 30)
  })

  it('403: support has a limit for a day, in sum and both ways, also for many at once', async () => {
    const helper = await newOperator(app, 'support')
    const asha = await app.customer('500')
    const all = await Promise.all(Array.from({ length: 8 }, () => adjust(helper, asha, -30)))
    assert.deepEqual(
      all.map(({ status }) => status).sort((a, b) => a - b),
      [200, 200, 200, 403, 403, 403, 403, 403],
    )
    assert.equal(await balance(asha), 410)
    assert.equal((await adjust(helper, asha, 10)).status, 200)
    refused(await adjust(helper, asha, 0.000001), 403, 'forbidden')
  })

  it('a large one waits for a second operator, who cannot be the one who asked', async () => {
    const asker = await newOperator(app, 'owner')
    const asha = await app.customer('25')
    assert.equal((await adjust(asker, asha, 600)).body.data.outcome, 'posted')
    // Not by two halves either.
    const asked = await adjust(asker, asha, 600)
    assert.equal(asked.body.data.outcome, 'waiting')
    assert.equal(await balance(asha), 625)
    const id = asked.body.data.request_id
    const waiting = await ask('GET /v1/operator/requests', viewer)
    assert.deepEqual(
      waiting.body.data.map((one: { id: string }) => one.id),
      [id],
    )
    const decide = (who: TestOperator, approve: unknown) =>
      ask(`POST /v1/operator/requests/${id}/decision`, who, { approve, reason })
    refused(await decide(asker, true), 403, 'forbidden')
    refused(await decide(support, true), 403, 'forbidden')
    refused(await decide(owner, 'yes'), 400, 'validation_error')
    assert.equal((await decide(owner, true)).body.data.outcome, 'done')
    assert.equal(await balance(asha), 1225)
    refused(await decide(owner, true), 404, 'not_found')
    assert.equal((await newest(asha.accountId)).action, 'account.adjust_approve')
    const [entry] = await app.db.query(
      `select operator from ledger_entries where account_id = $1 order by seq desc limit 1`,
      [asha.accountId],
    )
    assert.equal(entry?.operator, `${asker.email}, approved by ${owner.email}`)
  })

  it('turned down, it changes nothing', async () => {
    const asha = await app.customer('25')
    const asked = await adjust(owner, asha, 5000)
    const path = `POST /v1/operator/requests/${asked.body.data.request_id}/decision`
    const decided = await ask(path, owner, { approve: false, reason })
    assert.equal(decided.body.data.outcome, 'turned_down')
    assert.equal(await balance(asha), 25)
    assert.equal((await newest(asha.accountId)).action, 'account.adjust_refuse')
  })
})

describe('the log', () => {
  it('200: filtered by operator, target and action, page by page, with the end of the chain', async () => {
    const asha = await app.customer('25')
    const account = `/v1/operator/accounts/${asha.accountId}`
    await ask(`POST ${account}/suspension`, owner, { reason })
    await ask(`DELETE ${account}/suspension`, owner, { reason })
    const all = await ask(`GET /v1/operator/actions?target=${asha.accountId}`, viewer)
    const [second, first] = all.body.data
    assert.equal(all.body.data.length, 2)
    assert.equal(all.body.end.seq, second.seq)
    assert.match(all.body.end.hash, /^[0-9a-f]{64}$/)
    const older = `target=${asha.accountId}&before=${second.seq}`
    const page = await ask(`GET /v1/operator/actions?${older}`, viewer)
    assert.deepEqual(page.body.data, [first])
    const mine = `operator=${owner.accountId}&action=account.suspend&limit=1`
    const byOwner = await ask(`GET /v1/operator/actions?${mine}`, viewer)
    assert.deepEqual(byOwner.body.data, [first])
  })
})
