import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { putOperator } from '../../src/operators/operators-store.ts'
import { PASSWORD } from '../support/accounts.ts'
import { checkPage } from './support/check-page.ts'
import { perform } from './support/operators.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig, type Tab } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } }, 'localhost')
})
after(() => rig.close())

/** The browser's own authenticator, whose owner agrees to everything. */
async function giveAuthenticator({ page, context }: Tab): Promise<void> {
  const browser = await context.newCDPSession(page)
  await browser.send('WebAuthn.enable')
  await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('a passkey is added, named, asked for at the next sign-in, and removed by who has lost it', async () => {
  const tab = await openSignedIn(rig, '/app/settings')
  const { page, person } = tab
  await giveAuthenticator(tab)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Ongeza ufunguo wa siri' }).click()
  await dialog.getByLabel('Jina la ufunguo').fill('Simu yangu')
  const add = dialog.getByRole('button', { name: 'Ongeza ufunguo wa siri' })
  await rig.app.db.query(
    `update sessions set confirmed_at = now() - interval '11 minutes' where account_id = $1`,
    [person.accountId],
  )
  await add.click()
  await dialog.getByLabel('Nenosiri').fill('si hili hata kidogo')
  await add.click()
  await dialog.getByText('Nenosiri si sahihi.').waitFor()
  await checkPage(tab, 'passkey-add')
  await dialog.getByLabel('Nenosiri').fill(PASSWORD)
  await add.click()
  await dialog.getByText('Ukipoteza simu').waitFor()
  const recovery = await dialog.getByRole('listitem').first().innerText()
  await dialog.getByRole('button', { name: 'Nimezihifadhi' }).click()
  await page.getByText('Ufunguo wa siri umeongezwa.').waitFor()
  await page.getByText('Zimebaki namba za dharura 10.').waitFor()
  await page.getByRole('button', { name: 'Badilisha jina: Simu yangu' }).click()
  await dialog.getByLabel('Jina la ufunguo').fill('Simu ya Asha')
  await dialog.getByRole('button', { name: 'Hifadhi' }).click()
  await page.getByText('Simu ya Asha').waitFor()
  await checkPage(tab, 'passkeys')

  const signIn = async () => {
    await page.getByRole('button', { name: 'Toka', exact: true }).click()
    await page.waitForURL('**/login')
    await page.getByLabel('Barua pepe au simu').fill(person.email)
    await page.getByLabel('Nenosiri').fill(PASSWORD)
    await page.getByRole('button', { name: 'Ingia' }).click()
    await page.getByRole('heading', { name: 'Hatua ya pili' }).waitFor()
  }
  await signIn()
  await checkPage(tab, 'passkey-step')
  await page.getByRole('button', { name: 'Tumia ufunguo wa siri' }).click()
  await page.waitForURL('**/app')

  await signIn()
  await page.getByRole('button', { name: 'Tumia namba ya dharura' }).click()
  await page.getByLabel('Namba ya dharura').fill(recovery)
  await checkPage(tab, 'passkey-recovery')
  await page.getByRole('button', { name: 'Thibitisha' }).click()
  await page.waitForURL('**/app')
  await page.goto(`${rig.url}/app/settings`)
  await page.getByRole('button', { name: 'Ondoa: Simu ya Asha' }).click()
  await dialog.getByText('Huu ni wa mwisho').waitFor()
  await checkPage(tab, 'passkey-remove')
  await dialog.getByRole('button', { name: 'Ondoa', exact: true }).click()
  await page.getByText('Ufunguo wa siri “Simu ya Asha” umeondolewa.').waitFor()
  await page.getByText('Imezimwa').waitFor()
  await tab.context.close()
})

test('an operator enrols with a passkey, shows it again, and signs in again after twelve hours', async () => {
  const asha = await rig.app.customer('25')
  const person = await rig.app.signUp()
  await putOperator(rig.app.db, person.accountId, 'owner')
  const path = `/operator/accounts/${asha.accountId}`
  const tab = await openSignedIn(rig, path, { person, language: 'en', size: 'desktop' })
  const { page } = tab
  await giveAuthenticator(tab)
  await page.getByRole('heading', { name: 'Protect the operators’ area' }).waitFor()
  await checkPage(tab, 'operator-enrol-passkey')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  const suspend = page.getByRole('button', { name: 'Suspend the account' })
  await suspend.waitFor()

  await rig.app.db.query(
    `update sessions set second_factor_at = now() - interval '11 minutes' where account_id = $1`,
    [person.accountId],
  )
  await suspend.click()
  await perform(tab, 'Suspend the account')
  await page.getByText('This needs your second factor anew.').waitFor()
  await checkPage(tab, 'operator-proof-passkey')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('button', { name: 'Restore the account' }).waitFor()

  await rig.app.db.query(
    `update sessions set created_at = now() - interval '13 hours' where account_id = $1`,
    [person.accountId],
  )
  await page.reload()
  await page.waitForURL('**/login?next=*')
  await page.getByLabel('Email or phone').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`**${path}`)
  await suspend.or(page.getByRole('button', { name: 'Restore the account' })).waitFor()
  assert.deepEqual(tab.watch.problems, [])
  await tab.context.close()
})
