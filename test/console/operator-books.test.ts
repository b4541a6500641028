import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { parseCredits } from '../../src/ledger/money.ts'
import { assertAudit } from '../support/money/audit.ts'
import { checkPage } from './support/check-page.ts'
import { usedAccount } from './support/used-account.ts'
import { openAsOperator } from './support/operators.ts'
import { startRig, type Rig, type Tab } from './support/rig.ts'

let rig: Rig
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
  await usedAccount(rig)
})
after(async () => {
  await assertAudit(rig.app.db)
  await rig.close()
})

/** A file that a button hands out, as rows by the names of its columns. */
async function download({ page }: Tab, button: string): Promise<Record<string, string>[]> {
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const text = await readFile(await (await coming).path(), 'utf8')
  const [head, ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
  const names = head!.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [names[at]!, cell])),
  )
}

test('the audit is run and followed to its end, and a month is exported that adds up to the ledger', async () => {
  const tab = await openAsOperator(rig, '/operator/books', { role: 'support' })
  const { page } = tab
  await page.getByText('Bado hakuna ukaguzi.').waitFor()
  await page.getByRole('button', { name: 'Kagua sasa' }).click()
  await page.getByText('Hesabu ziko sawa.').waitFor()
  await page.getByText('Mwisho wa kumbukumbu').waitFor()
  await checkPage(tab, 'operator-books')

  const ledger = await download(tab, 'Pakua daftari (CSV)')
  const [sum] = await rig.app.db.query<{ micro: bigint; count: bigint }>(
    'select sum(amount_micro)::int8 as micro, count(*)::int8 as count from ledger_entries',
  )
  const amounts = ledger.map((row) => signedMicro(row['amount_credits'] ?? ''))
  assert.equal(BigInt(ledger.length), sum!.count)
  assert.equal(
    amounts.reduce((total, one) => total + one, 0n),
    sum!.micro,
  )
  const payments = await download(tab, 'Pakua malipo (CSV)')
  const [paid] = await rig.app.db.query<{ count: bigint }>(
    `select count(*)::int8 as count from payments where status = 'completed'`,
  )
  assert.ok(BigInt(payments.length) >= paid!.count)
  await tab.context.close()
})

function signedMicro(text: string): bigint {
  return text.startsWith('-') ? -parseCredits(text.slice(1)) : parseCredits(text)
}
