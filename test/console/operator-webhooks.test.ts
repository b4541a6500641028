import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/peers/receiver.ts'
import { checkPage } from './support/check-page.ts'
import { openAsOperator, perform } from './support/operators.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
let receiver: Awaited<ReturnType<typeof startReceiver>>
before(async () => {
  receiver = await startReceiver()
  rig = await startRig({
    simulator: { faults: false },
    env: {
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_ALLOW_PORTS: String(receiver.port),
    },
  })
})
after(async () => {
  await rig.close()
  await receiver.close()
})

test('an address is added, its secret shown once, an event arrives and is sent again; a new secret; removed', async () => {
  const asha = await rig.app.customer('25')
  const tab = await openAsOperator(rig, '/operator/office', {})
  const { page } = tab
  await page.getByRole('link', { name: 'Webhook' }).click()
  await page.getByText('Bado hakuna anwani').waitFor()
  await page.getByRole('button', { name: 'Ongeza anwani' }).click()
  await page.getByLabel('Anwani (https)').fill('http://10.0.0.1/hooks')
  await perform(tab, 'Ongeza anwani', 'Mfumo wa hesabu')
  await page.getByRole('alert').waitFor()
  await checkPage(tab, 'operator-webhook-refused')
  await page.getByLabel('Anwani (https)').fill(receiver.url)
  await page.getByRole('dialog').getByRole('button', { name: 'Ongeza anwani' }).click()
  await page.getByText('Nakili siri hii sasa; hatutaionyesha tena.').waitFor()
  const secret = await page.locator('[data-secret]').innerText()
  await checkPage(tab, 'operator-webhook-secret')
  await page.getByRole('button', { name: 'Nimeihifadhi' }).click()
  assert.ok(!(await page.content()).includes(secret), 'the secret is gone')
  await checkPage(tab, 'operator-webhooks')

  await page.goto(`${rig.url}/operator/accounts/${asha.accountId}`)
  await page.getByRole('button', { name: 'Simamisha akaunti' }).click()
  await perform(tab, 'Simamisha akaunti')
  await page.getByText('Akaunti imesimamishwa.').waitFor()
  const first = await receiver.nth(1)
  assert.equal(first.json.type, 'account.suspended')
  await page.goto(`${rig.url}/operator/webhooks`)
  await page.getByRole('link', { name: receiver.url }).click()
  await arrived(tab)
  await page.getByText('Yaliyotumwa').click()
  await checkPage(tab, 'operator-deliveries')
  await page.getByRole('button', { name: /^Tuma tena/ }).click()
  await perform(tab, 'Tuma tena', 'Mfumo wetu ulikuwa umezimwa')
  await page.getByText('Limewekwa kwenye foleni.').waitFor()
  const second = await receiver.nth(2)
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id'])

  await page.getByRole('link', { name: 'Rudi kwenye webhook' }).click()
  await page.getByRole('button', { name: /^Siri mpya/ }).click()
  await perform(tab, 'Siri mpya', 'Aliyeijua ameondoka')
  await page.getByText('Nakili siri hii sasa').waitFor()
  assert.notEqual(await page.locator('[data-secret]').innerText(), secret)
  await page.getByRole('button', { name: 'Nimeihifadhi' }).click()
  await page.getByText('Siri ya zamani inatumika pia hadi').waitFor()
  await rig.app.db.query('update webhook_endpoints set enabled = false, gone_at = now()')
  await page.reload()
  await page.getByText('anwani hii haipo tena (410)').waitFor()
  await checkPage(tab, 'operator-webhook-gone')
  await page.getByRole('button', { name: /^Ondoa/ }).click()
  await perform(tab, 'Ondoa', 'Haitumiki tena')
  await page.getByText('Bado hakuna anwani').waitFor()
  await tab.context.close()
})

/** The page is opened anew until the delivery is written down: that is after the answer. */
async function arrived({ page }: Awaited<ReturnType<typeof openAsOperator>>): Promise<void> {
  await eventually('the page shows the delivery', async () => {
    await page.reload()
    await page
      .getByText(/Imefika|Inasubiri/)
      .first()
      .waitFor()
    return (await page.getByText('Imefika', { exact: true }).count()) > 0
  })
}

test('others than owners do not see the webhooks', async () => {
  const tab = await openAsOperator(rig, '/operator/webhooks', { role: 'support', language: 'en' })
  await tab.page.getByText('Only an owner sees the webhooks.').waitFor()
  await checkPage(tab, 'operator-webhooks-support')
  await tab.context.close()
})
