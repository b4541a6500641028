import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { qrSquares } from '../../console/src/parts/qr-squares.ts'
import { totpAt, totpUri } from '../../src/accounts/credentials/totp.ts'
import { freshEmail, freshPhone, fromBase32, PASSWORD } from '../support/accounts.ts'
import { codeSentTo, undoSentTo } from '../support/customer.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'
import { eventually } from '../support/eventually.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

/** As if everybody had signed in a while ago. */
const later = (accountId: string) =>
  rig.app.db.query(
    `update sessions set confirmed_at = now() - interval '11 minutes' where account_id = $1`,
    [accountId],
  )

test('an authenticator app by QR code, its recovery codes, and the way out of it', async () => {
  const tab = await openSignedIn(rig, '/app/settings')
  const { page, person } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Hatua ya pili: Washa' }).click()
  await dialog.getByRole('button', { name: 'Programu ya uthibitishaji' }).click()
  const secret = await dialog.locator('code').innerText()
  const drawn = await dialog.getByRole('img', { name: /QR/ }).locator('path').getAttribute('d')
  assert.equal(drawn, qrSquares(totpUri(fromBase32(secret), person.email)).path)
  await checkPage(tab, 'totp')
  const code = (steps: number) =>
    totpAt(fromBase32(secret), Math.floor(Date.now() / 30_000) + steps)
  await dialog.getByLabel('Tarakimu sita').fill(code(0) === '000000' ? '000001' : '000000')
  await dialog.getByText('Namba hiyo si sahihi').waitFor()
  await dialog.getByLabel('Tarakimu sita').fill(code(0))
  await dialog.getByText('Namba za dharura').first().waitFor()
  assert.equal(await dialog.getByRole('listitem').count(), 10)
  await checkPage(tab, 'recovery-codes')
  await dialog.getByRole('button', { name: 'Nimezihifadhi' }).click()
  await page.getByText('Zimebaki namba za dharura 10.').waitFor()
  await page.getByRole('button', { name: 'Hatua ya pili: Badilisha' }).click()
  await dialog.getByRole('button', { name: 'Zima hatua ya pili' }).click()
  await page.getByText('Imezimwa').waitFor()
  await tab.context.close()
})

test('signing out everywhere ends every device, and one can be ended alone', async () => {
  const tab = await openSignedIn(rig, '/app/settings', { language: 'en', size: 'desktop' })
  const { page, person } = tab
  const second = await openSignedIn(rig, '/app/keys', { person })
  const third = await openSignedIn(rig, '/app/keys', { person })
  for (const { page: other } of [second, third])
    await other.getByRole('heading', { level: 1, name: 'Funguo za API' }).waitFor()
  await page.reload()
  const ends = page.getByRole('button', { name: /^Sign out: / })
  await ends.first().waitFor()
  const history = page.getByRole('list', { name: 'Security history' })
  await history.getByText('Signed in').first().waitFor()
  await checkPage(tab, 'sessions')
  const listed = await ends.count()
  await ends.first().click()
  await eventually('one session fewer is listed', async () => (await ends.count()) === listed - 1)
  await history.getByText('Signed out: by you').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/login')
  for (const { page: other, context } of [second, third]) {
    await other.reload()
    await other.waitForURL('**/login?next=*')
    await context.close()
  }
  await tab.context.close()
})

