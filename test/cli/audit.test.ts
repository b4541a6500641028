import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db } from '../../src/db/db.ts'
import { auditCommand } from '../../src/cli/audit.ts'
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

  test('a wrong step is found although the sums and the count are right', async () => {
    const id = randomUUID()
    await grant(id, 10n)
    await add(id, { amountMicro: 5n, afterMicro: 14n, ordinal: 2 })
    await add(id, { amountMicro: -5n, afterMicro: 10n, ordinal: 3 })
    await db.query('update ledger_accounts set entries = 3 where account_id = $1', [id])
    assert.deepEqual(await findingsOn(id), [
      'an entry does not carry the running balance on: expected 0.000015, found 0.000014.',
    ])
  })

  test('entries that are numbered otherwise than they were written are found', async () => {
    const id = randomUUID()
    await grant(id, 10n)
    await add(id, { amountMicro: 5n, afterMicro: 20n, ordinal: 3 })
    await add(id, { amountMicro: 5n, afterMicro: 15n, ordinal: 2 })
    await db.query(
      `update ledger_accounts set entries = 3, balance_micro = 20
       where account_id = $1`,
      [id],
    )
    assert.deepEqual(await findingsOn(id), [
      'an entry does not carry the running balance on: expected 0.00002, found 0.00002.',
    ])
  })

  test('a gap in the numbers, and a wrong count, are found', async () => {
    const [gap, count] = [randomUUID(), randomUUID()]
    await grant(gap, 10n)
    await add(gap, { amountMicro: 5n, afterMicro: 15n, ordinal: 3 })
    await db.query(
      `update ledger_accounts set entries = 2, balance_micro = 15
       where account_id = $1`,
      [gap],
    )
    await grant(count, 10n)
    await db.query('update ledger_accounts set entries = 2 where account_id = $1', [count])
    for (const id of [gap, count]) {
      const [finding, ...others] = await findingsOn(id)
      assert.match(finding!, /^the entries are not numbered without a gap/)
      assert.deepEqual(others, [])
    }
  })

  test('a key that was used twice is found, whatever its index says', async () => {
    const id = randomUUID()
    await db.script('alter table ledger_entries drop constraint ledger_entries_key_key')
    await grant(id, 10n)
    const [{ key }] = (await db.query<{ key: string }>(
      'select key from ledger_entries where account_id = $1',
      [id],
    )) as [{ key: string }]
    await add(randomUUID(), { amountMicro: 5n, afterMicro: 5n, ordinal: 1, key })
    assert((await audit()).text.includes('an entry key was used more than once'))
  })

  async function grant(id: string, amountMicro: bigint): Promise<void> {
    const entry = { id: randomUUID(), type: 'topup', key: randomUUID(), description: '' } as const
    const command = { kind: 'grant', accountId: id, amountMicro, entry } as const
    await db.begin((tx) => applyCommands(tx, [command]))
  }

  /** Behind our back. */
  async function add(
    id: string,
    entry: { amountMicro: bigint; afterMicro: bigint; ordinal: number; key?: string },
  ): Promise<void> {
    const { amountMicro, afterMicro, ordinal, key = randomUUID() } = entry
    await db.query(
      `insert into ledger_entries
         (id, account_id, type, amount_micro, balance_after_micro, key, description, ordinal)
       values ($1, $2, 'topup', $3, $4, $5, '', $6)`,
      [randomUUID(), id, amountMicro, afterMicro, key, ordinal],
    )
  }

  /** Without the account and the entry. */
  async function findingsOn(id: string): Promise<string[]> {
    const lines = (await audit()).text.split('\n').filter((line) => line.includes(id))
    return lines.map((line) => line.replace(`Account ${id}: `, '').replace(/ \(entry [^)]*\)/, ''))
  }

  async function audit(): Promise<{ code: number; text: string }> {
    let text = ''
    const code = await auditCommand.run([], { db, print: (line) => (text += `${line}\n`) })
    return { code, text }
  }
})
