import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { totpAt } from '../../src/accounts/credentials/totp.ts'
import type { App } from '../../src/app/app.ts'
import { putOperator } from '../../src/operators/operators-store.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { fromBase32, PASSWORD } from '../support/accounts.ts'
import { checkPage } from './support/check-page.ts'
import { openAsOperator, perform } from './support/operators.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

/** `npm run mlango -- …` */
async function mlango(...args: string[]): Promise<void> {
  const lines: string[] = []
  const parts = { db: rig.app.db } as unknown as App
  assert.equal(await runCommand(args, parts, (line) => lines.push(line)), 0, lines.join('\n'))
}

const step = () => Math.floor(Date.now() / 30_000)

test('an owner without an authenticator: nothing is there, then the authenticator, the first page, a fresh code', async () => {
  const person = await rig.app.signUp()
  const tab = await rig.open('/operator/accounts')
  const { page } = tab
  await page.waitForURL('**/login?next=*')
  await page.getByLabel('Barua pepe au simu').fill(person.email)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.waitForURL('**/operator/accounts')
  await page.getByText('Anwani hii haina ukurasa.').waitFor()
  assert.equal(await page.title(), 'Ukurasa haupo · Mlango')
  assert.doesNotMatch(await page.locator('body').innerText(), /ndeshaji/)
  await checkPage(tab, 'operator-stranger')

  // The command asks for an authenticator first; this owner has turned theirs off since.
  await putOperator(rig.app.db, person.accountId, 'owner')
  await page.reload()
  await page.getByRole('heading', { name: 'Linda uendeshaji' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Wateja' }).count(), 0)
  await checkPage(tab, 'operator-enrol')
  await page.getByRole('button', { name: 'Tumia programu ya uthibitishaji badala yake' }).click()
  await page.getByRole('button', { name: 'Unganisha programu' }).click()
  await page.getByRole('img', { name: /QR/ }).waitFor()
  const secret = fromBase32(await page.locator('main code').innerText())
  await checkPage(tab, 'operator-enrol-code')
  const first = step()
  await page.getByLabel('Tarakimu sita').fill(totpAt(secret, first))
  await page.getByRole('button', { name: 'Nimezihifadhi' }).click()
  await page.getByRole('heading', { level: 1, name: 'Wateja' }).waitFor()
  await page.getByLabel('Mteja, ufunguo au malipo').waitFor()

  const asha = await rig.app.customer('25')
  await rig.app.db.query(
    `update sessions set second_factor_at = now() - interval '11 minutes' where account_id = $1`,
    [person.accountId],
  )
  await page.goto(`${rig.url}/operator/accounts/${asha.accountId}`)
  await page.getByRole('button', { name: 'Rekebisha salio' }).click()
  await page.getByLabel('Krediti', { exact: true }).fill('10')
  await perform(tab, 'Rekebisha')
  await page.getByText('Tendo hili linahitaji uthibitisho mpya').waitFor()
  await checkPage(tab, 'operator-proof')
  const code = page.getByLabel('Tarakimu sita za programu')
  // The one of the enrolment was used.
  await code.fill(totpAt(secret, first))
  await page.getByText('Namba hiyo si sahihi').waitFor()
  await code.fill(totpAt(secret, Math.max(first + 1, step())))
  await page.getByText('Imefanyika. Salio sasa ni krediti 35.').waitFor()
  await tab.context.close()
})

test('a customer finds nothing at any address of the operators, and the page asks for nothing of theirs', async () => {
  const tab = await openSignedIn(rig, '/operator', { language: 'en', size: 'desktop' })
  const { page } = tab
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const path of ['/operator', '/operator/log', '/operator/nothing', '/operator/models']) {
    await page.goto(rig.url + path)
    await page.getByText('There is no page at this address.').waitFor()
  }
  const theirs = new Set(asked.filter((path) => path.startsWith('/v1/operator')))
  assert.deepEqual([...theirs], ['/v1/operator/me'])
  await checkPage(tab, 'operator-stranger')
  await tab.context.close()
})

test('an owner who was made a viewer meanwhile is refused, and once removed finds nothing', async () => {
  const asha = await rig.app.customer('25')
  const tab = await openAsOperator(rig, `/operator/accounts/${asha.accountId}`, {})
  const { page, operator } = tab
  await page.getByRole('button', { name: 'Simamisha akaunti' }).click()
  await mlango('operators', 'add', operator.email, '--role', 'viewer')
  await perform(tab, 'Simamisha akaunti')
  await page.getByText('Hili linahitaji jukumu la Msaada; hilo si lako.').waitFor()
  await checkPage(tab, 'operator-demoted')
  await mlango('operators', 'remove', operator.email)
  await page.reload()
  await page.getByText('Anwani hii haina ukurasa.').waitFor()
  const me = await rig.app.call('GET /v1/me', { token: asha.token })
  assert.equal(me.status, 200, 'nothing was done to the customer')
  await tab.context.close()
})

test('a viewer reads with addresses masked and is offered no act; support none of the owner’s', async () => {
  const asha = await rig.app.customer('25')
  const viewer = await openAsOperator(rig, `/operator/accounts/${asha.accountId}`, {
    role: 'viewer',
    language: 'en',
  })
  await viewer.page.getByText('You are a viewer').waitFor()
  await viewer.page.getByText(/^u\*\*\*@example\.com$/).waitFor()
  for (const name of ['Adjust the balance', 'Suspend the account', 'Send a code again']) {
    assert.equal(await viewer.page.getByRole('button', { name }).count(), 0, name)
  }
  await checkPage(viewer, 'operator-viewer')
  await viewer.context.close()
  const support = await openAsOperator(rig, '/operator/requests', {
    role: 'support',
    size: 'desktop',
  })
  await support.page.getByText('Mmiliki pekee ndiye anayeweza kufanya hivi.').waitFor()
  await checkPage(support, 'operator-support')
  await support.context.close()
})
