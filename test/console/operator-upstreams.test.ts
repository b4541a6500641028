import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { eventually } from '../support/eventually.ts'
import { checkPage } from './support/check-page.ts'
import { openAsOperator, perform } from './support/operators.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(async () => {
  assert.equal((await checkAuditLog(rig.app.db)).finding, undefined)
  await assertAudit(rig.app.db)
  await rig.close()
})

const chat = (token: string) =>
  rig.app.call('POST /v1/chat/completions', {
    token,
    body: { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] },
  })

test('an upstream is drained, its calls are refused, and it is used again; all of it is in the log', async () => {
  const asha = await rig.app.customer('50')
  assert.equal((await chat(asha.key)).status, 200)
  const tab = await openAsOperator(rig, '/operator/upstreams', {})
  const { page } = tab
  await page.getByRole('button', { name: 'Pumzisha: sim' }).click()
  await checkPage(tab, 'operator-drain')
  await perform(tab, 'Pumzisha', 'Wanafanya matengenezo')
  await page.getByText('sim amepumzishwa.').waitFor()
  await page.getByText('Wanafanya matengenezo').waitFor()
  await checkPage(tab, 'operator-drained')
  await eventually('calls are refused', async () => (await chat(asha.key)).status === 503)
  await page.goto(`${rig.url}/operator`)
  await page.getByText('Watoa modeli 1 wamepumzishwa').click()
  await page.getByRole('button', { name: 'Rudisha kazini: sim' }).click()
  await perform(tab, 'Rudisha kazini', 'Wamemaliza')
  await page.getByText('sim amerudi kazini.').waitFor()
  await eventually('calls are served', async () => (await chat(asha.key)).status === 200)
  await page.goto(`${rig.url}/operator/log?target=sim`)
  await page.getByRole('button', { name: 'Mtoa modeli amepumzishwa' }).click()
  await page.getByRole('dialog').getByText('Wanafanya matengenezo').waitFor()
  await checkPage(tab, 'operator-log-entry')
  await tab.context.close()
})

test('a model is tried at our own cost, and no customer is charged', async () => {
  const tab = await openAsOperator(rig, '/operator/models?q=sim/hekima', {
    role: 'support',
    language: 'en',
    size: 'desktop',
  })
  const { page } = tab
  const usage = () => rig.app.db.query(`select 1 from ledger_entries where type = 'usage'`)
  const before = (await usage()).length
  await page.getByRole('button', { name: 'Try: sim/hekima', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Ask' }).click()
  await dialog.getByText('Our cost').waitFor()
  await checkPage(tab, 'operator-try')
  assert.equal((await usage()).length, before)
  await tab.context.close()
})

test('the rate of the dollar is set, and the margin is worked out with it', async () => {
  const tab = await openAsOperator(rig, '/operator/office', { size: 'desktop' })
  const { page } = tab
  await page.getByRole('button', { name: 'Weka kiwango' }).click()
  await page.getByLabel('TZS kwa USD 1').fill('2,712.5')
  await checkPage(tab, 'operator-fx')
  await perform(tab, 'Weka kiwango', 'Benki Kuu leo')
  await page.getByText('Kiwango kimehifadhiwa.').waitFor()
  await page.getByRole('cell', { name: '2,712.5' }).waitFor()
  await checkPage(tab, 'operator-office')
  await tab.context.close()
})
