import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { freshPhone, PASSWORD } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { codeSentTo } from '../support/customer.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

test('from the phone number to a paid call: register, code, key, SDK, and the steps tick themselves', async () => {
  const tab = await rig.open('/register')
  const { page } = tab
  const phone = freshPhone()
  await page.getByLabel('Jina lako').fill('Asha Juma')
  await page.getByLabel('Barua pepe au simu').fill(`0${phone.slice(4)}`)
  await page.getByLabel('Nenosiri').fill(PASSWORD)
  await page.getByRole('button', { name: 'Endelea' }).click()
  await page.getByLabel('Namba ya uthibitisho').fill(await codeSentTo(rig.app.dataDir, phone))
  await page.getByRole('heading', { name: 'Hatua za kwanza' }).waitFor()
  await checkPage(tab, 'first-steps')
  await page.getByRole('link', { name: 'Tengeneza ufunguo' }).click()
  await page.getByRole('button', { name: 'Tengeneza ufunguo' }).first().click()
  await page.getByLabel('Jina la ufunguo').fill('Tovuti ya duka')
  await checkPage(tab, 'key-form')
  await page.getByRole('dialog').getByRole('button', { name: 'Tengeneza ufunguo' }).click()
  await page.getByText('Nakili ufunguo huu sasa; hatutauonyesha tena.').waitFor()
  await page.getByRole('button', { name: 'Jaribu ufunguo' }).click()
  await page.getByText('Ufunguo unafanya kazi').waitFor()
  await checkPage(tab, 'key-once')
  const key = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'Nimeuhifadhi' }).click()
  assert.doesNotMatch(await page.content(), new RegExp(key), 'the secret is gone')

  await page.getByRole('link', { name: 'Mwanzo' }).click()
  await page.getByText('Tunasubiri ombi lako').waitFor()
  await checkPage(tab, 'first-steps-key')
  const client = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: key })
  const messages = [{ role: 'user' as const, content: 'Habari ya asubuhi!' }]
  const answer = await client.chat.completions.create({ model: 'sim/hekima', messages })
  assert.ok(answer.choices[0]?.message.content)
  await page.getByText('Tunasubiri ombi lako').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Matumizi', exact: true }).click()
  await page.locator('tbody tr').filter({ hasText: 'sim/hekima' }).first().waitFor()
  await assertAudit(rig.app.db)
  await tab.context.close()
})

test('a key that leaked is replaced in one step; keys are renamed and revoked; workspaces come and go', async () => {
  const customer = await rig.app.customer('10')
  const person = { ...customer, email: await emailOf(customer.accountId) }
  const tab = await openSignedIn(rig, '/app/keys', {
    person,
    size: 'desktop',
    language: 'en',
    theme: 'dark',
  })
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Rename test' }).click()
  await dialog.getByLabel('Name of the key').fill('Shop')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Leaked? Shop' }).click()
  await checkPage(tab, 'key-leaked')
  await dialog.getByRole('button', { name: 'Replace it now' }).click()
  await dialog.getByText('The old key no longer works.').waitFor()
  const fresh = await page.locator('[data-secret]').innerText()
  assert.equal(await balanceStatus(customer.key), 401)
  assert.equal(await balanceStatus(fresh), 200)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('button', { name: 'New workspace' }).click()
  await dialog.getByLabel('Name of the workspace').fill('Kariakoo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Kariakoo', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete the workspace' }).click()
  await dialog.getByRole('button', { name: 'Delete the workspace' }).click()
  await page.getByRole('heading', { name: 'Kariakoo', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Revoke Shop' }).click()
  await dialog.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('You have no key yet').waitFor()
  assert.equal(await balanceStatus(fresh), 401)
  await tab.context.close()
})

test('names that are code are shown as text and run nothing', async () => {
  const person = await rig.app.signUp()
  const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
  const post = (line: string, body: object) => rig.app.call(line, { token: person.token, body })
  await post('PATCH /v1/me', { full_name: hostile })
  const space = await post('POST /v1/workspaces', { name: hostile, slug: 'hostile' })
  const made = await post('POST /v1/api-keys', {
    name: hostile,
    workspace_id: space.body.data.id,
  })
  const messages = [{ role: 'user', content: 'Habari' }]
  await rig.app.call('POST /v1/chat/completions', {
    token: made.body.data.key,
    body: { model: 'sim/hekima', messages },
  })
  const tab = await openSignedIn(rig, '/app/keys', { person })
  const { page } = tab
  page.on('dialog', (dialog) => tab.watch.problems.push(`a script ran: ${dialog.message()}`))
  const first = { exact: false } as const
  await page.getByText(hostile, first).first().waitFor()
  await checkPage(tab, 'keys-hostile')
  await page.goto(`${rig.url}/app/notices`)
  await page.getByText(hostile, first).first().waitFor()
  await checkPage(tab, 'notices-hostile')
  await page.goto(`${rig.url}/app/settings`)
  await page.getByText(hostile, first).first().waitFor()
  await checkPage(tab, 'settings-hostile')
  await page.goto(`${rig.url}/app/activity`)
  await page
    .getByRole('button', { name: /Maelezo/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText(hostile, first).first().waitFor()
  await checkPage(tab, 'activity-hostile')
  await tab.context.close()
})

async function balanceStatus(key: string): Promise<number> {
  return (await rig.app.call('GET /v1/billing/balance', { token: key })).status
}

async function emailOf(accountId: string): Promise<string> {
  const [row] = await rig.app.db.query<{ email: string }>(
    'select email from accounts where id = $1',
    [accountId],
  )
  return row!.email
}
