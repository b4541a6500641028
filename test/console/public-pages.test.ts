import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SIMULATED_MODELS } from '../../simulator/models/simulated-models.ts'
import { checkPage } from './support/check-page.ts'
import { goTo, settle } from './support/settle.ts'
import { startRig } from './support/rig.ts'
import { VIEWS } from './support/views.ts'

const TIERED = {
  ...SIMULATED_MODELS.find(({ id }) => id === 'sim/hekima')!,
  id: 'sim/tabaka',
  name: 'Sim: Tabaka',
  pricing: {
    prompt: '0.0000005',
    completion: '0.000001',
    overrides: [{ min_prompt_tokens: 100, prompt: '0.000001', completion: '0.000002' }],
  },
}

let rig: Awaited<ReturnType<typeof startRig>>
before(async () => {
  rig = await startRig({ simulator: { faults: false, models: [TIERED] } })
})
after(() => rig.close())

const PAGES = {
  landing: '/',
  models: '/models',
  guides: '/guides',
  status: '/status',
  register: '/register',
  login: '/login',
  reset: '/reset',
  'not-found': '/guides/none',
}

for (const view of VIEWS) {
  test(`every page: ${view.size}, ${view.language}, ${view.theme}`, async () => {
    const tab = await rig.open('/', view)
    await settle(tab)
    for (const [name, path] of Object.entries(PAGES)) {
      await goTo(tab, path)
      await checkPage(tab, name)
    }
    await tab.context.close()
  })
}

test('the price of a longer prompt is shown, and is what the calculator takes', async () => {
  const price = async (language: 'sw' | 'en') => {
    const { page, context } = await rig.open('/models?q=tabaka', { language })
    const text = (await page.locator('article').innerText()).replaceAll(/\s+/g, ' ')
    await context.close()
    return text
  }
  assert.match(await price('en'), /If you send more than 100 tokens .*3,000 credits.*6,000 credits/)
  assert.match(await price('sw'), /Ukituma zaidi ya tokeni 100 .*krediti 3,000.*krediti 6,000/)
  const { page, context } = await rig.open('/', { language: 'en' })
  await page.getByLabel('Text model').selectOption('sim/tabaka')
  for (const part of await page.getByRole('slider').all()) await part.fill('0')
  await page.getByRole('slider').first().fill('1')
  // 200 tokens sent and 400 received, on each of 30 days.
  await page.getByText('90 credits').waitFor()
  await context.close()
})

test('public pages can be read without a script', async () => {
  for (const path of ['/', '/models', '/guides', '/status']) {
    const { page, context } = await rig.open(path, { script: false })
    assert.ok((await page.locator('h1').innerText()).length > 3, path)
    await context.close()
  }
})

test('the details of a video model say which films it makes', async () => {
  const { page, context } = await rig.open('/models?q=filamu-senti', { language: 'en' })
  await page.getByRole('button', { name: 'Details' }).click()
  for (const text of ['Seconds: 5, 10', 'Resolutions: 480p, 720p', 'Shapes: 16:9, 9:16']) {
    await page.getByText(text).waitFor()
  }
  await context.close()
})
