import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { codeSentTo } from '../support/customer.ts'
import { startGithub, type GithubPeer } from '../support/peers/github.ts'
import { CLIENT, startOidcPeer, type OidcPeer } from '../support/peers/oidc.ts'
import { checkPage } from './support/check-page.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
let google: OidcPeer
let github: GithubPeer
before(async () => {
  // Providers must know the address that people come back to.
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  google = await startOidcPeer([`${publicUrl}/v1/auth/google/callback`])
  github = await startGithub({ id: 'gh', secret: 'gh-secret' })
  rig = await startRig({
    env: {
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      GOOGLE_ISSUER: google.issuer,
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.url,
      GITHUB_CLIENT_ID: 'gh',
      GITHUB_CLIENT_SECRET: 'gh-secret',
    },
  })
})
after(async () => {
  await rig.close()
  await google.close()
  await github.close()
})

test('a person comes in through Google, and a reload keeps the session', async () => {
  google.people.asha = { email: 'asha@example.com', email_verified: true, name: 'Asha Juma' }
  google.visitor = 'asha'
  const tab = await rig.open('/login', { size: 'phone' })
  const { page } = tab
  await page.getByRole('link', { name: /Google/ }).waitFor()
  await checkPage(tab, 'login-social')
  await page.getByRole('link', { name: /Google/ }).click()
  await page.getByText('Habari, Asha').waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await page.reload()
  await page.getByText('Habari, Asha').waitFor()
  await tab.context.close()
})

test('a person comes in through GitHub', async () => {
  const email = 'neema@example.com'
  github.emails = [{ email, primary: true, verified: true, visibility: null }]
  const tab = await rig.open('/register', { size: 'desktop', language: 'en', theme: 'dark' })
  const { page } = tab
  await page.getByRole('link', { name: /GitHub/ }).click()
  await page.getByRole('link', { name: 'Billing' }).first().waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await tab.context.close()
})

test('whoever is refused on the way back reads why, in place', async () => {
  google.people.juma = { email: 'juma@example.com', email_verified: true, name: 'Juma' }
  google.visitor = 'juma'
  const first = await rig.open('/login')
  await first.page.getByRole('link', { name: /Google/ }).click()
  await first.page.getByText('Habari, Juma').waitFor()
  await first.context.close()
  await rig.app.db.query(
    `update accounts set status = 'suspended' where email = 'juma@example.com'`,
  )
  const tab = await rig.open('/login')
  await tab.page.getByRole('link', { name: /Google/ }).click()
  await tab.page.getByRole('heading', { name: 'Kuingia hakukufanikiwa' }).waitFor()
  await tab.page.getByText(/^Akaunti hii imesimamishwa/).waitFor()
  await tab.page.getByText(/Namba ya ombi: req_/).waitFor()
  await tab.context.close()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

test('with a second factor it is asked for, and the social sign-in can be unlinked', async () => {
  const email = 'rehema@example.com'
  google.people.rehema = { email, email_verified: true, name: 'Rehema' }
  google.visitor = 'rehema'
  const tab = await rig.open('/login', { size: 'phone' })
  const { page } = tab
  await page.getByRole('link', { name: /Google/ }).click()
  await page.getByText('Habari, Rehema').waitFor()
  await page.goto(`${rig.url}/app/settings`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Hatua ya pili: Washa' }).click()
  await dialog.getByRole('button', { name: 'Namba kwa barua pepe' }).click()
  await page.getByText('Namba kwa barua pepe').waitFor()
  const again = await rig.open('/login', { size: 'phone' })
  await again.page.getByRole('link', { name: /Google/ }).click()
  await again.page.getByRole('heading', { name: 'Hatua ya pili' }).waitFor()
  const code = await codeSentTo(rig.app.dataDir, email)
  await again.page.getByLabel('Namba ya uthibitisho').fill(code)
  await again.page.getByText('Habari, Rehema').waitFor()
  // A tab that has not been at the provider's: the check wants no address but our own.
  const own = await rig.open('/app/settings', { size: 'phone' }, await again.context.storageState())
  await own.page.getByRole('button', { name: 'Tenganisha: Google' }).click()
  await checkPage(own, 'unlink')
  await own.page.getByRole('dialog').getByRole('button', { name: 'Tenganisha' }).click()
  const gone = own.page.getByRole('heading', { name: 'Kuingia kwa akaunti nyingine' })
  await gone.waitFor({ state: 'detached' })
  for (const { context } of [again, own]) await context.close()
  await tab.context.close()
})
