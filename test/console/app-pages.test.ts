import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { goTo } from './support/settle.ts'
import { checkPage } from './support/check-page.ts'
import { usedAccount } from './support/used-account.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig, type Tab } from './support/rig.ts'
import { VIEWS, viewsInTurn } from './support/views.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

const PAGES = {
  overview: '/app',
  keys: '/app/keys',
  activity: '/app/activity',
  billing: '/app/billing',
  statement: '/app/billing/statement',
  notices: '/app/notices',
  settings: '/app/settings',
}

/** The page with all that it asks for. */
async function see(tab: Tab, path: string): Promise<void> {
  await goTo(tab, path)
  const { page } = tab
  await page.getByRole('navigation', { name: /Kurasa za akaunti|Pages of the account/ }).waitFor()
  assert.equal(new URL(page.url()).pathname, path)
}

test('every page of an account that is used, in both sizes, languages and themes', async () => {
  const person = await usedAccount(rig)
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app', { ...view, person, credits: '5000' })
    for (const [name, path] of Object.entries(PAGES)) {
      await see(tab, path)
      await checkPage(tab, name)
    }
    await tab.context.close()
  }
})

test('every page of the playground, as it is found', async () => {
  const person = await rig.app.signUp()
  const kinds = ['chat', 'voice', 'image', 'document', 'video', 'embeddings']
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app', { ...view, person, credits: '5000' })
    for (const kind of kinds.filter((_, at) => viewsInTurn(at).includes(view))) {
      await see(tab, `/app/try/${kind}`)
      await checkPage(tab, `try-${kind}-found`)
    }
    await tab.context.close()
  }
})

test('every page of a new account says what to do first', async () => {
  const person = await rig.app.signUp()
  for (const view of [VIEWS[0], VIEWS[3]]) {
    const tab = await openSignedIn(rig, '/app', { ...view, person })
    for (const [name, path] of Object.entries(PAGES)) {
      await see(tab, path)
      await checkPage(tab, `${name}-new`)
    }
    await tab.context.close()
  }
})
