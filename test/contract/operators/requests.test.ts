import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { commandActor } from '../../../src/operators/actor.ts'
import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import { removeOperator } from '../../../src/operators/operators.ts'
import { refused } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

/* What an operator asks for and a second owner confirms: who may do which part. */

let app: Awaited<ReturnType<typeof startApp>>
let neema: TestOperator
let juma: TestOperator
let rehema: TestOperator
before(async () => {
  const env = {
    OPERATOR_SECOND_PERSON_CREDITS: '1000',
    OPERATOR_SECOND_PERSON_TOTAL_CREDITS: '1500',
  }
  app = await startApp({ env })
  neema = await newOperator(app, 'owner')
  juma = await newOperator(app, 'owner')
  rehema = await newOperator(app, 'owner')
})
after(async () => {
  await assertAudit(app.db)
  assert.equal((await checkAuditLog(app.db)).finding, undefined)
  await app.close()
})

type Who = { token: string }
const reason = 'As agreed'
const ask = (line: string, { token }: Who, body?: object) =>
  app.call(line, { token, ...(body && { body }) })
const adjust = (who: Who, { accountId }: { accountId: string }, amount: number) =>
  ask(`POST /v1/operator/accounts/${accountId}/adjustments`, who, {
    amount_credits: amount,
    reason,
  })
const suspend = (who: Who, { accountId }: { accountId: string }) =>
  ask(`POST /v1/operator/accounts/${accountId}/suspension`, who, { reason })
const decide = (who: Who, { body }: Awaited<ReturnType<typeof ask>>, approve = true) =>
  ask(`POST /v1/operator/requests/${body.data.request_id}/decision`, who, { approve, reason })
const balance = async (who: Who) =>
  (await ask('GET /v1/billing/balance', who)).body.data.balance_credits
const waiting = async () => (await ask('GET /v1/operator/requests', rehema)).body.data
const isListed = async ({ body }: Awaited<ReturnType<typeof ask>>) =>
  (await waiting()).some((one: { id: string }) => one.id === body.data.request_id)

describe('accounts of operators', () => {
  it('one’s own: asked for, and confirmed by another, however small', async () => {
    const before = await balance(neema)
    const asked = await adjust(neema, neema, 5)
    assert.equal(asked.body.data.outcome, 'waiting')
    refused(await decide(neema, asked), 403, 'forbidden')
    assert.equal(await balance(neema), before)
    assert.equal((await decide(juma, asked)).body.data.outcome, 'done')
    assert.equal(await balance(neema), before + 5)
  })

  it('another’s: neither by one person, nor confirmed by the one whom it is about', async () => {
    const asked = await suspend(neema, juma)
    assert.equal(asked.body.data.status, undefined)
    assert.equal((await ask('GET /v1/operator/me', juma)).status, 200)
    refused(await decide(juma, asked), 403, 'forbidden')
    // Nor turned down by the one whom it is about.
    refused(await decide(juma, asked, false), 403, 'forbidden')
    const helper = await newOperator(app, 'support')
    const theirs = await suspend(neema, helper)
    assert.equal((await decide(rehema, theirs)).body.data.outcome, 'done')
    refused(await ask('GET /v1/operator/me', helper), 401, 'unauthorized')
    // Whoever asked may take it back.
    assert.equal((await decide(neema, asked, false)).body.data.outcome, 'turned_down')
    refused(await decide(rehema, asked), 404, 'not_found')
  })

  it('every action on such an account waits, not only those with money', async () => {
    const account = `/v1/operator/accounts/${juma.accountId}`
    const made = await ask('POST /v1/api-keys', juma, { name: 'test' })
    const code = { channel: 'email', purpose: 'reset_password', reason }
    for (const [line, body] of [
      [`POST ${account}/suspension`, { reason }],
      [`DELETE ${account}/suspension`, { reason }],
      [`DELETE ${account}/sessions`, { reason }],
      [`DELETE ${account}/api-keys/${made.body.data.id}`, { reason }],
      [`POST ${account}/codes`, code],
      [`POST ${account}/adjustments`, { amount_credits: 0.5, reason }],
    ] as const) {
      const asked = await ask(line, neema, body)
      assert.ok(asked.body.data.request_id, `${line}: ${JSON.stringify(asked.body)}`)
      assert.equal((await decide(neema, asked, false)).status, 200)
    }
    assert.equal((await ask('GET /v1/operator/me', juma)).status, 200)
  })

  it('a linked one counts as one’s own: an address or number that both have proven or paid from', async () => {
    const set = (column: string, value: string, { accountId }: { accountId: string }) =>
      app.db.query(`update accounts set ${column} = $1 where id = $2`, [value, accountId])
    const byPhone = await app.customer('1')
    await set('login_phone', '+255712000001', byPhone)
    await app.db.query(
      `update accounts set phone_number = '+255712000001', phone_verified_at = now() where id = $1`,
      [neema.accountId],
    )
    const byMail = await app.customer('1')
    await set('email', neema.email.replace('@', '+shop@'), byMail)
    const byPayment = await app.customer('1')
    await app.db.query(
      `insert into payments (id, account_id, provider, reference, status, amount_tzs, credits_micro,
         phone_number, payer_name, expires_at, completed_at)
       values (gen_random_uuid(), $1, 'snippe', 'linked', 'completed', 1000, 1000000000,
         '+255712000001', 'Neema', now(), now())`,
      [byPayment.accountId],
    )
    for (const one of [byPhone, byMail, byPayment]) {
      const asked = await adjust(juma, one, 5)
      assert.equal(asked.body.data.outcome, 'waiting')
      refused(await decide(neema, asked), 403, 'forbidden')
      assert.equal((await decide(rehema, asked)).body.data.outcome, 'done')
    }
    // It was put there by hand, and nobody was credited for it.
    await app.db.query('delete from payments where account_id = $1', [byPayment.accountId])
    // A claim that nobody has proven keeps nobody from helping a customer.
    const claimed = await app.customer('1')
    await set('phone_number', '+255712000001', claimed)
    assert.equal((await adjust(juma, claimed, 5)).body.data.outcome, 'posted')
  })
})