test('name, language, notices, password and email are changed in place', async () => {
  const tab = await openSignedIn(rig, '/app/settings')
  const { page, person } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Badilisha: Jina' }).click()
  await dialog.getByLabel('Jina').fill('Neema Mushi')
  await dialog.getByRole('button', { name: 'Hifadhi' }).click()
  await page.getByText('Neema Mushi').waitFor()
  const tick = page.getByLabel('Malipo: Barua pepe')
  const before = await tick.isChecked()
  await tick.click()
  await page.getByText('Imehifadhiwa.').waitFor()
  await page.reload()
  await tick.waitFor()
  assert.equal(await tick.isChecked(), !before)

  await page.getByRole('button', { name: 'Badilisha nenosiri' }).click()
  await dialog.getByLabel('Nenosiri la sasa').fill('si hili hata kidogo')
  await dialog.getByLabel('Nenosiri jipya').fill('twiga mrefu 77')
  await dialog.getByRole('button', { name: 'Hifadhi' }).click()
  await dialog.getByText('Nenosiri la sasa si sahihi.').waitFor()
  await checkPage(tab, 'password-wrong')
  await dialog.getByLabel('Nenosiri la sasa').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Hifadhi' }).click()
  await page.getByText('Nenosiri limebadilishwa.').waitFor()
  const old = { identifier: person.email, password: PASSWORD }
  assert.equal((await rig.app.call('POST /v1/auth/login', { body: old })).status, 401)

  const email = freshEmail()
  await page.getByRole('button', { name: 'Badilisha: Barua pepe' }).click()
  await dialog.getByLabel('Barua pepe mpya').fill(email)
  await later(person.accountId)
  await dialog.getByRole('button', { name: 'Nitumie namba' }).click()
  await dialog.getByLabel('Nenosiri lako').fill('twiga mrefu 77')
  await checkPage(tab, 'email-password')
  await dialog.getByRole('button', { name: 'Nitumie namba' }).click()
  await dialog.getByLabel('Namba ya uthibitisho').fill(await codeSentTo(rig.app.dataDir, email))
  await page.getByText(email).waitFor()
  await page.getByRole('button', { name: 'English' }).last().click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  const me = await rig.app.call('GET /v1/me', { token: person.token })
  // The new password has ended the session that the account began with.
  assert.equal(me.status, 401)
  await tab.context.close()
})

test('deletion names the credits, asks for the password, and leaves nothing behind', async () => {
  const tab = await openSignedIn(rig, '/app/settings', { credits: '1234.5' })
  const { page, person } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Futa akaunti yangu' }).click()
  await dialog.getByText('Akaunti hii ina krediti 1,234.5.').waitFor()
  const erase = dialog.getByRole('button', { name: 'Futa akaunti' })
  await erase.click()
  await dialog.getByText('Nenosiri si sahihi.').waitFor()
  await checkPage(tab, 'deletion')
  await dialog.getByLabel('Nenosiri', { exact: true }).fill(PASSWORD)
  await erase.click()
  await page.waitForURL(`${rig.url}/`)
  const body = { identifier: person.email, password: PASSWORD }
  assert.equal((await rig.app.call('POST /v1/auth/login', { body })).status, 401)
  await page.goto(`${rig.url}/app`)
  await page.waitForURL('**/login?next=*')
  await tab.context.close()
})

test('a number set without the password waits, and the link that the owner was sent undoes it', async () => {
  const tab = await openSignedIn(rig, '/app/settings')
  const { page, person } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Weka: Namba ya simu' }).waitFor()
  await later(person.accountId)
  await page.getByRole('button', { name: 'Weka: Namba ya simu' }).click()
  const phone = freshPhone()
  await dialog.getByLabel('Namba ya simu').fill(phone)
  await checkPage(tab, 'phone-password')
  await dialog.getByRole('button', { name: 'Nitumie namba' }).click()
  const code = await codeSentTo(rig.app.dataDir, phone)
  await dialog.getByLabel('Namba ya uthibitisho').fill(code)
  await page.getByText('Itatumika kuingia kuanzia').waitFor()
  await checkPage(tab, 'phone-waits')
  const token = await undoSentTo(rig.app.dataDir, person.email)
  await page.goto(`${rig.url}/undo#${token}`)
  await page.getByRole('button', { name: 'Tengua' }).waitFor()
  await checkPage(tab, 'undo')
  const opened = await rig.app.call('GET /v1/me', { token: person.token })
  assert.equal(opened.body.data.phone_number, phone, 'opening the link changes nothing')
  await page.getByRole('button', { name: 'Tengua' }).click()
  await page.getByText('Mabadiliko yametenguliwa.').waitFor()
  await checkPage(tab, 'undone')
  await page.getByRole('link', { name: 'Weka nenosiri jipya' }).click()
  await page.waitForURL('**/reset')
  const me = await rig.app.call('GET /v1/me', { token: person.token })
  assert.equal(me.status, 401)
  await tab.context.close()
})

test('a link that is cut or old says so', async () => {
  const tab = await rig.open('/undo#abc', { language: 'en', size: 'desktop' })
  const { page } = tab
  await page.getByText('This link is not complete.').waitFor()
  await checkPage(tab, 'undo-cut')
  await page.goto(`${rig.url}/undo#${'A'.repeat(22)}`)
  await page.reload()
  await page.getByRole('button', { name: 'Undo the change' }).click()
  await page.getByText('This link has expired, or was used already.').waitFor()
  await tab.context.close()
})
