import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../test/console/support/browser.ts'
import { buildPages } from '../test/console/support/build-pages.ts'
import { startHouse } from '../test/support/house.ts'
import { startTestServer } from '../test/support/local-server.ts'
import { migratedDatabase, TEMPLATE_VARIABLE } from '../test/support/databases.ts'
import type { Bench, Row } from './row.ts'
import { median } from './statistics.ts'

const GOALS = { firstScriptKb: 130, styleKb: 12, pageKb: 15, slow3gS: 6 }
const ROUNDS = 3
/** Round trips of 400 ms and 400 kbit/s, as browsers define slow 3G; a processor four times slower. */
const SLOW_3G = {
  offline: false,
  latency: 400,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
}
const SLOWER = 4

type Manifest = Record<string, { file: string; imports?: string[]; src?: string }>

/** What a phone has to fetch, page by page, and how soon it shows something useful. */
export const consoleBench: Bench = {
  name: 'console',
  async run() {
    const folder = await buildPages()
    return [...sizes(folder), ...(await times())]
  },
}

function sizes(folder: string): Row[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  const kb = (file: string) =>
    gzipSync(readFileSync(join(folder, 'files', file)), { level: 9 }).length / 1000
  const filesOf = (key: string, found = new Set<string>()): Set<string> => {
    const { file, imports = [] } = manifest[key]!
    found.add(file)
    for (const one of imports) if (!found.has(manifest[one]!.file)) filesOf(one, found)
    return found
  }
  const first = filesOf('src/main.tsx')
  const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + kb(file), 0)
  const styles = globSync('assets/*.css', { cwd: join(folder, 'files') })
  const pages = Object.keys(manifest).filter((key) => key.startsWith('src/pages/'))
  return [
    row('script of the first screen, gzip', sum(first), 'kB', GOALS.firstScriptKb),
    row('style, gzip', sum(styles), 'kB', GOALS.styleKb),
    ...pages.map((key) => {
      const own = [...filesOf(key)].filter((file) => !first.has(file))
      return row(`more for ${key.slice('src/pages/'.length)}, gzip`, sum(own), 'kB', GOALS.pageKb)
    }),
  ]
}

async function times(): Promise<Row[]> {
  const server = await startTestServer({})
  process.env[TEMPLATE_VARIABLE] = await migratedDatabase(server.url)
  const house = await startHouse({ simulator: { faults: false } })
  const browser = await launchBrowser()
  try {
    const landing = () => secondsTo(browser, `${house.url}/`, 'h1')
    const prices = () => secondsTo(browser, `${house.url}/models`, 'article')
    const login = () => secondsTo(browser, `${house.url}/login`, 'form input')
    return [
      row('landing page can be read, slow 3G', await middle(landing), 's', GOALS.slow3gS),
      row('sign-in form is shown, slow 3G', await middle(login), 's', GOALS.slow3gS),
      row('prices are shown, slow 3G', await middle(prices), 's', GOALS.slow3gS),
    ]
  } finally {
    await browser.close()
    await house.close()
    await server.stop()
  }
}

async function middle(measure: () => Promise<number>): Promise<number> {
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure())
  return median(all)
}

async function secondsTo(browser: Browser, url: string, selector: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  const debug = await context.newCDPSession(page)
  await debug.send('Network.emulateNetworkConditions', SLOW_3G)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const began = performance.now()
  await page.goto(url, { waitUntil: 'commit', timeout: 120_000 })
  await page.locator(selector).first().waitFor({ timeout: 120_000 })
  const took = performance.now() - began
  await context.close()
  return took / 1000
}

function row(what: string, value: number, unit: string, goal: number): Row {
  const ratio = { of: `the goal of ${goal} ${unit}`, value: value / goal, atMost: 1 }
  return { what, value, unit, ratio }
}
