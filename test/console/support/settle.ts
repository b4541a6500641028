import type { Tab } from './rig.ts'

/** Goes to another page of the app as a link does. */
export async function goTo(tab: Tab, path: string): Promise<void> {
  while (!(await tab.page.evaluate(HYDRATED))) await tab.page.evaluate(TWO_FRAMES)
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

/** React has taken over the HTML of the build: the page may move on. */
const HYDRATED = `Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__reactFiber'))`
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
