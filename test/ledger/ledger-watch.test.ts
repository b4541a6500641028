import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { watchLedger } from '../../src/ledger/ledger-watch.ts'
import { silentLog, type Log } from '../../src/lib/log.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('the watch over the books', (open) => {
  test('a wrong balance is counted and logged by its account, and forgotten when it is mended', async () => {
    const db = await open()
    const [accountId, id] = [randomUUID(), randomUUID()]
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    await db.begin((tx) =>
      applyCommands(tx, [{ kind: 'grant', accountId, amountMicro: 7n, entry }]),
    )
    const logged: (string | undefined)[] = []
    const log: Log = {
      ...silentLog,
      error: (_message, fields) => void logged.push(fields?.account_id),
    }
    const books = watchLedger({ db, log })
    const { signal } = new AbortController()
    await books.job.run(signal)
    assert.equal(books.findings(), undefined, 'not at the start')
    await books.job.run(signal)
    assert.equal(books.findings(), 0)
    await db.query('update ledger_accounts set balance_micro = balance_micro + 1')
    await books.job.run(signal)
    assert.ok(books.findings()! > 0)
    assert.ok(logged.length > 0 && logged.every((one) => one === accountId))
    await db.query('update ledger_accounts set balance_micro = balance_micro - 1')
    await books.job.run(signal)
    assert.equal(books.findings(), 0)
  })
})
