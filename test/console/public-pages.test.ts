import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkPage } from './support/check-page.ts'
import { settle } from './support/settle.ts'
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

for (const [name, path] of Object.entries(PAGES)) {
  test(`${path} in both sizes, languages and themes`, async () => {
    for (const view of VIEWS) {
      const tab = await rig.open(path, view)
      await settle(tab)
      await checkPage(tab, name)
      await tab.context.close()
    }
  })
}

test('public pages can be read without a script', async () => {
  for (const path of ['/', '/models', '/guides', '/status']) {
    const { page, context } = await rig.open(path, { script: false })
    assert.ok((await page.locator('h1').innerText()).length > 3, path)
    await context.close()
  }
})
