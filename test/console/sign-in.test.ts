import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { totpAt } from '../../src/accounts/credentials/totp.ts'
import { freshPhone, fromBase32, PASSWORD } from '../support/accounts.ts'
import { codeSentTo } from '../support/customer.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

test('a new customer comes in by phone number, in Kiswahili, and stays in after a reload', async () => {
  const tab = await rig.open('/register')
  const { page } = tab
  const phone = freshPhone()
  await page.getByLabel('Jina lako').fill('Asha Juma')
  await page.getByLabel('Nenosiri').fill('fupi')
  await page.getByRole('button', { name: 'Endelea' }).click()
  await page.getByText('Andika barua pepe kamili').waitFor()
  await page.getByText('herufi 8 hadi 128').waitFor()
  await checkPage(tab, 'register-wrong')
  await page.getByLabel('Barua pepe au simu').fill(`0${phone.slice(4)}`)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Endelea' }).click()
  await page.getByRole('heading', { name: 'Weka namba uliyopokea' }).waitFor()
  // Cheap phones drop the page while its reader looks at the message.
  await page.reload()
  const code = page.getByLabel('Namba ya uthibitisho')
  const right = await codeSentTo(rig.app.dataDir, phone)
  await code.fill(right === '000000' ? '000001' : '000000')
  await page.getByText('Namba hiyo si sahihi').waitFor()
  await checkPage(tab, 'code-wrong')
  await code.fill(right)
  await page.waitForURL('**/app')
  await page.getByRole('heading', { name: 'Muhtasari' }).waitFor()
  await checkPage(tab, 'app-empty')
  await page.reload()
  await page.getByRole('button', { name: 'Toka' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/app')
  const kept = await tab.context.storageState()
  const refresh = kept.cookies.find(({ name }) => name === '__Host-mlango_refresh')
  assert.ok(refresh?.httpOnly && refresh.secure && refresh.sameSite === 'Strict')
  const stored = JSON.stringify(kept.origins)
  assert.doesNotMatch(stored, /eyJ|token/i, 'no token where scripts can read it')
  await tab.context.close()
})

test('who is not signed in is asked to, and then comes back to the page', async () => {
  const { email } = await rig.app.signUp()
  const tab = await rig.open('/app/keys?x=1', { size: 'desktop', language: 'en', theme: 'dark' })
  const { page } = tab
  await page.waitForURL('**/login?next=*')
  await page.getByLabel('Email or phone').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('password is wrong').waitFor()
  await page.getByText(/req_/).waitFor()
  await checkPage(tab, 'login-wrong')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/app/keys?x=1')
  await tab.context.close()
})

test('what is typed before the script has arrived is not lost', async () => {
  const { email } = await rig.app.signUp()
  const tab = await rig.open('/guides')
  const { page } = tab
  let arrive = () => {}
  const typed = new Promise<void>((done) => (arrive = done))
  await page.route('**/assets/login-page*.js', async (route) => {
    await typed
    await route.continue()
  })
  await page.goto(`${rig.url}/login`, { waitUntil: 'commit' })
  await page.getByLabel('Barua pepe au simu').fill(email)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  arrive()
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.waitForURL('**/app')
  assert.deepEqual(tab.watch.problems, [])
  await tab.context.close()
})

test('a page of another site is never where a sign-in leads', async () => {
  const { email } = await rig.app.signUp()
  const tab = await rig.open('/login?next=https://evil.example/app')
  const { page } = tab
  await page.getByLabel('Barua pepe au simu').fill(email)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.waitForURL(`${rig.url}/app`)
  await tab.context.close()
})

test('a forgotten password is set anew, and the old one is gone', async () => {
  const { email, code: before } = await rig.app.signUp()
  const tab = await rig.open('/reset')
  const { page } = tab
  await page.getByLabel('Barua pepe au simu').fill(email)
  await page.getByRole('button', { name: 'Nitumie namba' }).click()
  await page.getByLabel('Namba ya uthibitisho').waitFor()
  await checkPage(tab, 'reset-code')
  const code = await codeAfter(before, email)
  await page.getByLabel('Namba ya uthibitisho').fill(code)
  await page.getByLabel('Nenosiri jipya').fill('simba mwekundu 43')
  await page.getByRole('button', { name: 'Hifadhi nenosiri' }).click()
  await page.waitForURL('**/login**')
  await page.getByText('Nenosiri limebadilishwa').waitFor()
  await page.getByLabel('Barua pepe au simu').fill(email)
  await page.getByLabel('Nenosiri').fill('simba mwekundu 43')
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.waitForURL('**/app')
  await tab.context.close()
})

test('an authenticator app or a recovery code is the second step', async () => {
  const person = await rig.app.signUp()
  const change = (body: object) => rig.app.call('PATCH /v1/me', { token: person.token, body })
  const { secret } = (await change({ mfa_method: 'totp' })).body.data.totp
  const now = totpAt(fromBase32(secret), Math.floor(Date.now() / 30_000))
  const { recovery_codes } = (await change({ mfa_method: 'totp', totp_code: now })).body.data
  const tab = await rig.open('/login')
  const { page } = tab
  await page.getByLabel('Barua pepe au simu').fill(person.email)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Ingia' }).click()
  await page.getByRole('heading', { name: 'Hatua ya pili' }).waitFor()
  await checkPage(tab, 'second-factor')
  await page.getByRole('button', { name: /namba ya dharura/ }).click()
  await page.getByLabel('Namba ya dharura').fill(recovery_codes[0])
  await page.getByRole('button', { name: 'Thibitisha' }).click()
  await page.waitForURL('**/app')
  await tab.context.close()
})

test('two tabs share a session, and leaving in one is leaving in both', async () => {
  const tab = await openSignedIn(rig, '/app')
  const other = await tab.context.newPage()
  await Promise.all([tab.page.reload(), other.goto(`${rig.url}/app/keys`)])
  for (const page of [tab.page, other]) await page.getByRole('button', { name: 'Toka' }).waitFor()
  await tab.page.getByRole('button', { name: 'Toka' }).click()
  await tab.page.waitForURL('**/login')
  await other.waitForURL('**/login?next=*')
  await other.goto(`${rig.url}/app`)
  await other.waitForURL('**/login?next=*')
  await tab.context.close()
})

test('an answer to the renewal that was lost does not end the session', async () => {
  const tab = await openSignedIn(rig, '/app')
  const { page, context } = tab
  await page.getByRole('heading', { name: 'Muhtasari' }).waitFor()
  let lost = 0
  await context.route('**/v1/auth/refresh', async (route) => {
    if (lost++ > 0) return route.continue()
    // It reaches the service; its answer, with the next cookie, never arrives.
    const cookies = await context.cookies(rig.url)
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const headers = { ...route.request().headers(), cookie }
    const answer = await fetch(route.request().url(), { method: 'POST', headers })
    assert.equal(answer.status, 200)
    return route.abort('connectionreset')
  })
  await page.reload()
  await page.getByText('Hatukuweza kufikia huduma').waitFor()
  await page.getByRole('heading', { name: 'Muhtasari' }).waitFor()
  assert.ok(lost > 1)
  await context.close()
})

/** The newest message is still the one before for a moment. */
async function codeAfter(before: string, email: string): Promise<string> {
  for (;;) {
    const code = await codeSentTo(rig.app.dataDir, email)
    if (code !== before) return code
    await new Promise((done) => setTimeout(done, 50))
  }
}
