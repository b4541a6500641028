import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newOperator, type TestOperator } from '../support/operators.ts'
import { busyService } from './support/busy-service.ts'
import { goTo } from './support/settle.ts'
import { checkPage } from './support/check-page.ts'
import { openAsOperator } from './support/operators.ts'
import { startRig, type Rig, type Tab } from './support/rig.ts'
import { VIEWS } from './support/views.ts'

let rig: Rig
let owner: TestOperator
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
  owner = await newOperator(rig.app, 'owner')
})
after(() => rig.close())

const PAGES = {
  overview: '',
  accounts: '/accounts',
  payments: '/payments?queue=stuck',
  reconcile: '/payments/statement',
  requests: '/requests',
  models: '/models',
  prices: '/models?tab=waiting',
  margins: '/models?tab=margins',
  upstreams: '/upstreams',
  messages: '/messages',
  books: '/books',
  log: '/log',
  reads: '/log?tab=reads',
  refusals: '/log?tab=refusals',
  webhooks: '/webhooks',
  office: '/office',
}

/** The page with all that it asks for. */
async function see(tab: Tab, path: string): Promise<void> {
  await goTo(tab, `/operator${path}`)
  assert.equal(await tab.page.getByRole('alert').count(), 0, path)
}

test('every page of operators while there is nothing to show', async () => {
  const tab = await openAsOperator(rig, '/operator', { operator: owner })
  for (const [name, path] of Object.entries(PAGES)) {
    await see(tab, path)
    await checkPage(tab, `operator-${name}-new`)
  }
  await tab.context.close()
})

test('every page of operators with something of everything, in both sizes, languages and themes', async () => {
  const account = await busyService(rig, owner)
  for (const view of VIEWS) {
    const tab = await openAsOperator(rig, '/operator', { ...view, operator: owner })
    for (const [name, path] of Object.entries({ ...PAGES, account: `/accounts/${account}` })) {
      await see(tab, path)
      await checkPage(tab, `operator-${name}`)
    }
    await tab.context.close()
  }
})

test('a page that does not exist, and one of a customer who does not', async () => {
  const tab = await openAsOperator(rig, '/operator/nothing', { operator: owner, language: 'en' })
  await tab.page.getByText('There is no page at this address.').waitFor()
  await tab.page.goto(`${rig.url}/operator/accounts/01a1e39d-6470-7388-aded-cc7c710c3967`)
  await tab.page.getByText('It is no longer there').waitFor()
  await checkPage(tab, 'operator-nobody')
  await tab.context.close()
})
