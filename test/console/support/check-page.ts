import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tab } from './rig.ts'
import { PICTURES } from './views.ts'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const FOLDER = join(import.meta.dirname, '../../../screenshots')

/** Of what is right nothing is told, and nothing says how to find an element again. */
const AXE_OPTIONS = JSON.stringify({
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  selectors: false,
})

type AxeResult = {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

/** What is asked of every page, wherever a journey has led. */
export async function checkPage(tab: Tab, name: string): Promise<void> {
  const { page, view, watch } = tab
  if (PICTURES) await takePicture(tab, name)
  const where = `${name}, ${view.size}, ${view.language}, ${view.theme}`
  assert.deepEqual(await accessibilityProblems(tab), [], `${where}: accessibility`)
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  assert.ok(wide <= 0, `${where}: ${wide} px wider than the screen`)
  assert.equal(await page.locator('html').getAttribute('lang'), view.language, where)
  assert.deepEqual(watch.problems, [], where)
}

/** Evaluated from outside, as the debugger does: the page's policy allows no foreign script. */
async function accessibilityProblems({ page }: Tab): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  const result = (await page.evaluate(`axe.run(document, ${AXE_OPTIONS})`)) as AxeResult
  return result.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  )
}

async function takePicture({ page, view }: Tab, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const file = `${name}-${view.size}-${view.language}-${view.theme}.png`
  await page.screenshot({ path: join(FOLDER, file), fullPage: true, animations: 'disabled' })
}
