import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { parseCredits } from '../../src/ledger/money.ts'
import { assertAudit } from '../support/money/audit.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig, type Tab } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
})
after(() => rig.close())

const MODELS = ['sim/hekima', 'sim/hekima', 'sim/hekima-mini', 'sim/hekima-mini']

test('sums, rows and CSV are what the ledger took; a day ends at midnight in Dar es Salaam', async () => {
  const customer = await used()
  const { accountId } = customer
  // The first two on either side of a midnight of Tanzania, which is 21:00 in UTC.
  const day = new Date(Date.now() + 3 * 3_600_000 - 3 * 86_400_000).toISOString().slice(0, 10)
  await moveCalls(accountId, [`${day}T00:00:30+03:00`, `${day}T23:59:30+03:00`])
  const tab = await openSignedIn(rig, '/app/activity', { person: customer, credits: '50' })
  const { page } = tab
  const spent = await spentMicro(accountId)
  await stat(tab, 'Maombi', String(MODELS.length))
  await stat(tab, 'Gharama', `krediti ${shown(spent)}`)
  await page.getByText('Africa/Dar_es_Salaam').waitFor()
  assert.equal(await page.locator('tbody tr').filter({ hasText: 'sim/' }).count(), MODELS.length)
  await checkPage(tab, 'activity-sums')

  const rows = await csv(tab)
  assert.equal(rows.length, MODELS.length)
  assert.equal(
    rows.reduce((sum, row) => sum + parseCredits(row['cost_credits']!), 0n),
    spent,
  )

  await page.getByRole('button', { name: 'Chagua siku' }).click()
  await page.getByLabel('Kuanzia').fill(day)
  await page.getByLabel('Hadi').fill(day)
  await stat(tab, 'Maombi', '2')
  assert.equal((await csv(tab)).length, 2)
  await page.getByLabel('Hadi').fill(after1(day))
  await page.getByLabel('Kuanzia').fill(after1(day))
  await page.getByText('Bado hakuna matumizi').waitFor()
  await assertAudit(rig.app.db)
  await tab.context.close()
})

test('filters are in the address, survive a reload, and the strictest is named when nothing fits', async () => {
  const customer = await used()
  const path = '/app/activity?model=sim%2Fhekima&status=failed'
  const tab = await openSignedIn(rig, path, {
    person: customer,
    credits: '50',
    size: 'desktop',
    language: 'en',
    theme: 'dark',
  })
  const { page } = tab
  await page.getByText('No call fits').waitFor()
  await page.getByText('Without the filter “Status” there would be 2 calls.').waitFor()
  await checkPage(tab, 'activity-none')
  await page.getByRole('button', { name: 'Remove the filter “Status”' }).click()
  await stat(tab, 'Calls', '2')
  await page.getByLabel('Model').selectOption('sim/hekima-mini')
  await page.waitForURL('**/app/activity?model=sim%2Fhekima-mini')
  await page.reload()
  await stat(tab, 'Calls', '2')
  await page
    .getByRole('button', { name: /Details/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText(/^req_/).waitFor()
  await checkPage(tab, 'activity-detail')
  await tab.context.close()
})

/** An account with a key that has made these calls. */
async function used() {
  const person = await rig.app.signUp()
  const made = await rig.app.call('POST /v1/api-keys', {
    token: person.token,
    body: { name: 'Duka' },
  })
  const key = made.body.data.key as string
  for (const model of MODELS) {
    const body = { model, messages: [{ role: 'user', content: 'Habari ya leo?' }] }
    const answer = await rig.app.call('POST /v1/chat/completions', { token: key, body })
    assert.equal(answer.status, 200)
  }
  return person
}

async function moveCalls(accountId: string, times: string[]): Promise<void> {
  await rig.app.db.query(
    `update activity_records set created_at = moved.at
     from (select id, ($2::timestamptz[])[row_number() over (order by id)] as at
           from activity_records where account_id = $1) as moved
     where activity_records.id = moved.id and moved.at is not null`,
    [accountId, times],
  )
}

async function spentMicro(accountId: string): Promise<bigint> {
  const [row] = await rig.app.db.query<{ spent: bigint }>(
    `select -sum(amount_micro)::int8 as spent from ledger_entries
     where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  return row!.spent
}

/** As the page rounds it: three digits that say something. */
function shown(micro: bigint): string {
  const credits = Number(micro) / 1e6
  const digits = credits >= 1 ? 2 : 2 - Math.floor(Math.log10(credits))
  return credits.toLocaleString('sw-TZ', { maximumFractionDigits: digits })
}

async function stat({ page }: Tab, label: string, value: string): Promise<void> {
  const card = page.locator('main .card').filter({ has: page.getByText(label, { exact: true }) })
  await card.getByText(value, { exact: true }).first().waitFor()
}

async function csv({ page }: Tab): Promise<Record<string, string>[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /CSV/ }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  const [head, ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
  const names = head!.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [names[at]!, cell])),
  )
}

function after1(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
}
