import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { judge } from './support/judge.ts'
import { livedIn } from './support/lived-in.ts'
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
async function see({ page }: Tab, path: string): Promise<void> {
  await page.goto(rig.url + path)
  await page.getByRole('navigation', { name: /Kurasa za akaunti|Pages of the account/ }).waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.equal(new URL(page.url()).pathname, path)
}

test('every page of an account that is used, in both sizes, languages and themes', async () => {
  const person = await livedIn(rig)
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app', { ...view, person, credits: '5000' })
    for (const [name, path] of Object.entries(PAGES)) {
      await see(tab, path)
      await judge(tab, name)
    }
    await tab.context.close()
  }
})

test('every page of the playground, as it is found', async () => {
  const person = await rig.app.signUp()
  for (const [at, kind] of [
    'chat',
    'voice',
    'image',
    'document',
    'video',
    'embeddings',
  ].entries()) {
    for (const view of viewsInTurn(at)) {
      const tab = await openSignedIn(rig, '/app', { ...view, person, credits: '5000' })
      await see(tab, `/app/try/${kind}`)
      await judge(tab, `try-${kind}-found`)
      await tab.context.close()
    }
  }
})

test('every page of a new account says what to do first', async () => {
  const person = await rig.app.signUp()
  for (const view of [VIEWS[0], VIEWS[3]]) {
    const tab = await openSignedIn(rig, '/app', { ...view, person })
    for (const [name, path] of Object.entries(PAGES)) {
      await see(tab, path)
      await judge(tab, `${name}-new`)
    }
    await tab.context.close()
  }
})
