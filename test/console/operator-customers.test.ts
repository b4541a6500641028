import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import { freshPhone, PASSWORD } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { checkPage } from './support/check-page.ts'
import { withPhone } from './support/used-account.ts'
import { openAsOperator, perform } from './support/operators.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  const env = { OPERATOR_SECOND_PERSON_CREDITS: '1000', OPERATOR_ADJUST_LIMIT_CREDITS: '100' }
  rig = await startRig({ simulator: { faults: false }, env })
})
after(async () => {
  assert.equal((await checkAuditLog(rig.app.db)).finding, undefined)
  await assertAudit(rig.app.db)
  await rig.close()
})

const credits = async (token: string) =>
  (await rig.app.call('GET /v1/billing/balance', { token })).body.data.balance_credits

/** A payment of TZS 1,015, whose phone stays silent, made six minutes ago. */
async function silentPayment() {
  const asha = await rig.app.customer('0')
  const person = { ...asha, email: await emailOf(asha.accountId) }
  await withPhone(rig, person, freshPhone())
  const made = await rig.app.call('POST /v1/payments/topup', {
    token: asha.token,
    body: { amount_tzs: 1015 },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await rig.app.rooms.payments.idle()
  const { id, reference } = made.body.data as { id: string; reference: string }
  await rig.app.db.query(
    `update payments set created_at = created_at - interval '6 minutes', next_check_at = null
     where id = $1`,
    [id],
  )
  return { asha: person, id, reference }
}

async function emailOf(accountId: string): Promise<string> {
  const [row] = await rig.app.db.query<{ email: string }>(
    'select email from accounts where id = $1',
    [accountId],
  )
  return row!.email
}

test('“I paid and got nothing”: found by the reference, asked about, credited once; then taken back, and put right', async () => {
  const { asha, reference } = await silentPayment()
  const tab = await openAsOperator(rig, '/operator', { role: 'support' })
  const { page } = tab
  await page.getByText('Malipo 1 yamekwama').waitFor()
  await checkPage(tab, 'operator-attention')
  await page.goto(`${rig.url}/operator/accounts`)
  await page.getByLabel('Mteja, ufunguo au malipo').fill(reference)
  await page.getByRole('button', { name: 'Tafuta' }).click()
  await page.getByRole('link', { name: 'Asha Juma' }).click()
  await page.getByText(asha.email).first().waitFor()
  await checkPage(tab, 'operator-account')
  await page.getByRole('button', { name: 'Malipo', exact: true }).click()
  await page.getByRole('link', { name: reference }).click()
  await page.getByText('Mteja anasubiriwa kuweka PIN').waitFor()
  await checkPage(tab, 'operator-payment-stuck')
  rig.app.money.control.settle(reference, 'completed')
  await page.getByRole('button', { name: 'Uliza mtoa huduma sasa' }).click()
  await page.getByText('Yamelipwa: krediti zipo kwenye salio la mteja.').waitFor()
  assert.equal(await credits(asha.token), 1015)

  rig.app.money.control.takeBack(reference, { word: 'reversed' })
  await page.getByRole('button', { name: 'Uliza mtoa huduma sasa' }).click()
  await page.getByText('Pesa imerudishwa kwa mlipaji').first().waitFor()
  await checkPage(tab, 'operator-payment-review')
  await page.getByRole('link', { name: 'Rudi kwenye malipo' }).click()
  await page.getByRole('link', { name: reference }).waitFor()
  await checkPage(tab, 'operator-payments')
  await page.getByRole('link', { name: reference }).click()
  await page.getByRole('button', { name: 'Hitimisha' }).click()
  await page.getByLabel('Hatua iliyochukuliwa').selectOption('written_off')
  await checkPage(tab, 'operator-resolve')
  await perform(tab, 'Hitimisha', 'Kosa la mtandao; tumeacha')
  await page.getByText('Yamehitimishwa na yametoka kwenye foleni.').waitFor()
  await page.getByRole('link', { name: 'Rudi kwenye malipo' }).click()
  await page.getByText('Foleni hii haina kitu').waitFor()
  await tab.context.close()
})

test('an abuser is suspended: the key is refused, the open tab is thrown out; restored, all works again', async () => {
  const made = await rig.app.customer('50')
  const person = { ...made, email: await emailOf(made.accountId) }
  const theirs = await openSignedIn(rig, '/app', { person, credits: '50' })
  await theirs.page.getByRole('heading', { level: 1 }).waitFor()
  const chat = () =>
    rig.app.call('POST /v1/chat/completions', {
      token: made.key,
      body: { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] },
    })
  assert.equal((await chat()).status, 200)
  const tab = await openAsOperator(rig, `/operator/accounts?q=${person.email}`, {
    role: 'support',
    size: 'desktop',
    language: 'en',
  })
  const { page } = tab
  await page.getByRole('link', { name: 'Asha Juma' }).click()
  await page.getByRole('button', { name: 'Suspend the account' }).click()
  const dialog = page.getByRole('dialog')
  assert.ok(await dialog.getByRole('button', { name: 'Suspend the account' }).isDisabled())
  await checkPage(tab, 'operator-suspend')
  await perform(tab, 'Suspend the account', 'Resells stolen credit')
  await page.getByText('The account is suspended.').waitFor()
  await page.getByText('Suspended', { exact: true }).waitFor()
  await checkPage(tab, 'operator-suspended')
  assert.equal((await chat()).status, 401)
  // Nobody touches it: the page asks for what is new, and learns that the session has ended.
  await theirs.page.waitForURL('**/login?next=*')
  const login = { identifier: person.email, password: PASSWORD }
  assert.equal((await rig.app.call('POST /v1/auth/login', { body: login })).status, 403)

  await page.getByRole('button', { name: 'Devices and keys' }).click()
  await page.getByRole('button', { name: 'Revoke: test' }).waitFor()
  await page.getByRole('button', { name: 'Restore the account' }).click()
  await perform(tab, 'Restore the account', 'It was a mistake')
  await page.getByText('The account is restored.').waitFor()
  assert.equal((await chat()).status, 200)
  await page.getByRole('button', { name: 'Revoke: test' }).click()
  await checkPage(tab, 'operator-revoke')
  await perform(tab, 'Revoke the key', 'The key was published')
  await page.getByText('The key is revoked.').waitFor()
  assert.equal((await chat()).status, 401)
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await page.getByRole('button', { name: 'Account suspended' }).click()
  await page.getByRole('dialog').getByText('Resells stolen credit').waitFor()
  await checkPage(tab, 'operator-action')
  await theirs.context.close()
  await tab.context.close()
})

test('a large adjustment waits for a second owner; support is told its limit; a tap more changes nothing', async () => {
  const asha = await rig.app.customer('10')
  const path = `/operator/accounts/${asha.accountId}`
  const support = await openAsOperator(rig, path, { role: 'support' })
  await support.page.getByRole('button', { name: 'Rekebisha salio' }).click()
  await support.page.getByLabel('Krediti', { exact: true }).fill('500')
  await perform(support, 'Rekebisha')
  await support.page.getByText('kurekebisha krediti 100 kwa siku').waitFor()
  await checkPage(support, 'operator-adjust-refused')
  await support.context.close()

  const first = await openAsOperator(rig, path, { role: 'owner' })
  await first.page.getByRole('button', { name: 'Rekebisha salio' }).click()
  await first.page.getByLabel('Krediti', { exact: true }).fill('2,500.5')
  await perform(first, 'Rekebisha', 'Fidia ya hitilafu')
  await first.page.getByText('Inasubiri mmiliki wa pili').waitFor()
  await first.page.goto(`${rig.url}/operator/requests`)
  await first.page.getByText('Uliomba wewe').waitFor()
  await first.context.close()
  assert.equal(await credits(asha.token), 10)

  const second = await openAsOperator(rig, '/operator/requests', {
    role: 'owner',
    size: 'desktop',
    language: 'en',
  })
  await second.page.getByText('Fidia ya hitilafu').waitFor()
  await checkPage(second, 'operator-requests')
  await second.page.getByRole('button', { name: 'Approve' }).click()
  await perform(second, 'Approve', 'Checked with the log')
  await second.page.getByText('It is done.').waitFor()
  assert.equal(await credits(asha.token), 2510.5)
  await second.page.getByText('No request waits').waitFor()
  await second.context.close()
})

test('a statement of the provider is compared with our payments', async () => {
  const { id, reference } = await silentPayment()
  const tab = await openAsOperator(rig, '/operator/payments/statement', { role: 'support' })
  const { page } = tab
  const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
  await page.getByLabel('Hadi').fill(today)
  await page.getByLabel('Taarifa (CSV)').setInputFiles({
    name: 'statement.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `reference,amount,status\n${reference},1015,success\n<b>mgeni</b>,10,success`,
    ),
  })
  await page.getByRole('button', { name: 'Linganisha' }).click()
  await page.getByText('Yamelipwa kwao, krediti hazijaongezwa').waitFor()
  await page.getByText('<b>mgeni</b>').waitFor()
  await checkPage(tab, 'operator-statement')
  await page.getByRole('link', { name: reference }).click()
  await page.waitForURL(`**/operator/payments/${id}`)
  await tab.context.close()
})
