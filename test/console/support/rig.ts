import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { startApp } from '../../support/app.ts'
import { buildPages } from './build-pages.ts'
import { sharedBrowser } from './browser.ts'
import { watch, type Watch } from './watch.ts'

const SIZES = {
  phone: { width: 360, height: 740 },
  desktop: { width: 1280, height: 800 },
} as const

export type View = {
  size?: keyof typeof SIZES
  language?: 'sw' | 'en'
  theme?: 'light' | 'dark'
  /** Pages must be readable without. */
  script?: boolean
}

export type Rig = Awaited<ReturnType<typeof startRig>>

export type Tab = { page: Page; context: BrowserContext; watch: Watch; view: Required<View> }

/** What the browser has of an earlier visit. */
export type Stored = BrowserContextOptions['storageState']

/**
 * The whole service with its pages, once for a file of tests. The browser is shared. Browsers give
 * passkeys to `localhost`, and none to an address that is a number.
 */
export async function startRig(
  options: Parameters<typeof startApp>[0] = {},
  host: 'localhost' | '127.0.0.1' = '127.0.0.1',
) {
  await buildPages()
  const browser = await sharedBrowser()
  const app = await startApp(options)
  const url = app.url.replace('127.0.0.1', host)
  const contexts: BrowserContext[] = []
  return {
    app,
    url,
    /** A visitor of their own: cookies and storage of others are not seen. */
    async open(path: string, view: View = {}, stored?: Stored): Promise<Tab> {
      const whole = { ...PLAIN, ...view }
      const context = await browser.newContext({
        viewport: SIZES[whole.size],
        javaScriptEnabled: whole.script,
        hasTouch: whole.size === 'phone',
        // A phone set to English: the pages are in Kiswahili all the same.
        locale: 'en-US',
        ...(stored && { storageState: stored }),
      })
      contexts.push(context)
      await context.addCookies(cookiesOf(whole, url))
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const tab = { page, context, watch: await watch(page, url), view: whole }
      await page.goto(url + path)
      return tab
    },
    async close() {
      for (const context of contexts) await context.close()
      await app.close()
    },
  }
}

const PLAIN = { size: 'phone', language: 'sw', theme: 'light', script: true } as const

function cookiesOf({ theme, language }: Required<View>, url: string) {
  const cookie = (name: string, value: string) => ({ name, value, url })
  return [
    cookie('mlango_theme', theme),
    ...(language === 'en' ? [cookie('mlango_language', 'en')] : []),
  ]
}
