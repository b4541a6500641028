import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand } from '../../src/cli/commands.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { startApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'

/* What a deletion ends, what waits, and how an operator undoes it. */

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp({ env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
})
after(async () => {
  await assertAgreement(app.db)
  await app.close()
})

async function run(...args: string[]): Promise<{ code: number; said: string }> {
  const lines: string[] = []
  const code = await runCommand(args, app.rooms, (line) => void lines.push(line))
  return { code, said: lines.join('\n') }
}
const restore = (...args: string[]) => run('accounts', 'restore', ...args)
const remove = async (token: string) =>
  assert.deepEqual((await app.call('DELETE /v1/me', { token })).body.data, {})
const money = async (accountId: string) => {
  const [row] = await app.db.query<{ balance: bigint; held: bigint }>(
    'select balance_micro as balance, held_micro as held from ledger_accounts where account_id = $1',
    [accountId],
  )
  return row!
}
const emailOf = async (id: string): Promise<string> =>
  (await app.db.query<{ email: string }>('select email from accounts where id = $1', [id]))[0]!
    .email
const enter = async (email: string) => {
  const body = { identifier: email, password: 'chui mweusi 42' }
  return (await app.call('POST /v1/auth/login', { body })).body.data?.access_token as string
}

async function payment(token: string, accountId: string) {
  await app.db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [
    accountId,
  ])
  const made = await app.call('POST /v1/payments/topup', { token, body: { amount_tzs: 5_000 } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await app.rooms.payments.idle()
  return made.body.data as { id: string; reference: string }
}

test('a video job ends, uncharged, and its hold is released', async () => {
  const asha = await app.customer('100000')
  const body = { model: 'sim/video-fault-video-forever', prompt: 'Simba', duration: 4 }
  const made = await app.call('POST /v1/videos', { token: asha.key, body })
  assert.equal(made.status, 202, JSON.stringify(made.body))
  const job = async () =>
    (await app.db.query('select status from video_jobs where id = $1', [made.body.data.job_id]))[0]
  await eventually('the upstream has the job', async () => (await job())?.status === 'processing')
  assert.ok((await money(asha.accountId)).held > 0n)
  await remove(asha.token)
  await eventually('the job ends', async () => (await job())?.status === 'cancelled')
  assert.deepEqual(await money(asha.accountId), { balance: 100_000_000_000n, held: 0n })
})

test('a top-up that comes later waits for the operator; restored, the account has it', async () => {
  const asha = await app.customer('10')
  const email = await emailOf(asha.accountId)
  const { id, reference } = await payment(asha.token, asha.accountId)
  await remove(asha.token)
  app.money.control.settle(reference, 'completed')
  for (let i = 0; i < 2; i++) {
    assert.match((await run('payments', 'check', id)).said, /REVIEW=account_deleted/)
  }
  assert.match((await run('payments', 'list', '--review')).said, new RegExp(id))
  assert.equal((await money(asha.accountId)).balance, 10_000_000n)
  const restored = await restore(email, '--operator', 'neema', '--reason', 'asked by phone')
  assert.equal(restored.code, 0, restored.said)
  assert.match(restored.said, new RegExp(asha.accountId))
  await eventually('the payment is credited', async () => {
    return (await money(asha.accountId)).balance === 5_010_000_000n
  })
  assert.doesNotMatch((await run('payments', 'list', '--review')).said, new RegExp(id))
  const [event] = await app.db.query(
    `select action, operator, reason from operator_actions where target_id = $1
     order by seq desc limit 1`,
    [asha.accountId],
  )
  assert.deepEqual(event, {
    action: 'account.undelete',
    operator: 'neema',
    reason: 'asked by phone',
  })
})

test('a payment that was paid back meanwhile is not credited', async () => {
  const asha = await app.customer('10')
  const { id, reference } = await payment(asha.token, asha.accountId)
  await remove(asha.token)
  app.money.control.settle(reference, 'completed')
  await run('payments', 'check', id)
  const reviewed = await run(
    'payments',
    'reviewed',
    id,
    '--operator',
    'neema',
    '--note',
    'refunded',
  )
  assert.equal(reviewed.code, 0)
  assert.equal((await restore(asha.accountId)).code, 0)
  assert.match((await run('payments', 'check', id)).said, /reviewed=account_deleted/)
  assert.equal((await money(asha.accountId)).balance, 10_000_000n)
})

test('a restored account signs in as before, with its credits; its keys stay revoked', async () => {
  const asha = await app.customer('10')
  const email = await emailOf(asha.accountId)
  await remove(asha.token)
  assert.equal(await enter(email), undefined)
  assert.equal((await restore(asha.accountId.toUpperCase())).code, 0)
  const token = await enter(email)
  const profile = await app.call('GET /v1/me', { token })
  assert.deepEqual([profile.body.data.id, profile.body.data.email], [asha.accountId, email])
  const balance = await app.call('GET /v1/billing/balance', { token })
  assert.equal(balance.body.data.balance_credits, 10)
  for (const old of [asha.key, asha.token]) {
    assert.equal((await app.call('GET /v1/billing/balance', { token: old })).status, 401)
  }
  const notices = await app.call('GET /v1/notifications', { token })
  assert.equal(notices.body.data[0].type, 'security.account_restored')
})

test('it is refused while another account has the address, and where nothing was deleted', async () => {
  const asha = await app.customer('10')
  const email = await emailOf(asha.accountId)
  for (const wrong of [asha.accountId, email, 'nobody', 'nobody@example.com']) {
    assert.deepEqual(await restore(wrong), { code: 1, said: 'There is no such account.' })
  }
  await remove(asha.token)
  const juma = await app.customer('10')
  await app.db.query('update accounts set email = $2 where id = $1', [juma.accountId, email])
  const refused = await restore(email)
  assert.equal(refused.code, 1)
  assert.equal(refused.said, `Its email address belongs to the account ${juma.accountId} by now.`)
  await remove(juma.token)
  const several = await restore(email)
  assert.equal(several.code, 1)
  assert.match(several.said, new RegExp(`Name one: ${juma.accountId}, ${asha.accountId}`))
  assert.equal((await restore(asha.accountId)).code, 0)
})

test('without a name there is help', async () => {
  const { code, said } = await restore()
  assert.equal(code, 2)
  assert.match(said, /accounts restore <id\|email\|phone>/)
})
