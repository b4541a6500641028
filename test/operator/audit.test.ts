import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { applyCommands } from '../../src/billing/ledger-store.ts'
import type { Db } from '../../src/db/db.ts'
import { auditCommand } from '../../src/operator/audit.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('audit command', (open) => {
  let db: Db
  const accountId = randomUUID()
  before(async () => {
    db = await open()
    const id = randomUUID()
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    await db.begin((tx) =>
      applyCommands(tx, [{ kind: 'grant', accountId, amountMicro: 2_500_000n, entry }]),
    )
  })

  test('books that balance end with 0', async () => {
    const { code, text } = await audit()
    assert.equal(code, 0)
    assert.equal(
      text,
      'The books balance: 1 accounts, 1 entries, 0 open holds.\n' +
        'The log of the operators is whole: 0 actions.\n',
    )
  })

  test('books that do not balance end with 1 and name the account and the sums', async () => {
    await db.query('update ledger_accounts set balance_micro = balance_micro - 1')
    const { code, text } = await audit()
    assert.equal(code, 1)
    assert(text.includes(`Account ${accountId}: the balance is not the sum of the entries`))
    assert(text.includes('expected 2.5, found 2.499999.'))
    assert(text.includes('The books do not balance: 1 findings'))
    await db.query('update ledger_accounts set balance_micro = balance_micro + 1')
  })

  test('an entry written behind our back is found by its running balance', async () => {
    await db.query(
      `insert into ledger_entries
         (id, account_id, type, amount_micro, balance_after_micro, key, description, ordinal)
       values ($1, $2, 'topup', 5, 7, 'behind our back', '', 2)`,
      [randomUUID(), accountId],
    )
    const { code, text } = await audit()
    assert.equal(code, 1)
    assert(text.includes('an entry does not carry the running balance on'))
    assert(text.includes('expected 2.500005, found 0.000007.'))
  })

  test('an entry and a hold without an account are found', async () => {
    const [nobody, noOne] = [randomUUID(), randomUUID()]
    await db.query(
      `insert into ledger_entries
         (id, account_id, type, amount_micro, balance_after_micro, key, description, ordinal)
       values ($1, $2, 'topup', 5, 5, 'for nobody', '', 1)`,
      [randomUUID(), nobody],
    )
    await db.query(
      `insert into holds (id, account_id, amount_micro, limit_micro, owner_process, about)
       values ($1, $2, 3, 4, $3, '{}')`,
      [randomUUID(), noOne, randomUUID()],
    )
    const { text } = await audit()
    assert(text.includes(`Account ${nobody}: the balance is not the sum of the entries`))
    assert(text.includes(`Account ${noOne}: what is held is not the sum of the open holds`))
    assert(text.includes(`Account ${noOne}: what may be spent is not the sum of the limits`))
  })

  async function audit(): Promise<{ code: number; text: string }> {
    let text = ''
    const code = await auditCommand.run([], { db, print: (line) => (text += `${line}\n`) })
    return { code, text }
  }
})
