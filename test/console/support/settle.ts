import type { Tab } from './rig.ts'

/** Goes to another page of the app as a link does. */
export async function goTo(tab: Tab, path: string): Promise<void> {
  await tab.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
  await settle(tab)
}

/** Waits until the page has got all that it asked for, and shows it. */
export async function settle({ page, watch }: Tab): Promise<void> {
  const busy = page.locator('[aria-busy=true]')
  do {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(TWO_FRAMES)
  } while (watch.pending.size > 0 || (await busy.count()) > 0)
}

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
