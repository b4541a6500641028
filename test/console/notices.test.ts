import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshPhone } from '../support/accounts.ts'
import { checkPage } from './support/check-page.ts'
import { withPhone } from './support/used-account.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

test('a notice leads to its thing and is read by that; the others are read at once', async () => {
  const person = await rig.app.signUp()
  await withPhone(rig, person, freshPhone())
  const body = { amount_tzs: 1_003 }
  const paid = await rig.app.call('POST /v1/payments/topup', { token: person.token, body })
  const tab = await openSignedIn(rig, '/app/notices', { person })
  const { page } = tab
  const failed = page.getByRole('listitem').filter({ hasText: 'Malipo hayakufanikiwa' })
  // It comes when the provider has refused, which the page learns by looking again.
  for (;;) {
    await page.reload()
    await page.getByRole('listitem').first().waitFor()
    if ((await failed.count()) > 0) break
  }
  await failed.getByRole('link', { name: 'Fungua malipo' }).click()
  await page.waitForURL(`**/app/billing/payments/${paid.body.data.id}`)
  await page.getByText('Umekataa ombi kwenye simu. Hukutozwa.').waitFor()
  await page.goBack()
  await failed.getByRole('button', { name: 'Nimesoma' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Weka zote kuwa zimesomwa' }).click()
  await page.getByRole('button', { name: 'Nimesoma' }).first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Taarifa', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Mpya', exact: true }).click()
  await page.getByText('Umesoma zote').waitFor()
  await checkPage(tab, 'notices-read')
  const unread = await rig.app.call('GET /v1/notifications?unread=true', { token: person.token })
  assert.deepEqual(unread.body.data, [])
  await tab.context.close()
})
