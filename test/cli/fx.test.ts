import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { fxCommand } from '../../src/cli/fx.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('fx command', (open) => {
  let db: Db
  before(async () => (db = await open()))
  const config = readConfig({ TZS_PER_USD: '2500' })

  async function run(...args: string[]): Promise<{ code: number; text: string }> {
    let text = ''
    const print = (line: string) => void (text += `${line}\n`)
    return { code: await fxCommand.run(args, { db, config, print }), text }
  }

  test('sets a rate, lists it, and is in the log with its reason', async () => {
    const set = await run(
      'set',
      '2026-01-31',
      '2612.50',
      '--reason',
      'The bank',
      '--operator',
      'Neema',
    )
    assert.deepEqual(set, {
      code: 0,
      text: 'From 2026-01-31 on a dollar costs 2612.5 shillings.\n',
    })
    await run('set', '2026-01-31', '2613')
    // The same again changes nothing, and nothing is written down.
    await run('set', '2026-01-31', '2613')
    const { text } = await run('list')
    assert.equal(text, '2026-01-31  2613\nBefore the first of all: 2500 (TZS_PER_USD).\n')
    const log = await db.query(
      'select action, operator, reason, before, after from operator_actions order by seq limit 1',
    )
    assert.deepEqual(log, [
      {
        action: 'fx.set',
        operator: 'Neema',
        reason: 'The bank',
        before: null,
        after: { tzs_per_usd: '2612.5' },
      },
    ])
    const { actions, finding } = await checkAuditLog(db)
    assert.deepEqual([actions, finding], [2n, undefined])
  })

  test('shows its help for what is no day or no rate', async () => {
    for (const args of [
      ['set'],
      ['set', '2026-02-30', '2500'],
      ['set', '2026-01-31', '0'],
      ['x'],
    ]) {
      const { code, text } = await run(...args)
      assert.equal(code, 2)
      assert.match(text, /^fx set <day>/)
    }
    await assert.rejects(run('set', '2199-01-01', '2500'), /not be later than tomorrow/)
  })
})