describe('limits of a day', () => {
  it('what all of them move, each alone, is bounded too', async () => {
    const asha = await app.customer('0')
    assert.equal((await adjust(neema, asha, 900)).body.data.outcome, 'posted')
    assert.equal((await adjust(rehema, asha, 590)).body.data.outcome, 'posted')
    assert.equal((await adjust(juma, asha, 20)).body.data.outcome, 'waiting')
    assert.equal((await adjust(rehema, asha, -20)).body.data.outcome, 'waiting')
    assert.equal(await balance(asha), 1490)
  })
})

describe('requests', () => {
  it('one who is no operator any more asks for nothing', async () => {
    const gone = await newOperator(app, 'owner')
    const asha = await app.customer('0')
    const asked = await adjust(gone, asha, 5_000)
    assert.ok(await isListed(asked))
    const wanted = { who: gone.accountId, reason: 'left' }
    await removeOperator(app.db, commandActor('test'), wanted)
    assert.ok(!(await isListed(asked)))
    refused(await decide(neema, asked), 404, 'not_found')
  })

  it('after a week it lapses, and nobody’s requests hide those of others', async () => {
    const asker = await newOperator(app, 'owner')
    const asha = await app.customer('0')
    const asked = await adjust(asker, asha, 5_000)
    await app.db.query(
      `update operator_requests set asked_at = now() - interval '8 days' where id = $1`,
      [asked.body.data.request_id],
    )
    refused(await decide(neema, asked), 404, 'not_found')
    const many = await Promise.all(Array.from({ length: 21 }, () => adjust(asker, asha, 5_000)))
    assert.equal(many.filter(({ status }) => status === 409).length, 1)
  })

  it('what cannot be done now goes on waiting, and says why', async () => {
    const asha = await app.customer('10')
    const asked = await adjust(rehema, asha, -5_000)
    refused(await decide(neema, asked), 409, 'conflict')
    const listed = (await waiting()).find(
      (one: { id: string }) => one.id === asked.body.data.request_id,
    )
    assert.deepEqual(
      [listed.action, listed.target, listed.wish, listed.asked_by.name],
      [
        'account.adjust',
        { type: 'account', id: asha.accountId },
        { amount_credits: '-5000' },
        rehema.email,
      ],
    )
  })
})
