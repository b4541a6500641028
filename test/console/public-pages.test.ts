import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkPage } from './support/check-page.ts'
import { goTo, settle } from './support/settle.ts'
import { startRig } from './support/rig.ts'
import { VIEWS } from './support/views.ts'

let rig: Awaited<ReturnType<typeof startRig>>
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
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

test('public pages can be read without a script', async () => {
  for (const path of ['/', '/models', '/guides', '/status']) {
    const { page, context } = await rig.open(path, { script: false })
    assert.ok((await page.locator('h1').innerText()).length > 3, path)
    await context.close()
  }
})
