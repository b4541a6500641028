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

const MODEL = 'sim/hekima'

/** As if the upstream's list had shown twenty times the price, and a read had found it. */
async function leap(): Promise<void> {
  const rows = await rig.app.db.query(
    `insert into pending_prices (model_id, upstream, pricing, basis, priced, reason, noticed_at)
     select o.model_id, o.upstream, s.pricing || jsonb_build_object(
         'prompt', ((s.pricing->>'prompt')::numeric * 20)::text,
         'completion', ((s.pricing->>'completion')::numeric * 20)::text),
       s.basis, s.priced, 'moved', now() - interval '3 hours'
     from catalog_models m join catalog_offers o on o.model_id = m.resource_id
       join price_snapshots s on s.id = o.price_id
     where m.id = $1 returning model_id`,
    [MODEL],
  )
  assert.equal(rows.length, 1)
}

const promptPrice = async (token: string): Promise<number> =>
  (await rig.app.call(`GET /v1/models/${MODEL}`, { token })).body.data.pricing_credits.prompt

const chat = (token: string) =>
  rig.app.call('POST /v1/chat/completions', {
    token,
    body: { model: MODEL, messages: [{ role: 'user', content: 'Habari' }] },
  })

/** Another owner sees what is asked for, from the first page on: three taps and a reason. */
async function confirmedBySecond(what: string): Promise<void> {
  const second = await openAsOperator(rig, '/operator', { size: 'desktop', language: 'en' })
  await second.page.getByRole('link', { name: /request waits for a second owner/ }).click()
  await second.page.getByText(what, { exact: true }).waitFor()
  await checkPage(second, 'operator-requests-price')
  await second.page.getByRole('button', { name: 'Approve' }).click()
  await checkPage(second, 'operator-request-approve')
  await perform(second, 'Approve', 'The upstream says so too')
  await second.page.getByText('It is done.').waitFor()
  await second.page.getByText('No request waits').waitFor()
  await second.context.close()
}

test('a price that leapt is seen in shillings, approved by two, and then charged', async () => {
  const asha = await rig.app.customer('500')
  const before = await promptPrice(asha.key)
  await leap()
  const tab = await openAsOperator(rig, '/operator', {})
  const { page } = tab
  await page.getByRole('link', { name: /Bei 1 zinasubiri idhini/ }).click()
  await page.getByRole('heading', { name: MODEL, exact: true }).waitFor()
  await page.getByText('▲ +1,900%').first().waitFor()
  await checkPage(tab, 'operator-prices')
  await page.getByRole('button', { name: `Idhinisha: ${MODEL}` }).click()
  await checkPage(tab, 'operator-price-approve')
  await perform(tab, 'Idhinisha', 'Mtoa modeli amethibitisha')
  await page.getByText('Imeombwa. Inasubiri mmiliki wa pili').waitFor()
  assert.equal(await promptPrice(asha.key), before)
  await confirmedBySecond('use a price that was held up')
  await eventually(
    'the new price is in force',
    async () => (await promptPrice(asha.key)) > before * 19,
  )
  await page.getByRole('button', { name: 'Modeli zote' }).click()
  await page.getByLabel('Tafuta modeli').fill(MODEL)
  await page.getByRole('button', { name: `Historia: ${MODEL}`, exact: true }).click()
  await page.getByRole('dialog').getByText('Imeidhinishwa').waitFor()
  await checkPage(tab, 'operator-price-history')
  await tab.context.close()
})

test('a model is switched off and on, and sold with a margin of its own', async () => {
  const asha = await rig.app.customer('500')
  assert.equal((await chat(asha.key)).status, 200)
  const tab = await openAsOperator(rig, `/operator/models?q=${MODEL}`, {
    size: 'desktop',
    language: 'en',
    theme: 'dark',
  })
  const { page } = tab
  await page.getByRole('button', { name: `Switch off: ${MODEL}`, exact: true }).click()
  await perform(tab, 'Switch off', 'It answers nonsense')
  await page.getByText(`${MODEL} is switched off.`).waitFor()
  await checkPage(tab, 'operator-models')
  await eventually('the model is off', async () => (await chat(asha.key)).status !== 200)
  await page.getByRole('button', { name: `Switch on: ${MODEL}`, exact: true }).click()
  await perform(tab, 'Switch on', 'Repaired')
  await eventually('the model is on', async () => (await chat(asha.key)).status === 200)

  const before = await promptPrice(asha.key)
  await page.getByRole('button', { name: `Multiplier: ${MODEL}`, exact: true }).click()
  await page.getByLabel('Multiplier', { exact: true }).fill('3')
  await checkPage(tab, 'operator-margin')
  await perform(tab, 'Save', 'Costs more than we thought')
  await page.getByText(/price times 3, its own/).waitFor()
  await eventually(
    'the new price is in force',
    async () => (await promptPrice(asha.key)) > before * 2,
  )
  await page.getByRole('button', { name: 'Margins by kind' }).click()
  await page.getByRole('button', { name: 'Change: Pictures' }).waitFor()
  await checkPage(tab, 'operator-margins')
  await tab.context.close()
})

test('an upstream is drained, its calls are refused, and it is used again; all of it is in the log', async () => {
  const asha = await rig.app.customer('500')
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
