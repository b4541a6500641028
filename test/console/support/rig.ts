import type { BrowserContext, Page } from 'playwright-core'
import { startApp } from '../../support/app.ts'
import { buildPages } from './build-pages.ts'
import { launchBrowser } from './browser.ts'
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

/** The whole service with its pages, and a browser: once for a file of tests. */
export async function startRig(options: Parameters<typeof startApp>[0] = {}) {
  await buildPages()
  const app = await startApp(options)
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  return {
    app,
    url: app.url,
    /** A browser of its own: cookies and storage of others are not seen. */
    async open(path: string, view: View = {}): Promise<Tab> {
      const whole = {
        size: 'phone',
        language: 'sw',
        theme: 'light',
        script: true,
        ...view,
      } as const
      const context = await browser.newContext({
        viewport: SIZES[whole.size],
        javaScriptEnabled: whole.script,
        hasTouch: whole.size === 'phone',
        // A phone set to English: the pages are in Kiswahili all the same.
        locale: 'en-US',
      })
      const cookie = (name: string, value: string) => ({ name, value, url: app.url })
      await context.addCookies([
        cookie('mlango_theme', whole.theme),
        ...(whole.language === 'en' ? [cookie('mlango_language', 'en')] : []),
      ])
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const tab = { page, context, watch: await watch(page, app.url), view: whole }
      await page.goto(app.url + path)
      return tab
    },
    async close() {
      await browser.close()
      await app.close()
    },
  }
}
