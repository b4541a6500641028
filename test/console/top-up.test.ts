import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { freshPhone, PASSWORD } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { codeSentTo } from '../support/customer.ts'
import { checkPage } from './support/check-page.ts'
import { withPhone } from './support/used-account.ts'
import { openSignedIn, type Person } from './support/people.ts'
import { settle } from './support/settle.ts'
import { startRig, type Rig, type View } from './support/rig.ts'
import { eventually } from '../support/eventually.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

/** Amounts choose how the simulated provider ends a payment. */
const AMOUNTS = { unfunded: '1002', refused: '1003', silent: '1015' }

test('the number is verified in place; a double tap is one payment; every tab has the new balance; the receipt prints', async () => {
  const tab = await openSignedIn(rig, '/app/billing')
  const { page, person } = tab
  const phone = freshPhone()
  await page.getByLabel('Namba ya simu').fill(`0${phone.slice(4)}`)
  await page.getByRole('button', { name: 'Nitumie namba' }).click()
  await checkPage(tab, 'top-up-number')
  const code = await codeSentTo(rig.app.dataDir, phone)
  await page.getByLabel('Namba ya uthibitisho').fill(code)
  await page.getByRole('button', { name: 'TZS 5,000' }).first().click()
  await page.getByText('Utapata krediti 5,000.').waitFor()
  await checkPage(tab, 'top-up-form')
  const other = await tab.context.newPage()
  await other.goto(`${rig.url}/app/billing`)
  await other.getByRole('main').getByText('krediti 100', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Lipa TZS 5,000' }).dblclick()
  await page.getByText('Tumepokea TZS 5,000. Krediti 5,000 zimeongezwa.').waitFor()
  await checkPage(tab, 'payment-paid')
  await other.getByRole('main').getByText('krediti 5,100', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Risiti' }).click()
  await page.getByText('Hii si risiti ya kodi (EFD).').waitFor()
  await checkPage(tab, 'receipt')
  await assertOnePayment(person, { amount: 5000n, balance: 5_100_000_000n })
  await tab.context.close()
})

test('refused on the phone, and too little money: said so, nothing charged, and the way on', async () => {
  const tab = await openPaying({ language: 'en', size: 'desktop', theme: 'dark' })
  const { page } = tab
  await pay(page, AMOUNTS.refused, 'Pay TZS 1,003')
  await page.getByText('You declined on the phone. You were not charged.').waitFor()
  await checkPage(tab, 'payment-refused')
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.waitForURL('**/app/billing?amount=1003')
  await pay(page, AMOUNTS.unfunded, 'Pay TZS 1,002')
  await page.getByText('Not enough money in Airtel Money. You were not charged.').waitFor()
  await checkPage(tab, 'payment-unfunded')
  const payments = await paymentsOf(tab.person)
  assert.deepEqual(
    payments.map(({ status }) => status),
    ['failed', 'failed'],
  )
  await assertAudit(rig.app.db)
  await tab.context.close()
})

test('an answer that is lost, and a reload before it comes, make no second payment', async () => {
  const tab = await openPaying()
  const { page, context, person } = tab
  let lost = 0
  await context.route('**/v1/payments/topup', async (route) => {
    lost += 1
    if (lost > 4) return route.continue()
    // It reaches the service; the answer does not arrive, or not before the reload.
    await route.fetch()
    if (lost <= 3) await route.abort('connectionreset')
  })
  await page.getByLabel('Kiasi kingine').fill('1000')
  await page.getByRole('button', { name: 'Lipa TZS 1,000' }).click()
  await page.getByText('ni ombi lilelile, hutalipa mara mbili').waitFor()
  await checkPage(tab, 'top-up-unsure')
  await page.getByRole('button', { name: 'Lipa TZS 1,000' }).click()
  await eventually('four answers are lost', () => lost === 4)
  await page.reload()
  await page.getByText('Tumepokea TZS 1,000. Krediti 1,000 zimeongezwa.').waitFor()
  assert.equal(lost, 5)
  await assertOnePayment(person, { amount: 1000n, balance: 1_100_000_000n })
  await context.close()
})

test('a top-up that one person has begun is not sent for the next to sign in', async () => {
  const tab = await openPaying()
  const { page, context } = tab
  await context.route('**/v1/payments/topup', (route) => route.abort('connectionreset'))
  await page.getByRole('button', { name: 'TZS 10,000' }).first().click()
  await page.getByRole('button', { name: 'Lipa TZS 10,000' }).click()
  await page.getByText('ni ombi lilelile').waitFor()
  await context.unroute('**/v1/payments/topup')
  const next = await rig.app.signUp()
  await withPhone(rig, next, freshPhone())
  await signInHere(page, next)
  await page.goto(`${rig.url}/app/billing`)
  // The amount that is offered first, not the one that the other has chosen.
  await page.getByRole('button', { name: 'Lipa TZS 5,000' }).waitFor()
  assert.deepEqual(await paymentsOf(next), [])
  await context.close()
})

test('offline the tap is kept, and sent once when the network is back', async () => {
  const tab = await openPaying()
  const { page, context, person } = tab
  await page.getByRole('button', { name: 'TZS 1,000' }).first().click()
  let sent = 0
  await context.route('**/v1/payments/topup', (route) => {
    sent += 1
    // The network is back, but not yet for the first request.
    return sent === 1 ? route.abort('internetdisconnected') : route.continue()
  })
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Lipa TZS 1,000' }).click()
  await page.getByText('Ombi litatumwa mara moja tu ukirudi mtandaoni.').waitFor()
  assert.deepEqual(await paymentsOf(person), [])
  await context.setOffline(false)
  await page.getByText('Tumepokea TZS 1,000.').waitFor()
  assert.equal(sent, 2)
  await assertOnePayment(person, { amount: 1000n, balance: 1_100_000_000n })
  await context.close()
})

test('silence: help, a way back, no second payment; and late money is credited once', async () => {
  const tab = await openPaying()
  const { page, person } = tab
  await pay(page, AMOUNTS.silent, 'Lipa TZS 1,015')
  await page.getByText('Angalia simu, kisha weka namba ya siri (PIN) kulipa TZS 1,015.').waitFor()
  await checkPage(tab, 'payment-waiting')
  await rig.app.db.query(
    `update payments set accepted_at = accepted_at - interval '40 s' where account_id = $1`,
    [person.accountId],
  )
  await page.getByText('Hujaona ombi?').waitFor()
  await page.getByText('*150*01#').waitFor()
  await checkPage(tab, 'payment-help')
  await page.getByRole('button', { name: 'Nimeshalipa' }).click()
  await page.getByText('Mtandao bado haujathibitisha.').waitFor()
  await page.getByRole('link', { name: 'Rudi kwenye malipo' }).click()
  await page.getByText('Malipo ya TZS 1,015 yanasubiri').waitFor()
  await checkPage(tab, 'billing-waiting')
  await page.getByRole('link', { name: 'Fungua' }).click()
  await rig.app.db.query(
    `update payments set expires_at = now() - interval '1 s', next_check_at = now()
     where account_id = $1`,
    [person.accountId],
  )
  await page.getByText('Mtandao haujajibu. Usilipe tena').waitFor()
  await checkPage(tab, 'payment-silence')
  const [payment] = await paymentsOf(person)
  rig.app.money.control.settle(payment!.reference, 'completed')
  await page.getByRole('button', { name: 'Nimeshalipa' }).click()
  await page.getByText('Tumepokea TZS 1,015. Krediti 1,015 zimeongezwa.').waitFor()
  await page.getByText('Pesa ilifika baada ya muda kwisha').waitFor()
  await checkPage(tab, 'payment-late')
  await assertOnePayment(person, { amount: 1015n, balance: 1_115_000_000n })
  await tab.context.close()
})

/** At the form, with a verified number. */
async function openPaying(view: View = {}) {
  const person = await rig.app.signUp()
  await withPhone(rig, person, freshPhone())
  const tab = await openSignedIn(rig, '/app/billing', { ...view, person })
  // All of it is there.
  await settle(tab)
  return tab
}

async function signInHere(page: Page, { email }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Toka' }).click()
  await page.getByLabel('Barua pepe au simu').fill(email)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.waitForURL('**/app')
}

async function pay(page: Page, amount: string, button: string): Promise<void> {
  await page.getByLabel(/Kiasi kingine|Another amount/).fill(amount)
  await page.getByRole('button', { name: button }).click()
}

type Row = { status: string; amount_tzs: bigint; reference: string }

const paymentsOf = ({ accountId }: Person) =>
  rig.app.db.query<Row>(
    'select status, amount_tzs::int8 as amount_tzs, reference from payments where account_id = $1',
    [accountId],
  )

async function assertOnePayment(
  person: Person,
  { amount, balance }: { amount: bigint; balance: bigint },
): Promise<void> {
  const payments = await paymentsOf(person)
  assert.deepEqual(
    payments.map((payment) => [payment.status, payment.amount_tzs]),
    [['completed', amount]],
  )
  const [row] = await rig.app.db.query<{ balance_micro: bigint }>(
    'select balance_micro from ledger_accounts where account_id = $1',
    [person.accountId],
  )
  assert.equal(row?.balance_micro, balance)
  await assertAudit(rig.app.db)
}
