import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Loose } from '../../support/loose.ts'
import type { Person } from './people.ts'
import type { Rig, Tab } from './rig.ts'

/** What the account has paid for calls so far, by its ledger. */
export async function spent(rig: Rig, { token }: Person): Promise<number> {
  const { body } = await rig.app.call('GET /v1/billing/transactions?type=usage&limit=200', {
    token,
  })
  const micro = body.data.reduce(
    (sum: number, row: Loose) => sum - Math.round(Number(row.amount_credits) * 1e6),
    0,
  )
  return micro / 1e6
}

/** The charge that the page shows last, once it has read it. */
async function shownCharge({ page }: Tab): Promise<number> {
  const last = page.locator('[data-charge]').last()
  await last.waitFor()
  return Number(await last.getAttribute('data-charge'))
}

/** Runs something that is paid for, and holds what the page says of it against the ledger. */
export async function assertCharged(
  rig: Rig,
  tab: Tab & { person: Person },
  work: () => Promise<void>,
): Promise<void> {
  const before = await spent(rig, tab.person)
  await work()
  const shown = await shownCharge(tab)
  const paid = (await spent(rig, tab.person)) - before
  assert.ok(shown > 0, 'it has cost something')
  assert.equal(shown.toFixed(6), paid.toFixed(6))
}

/** What the button copies, from the tab of this name. */
export async function copySample({ page, context }: Tab, name: string): Promise<string> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const panel = page.getByRole('tab', { name })
  if (!(await panel.isVisible())) {
    await page.getByRole('button', { name: /Ombi hili kama msimbo|This request as code/ }).click()
  }
  await panel.click()
  await page
    .getByRole('button', { name: /^(Nakili|Copy)$/ })
    .last()
    .click()
  return (await page.evaluate('navigator.clipboard.readText()')) as string
}

/** As a reader would run it, in a terminal with the key in its place. */
export async function runInShell(command: string, key: string, folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-ec', command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', MLANGO_KEY: key },
    maxBuffer: 50_000_000,
  })
  return stdout
}
