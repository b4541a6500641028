import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/console/support/browser.ts'
import { buildPages } from '../test/console/support/build-pages.ts'
import { BUDGET_KB, sizesOf } from '../test/console/support/sizes.ts'
import { startApp } from '../test/support/app.ts'
import { startTestServer } from '../test/support/local-server.ts'
import { migratedDatabase, TEMPLATE_VARIABLE } from '../test/support/databases.ts'
import type { Bench, Row } from './row.ts'
import { median } from './statistics.ts'

const GOAL_S = 6
const ROUNDS = 3
/** Round trips of 400 ms and 400 kbit/s, as browsers define slow 3G; a processor four times slower. */
const SLOW_3G = {
  offline: false,
  latency: 400,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
}
const SLOWER = 4

/** What a phone has to fetch, page by page, and how soon it shows something useful. */
export const consoleBench: Bench = {
  name: 'console',
  async run() {
    const folder = await buildPages()
    return [...sizes(folder), ...(await times())]
  },
}

function sizes(folder: string): Row[] {
  const { firstScript, style, pages } = sizesOf(folder)
  return [
    row('script of the first screen, gzip', firstScript, 'kB', BUDGET_KB.firstScript),
    row('style, gzip', style, 'kB', BUDGET_KB.style),
    ...Object.entries(pages).map(([name, kb]) => row(`more for ${name}`, kb, 'kB', BUDGET_KB.page)),
  ]
}

async function times(): Promise<Row[]> {
  const server = await startTestServer({})
  process.env[TEMPLATE_VARIABLE] = await migratedDatabase(server.url)
  const app = await startApp({ simulator: { faults: false } })
  const browser = await launchBrowser()
  try {
    const shown = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()
    const landing = () => secondsTo(browser, `${app.url}/`, shown('h1'))
    const prices = () => secondsTo(browser, `${app.url}/models`, shown('article'))
    const login = () => secondsTo(browser, `${app.url}/login`, canBeSent)
    return [
      row('landing page can be read, slow 3G', await middle(landing), 's', GOAL_S),
      row('sign-in form can be sent, slow 3G', await middle(login), 's', GOAL_S),
      row('prices are shown, slow 3G', await middle(prices), 's', GOAL_S),
    ]
  } finally {
    await browser.close()
    await app.close()
    await server.stop()
  }
}

async function middle(measure: () => Promise<number>): Promise<number> {
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure())
  return median(all)
}

/** A form is ready when it has taken what was typed meanwhile. */
async function canBeSent(page: Page): Promise<void> {
  await page.locator('input[autocomplete=username]').fill('asha@example.com')
  await page.locator('input[type=password]').fill('a long pass phrase')
  await page.locator('button[type=submit]:enabled').waitFor()
}

async function secondsTo(
  browser: Browser,
  url: string,
  ready: (page: Page) => Promise<void>,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const debug = await context.newCDPSession(page)
  await debug.send('Network.emulateNetworkConditions', SLOW_3G)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const began = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await ready(page)
  const took = performance.now() - began
  await context.close()
  return took / 1000
}

function row(what: string, value: number, unit: string, goal: number): Row {
  const ratio = { of: `the goal of ${goal} ${unit}`, value: value / goal, atMost: 1 }
  return { what, value, unit, ratio }
}
