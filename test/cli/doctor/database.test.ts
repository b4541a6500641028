import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { examineAccounting, examineDatabase } from '../../../src/cli/doctor/database.ts'
import { SERVICE_USER } from '../../../src/db/local/settings.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { emptyDatabase, withDatabase } from '../../support/databases.ts'
import { statesOf } from './states.ts'

withDatabase('the doctor and the database', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })
  const usual = () => ({
    db,
    timeZone: 'Africa/Dar_es_Salaam',
    connections: 5,
    role: SERVICE_USER,
  })

  test('a service that could change its own log is told, and how to mend it', async () => {
    const found = await examineDatabase({ ...usual(), role: undefined })
    assert.deepEqual(statesOf(found), ['database good', 'clock good', 'database note'])
    assert.match(found[2]!.says, /is a superuser/)
    assert.match(found[2]!.cure!, /DATABASE_OWNER_URL/)
  })

  test('a healthy one', async () => {
    const found = await examineDatabase(usual())
    assert.deepEqual(statesOf(found), ['database good', 'clock good'])
    assert.match(found[0]!.says, /^PostgreSQL 1[5-9]/)
  })

  test('a clock that is an hour off, either way', async () => {
    for (const [aheadMs, where] of [
      [3_600_000, 'behind'],
      [-3_600_000, 'ahead of'],
    ] as const) {
      const found = await examineDatabase({ ...usual(), nowMs: () => Date.now() + aheadMs })
      assert.deepEqual(statesOf(found), ['database good', 'clock bad'])
      assert.match(found[1]!.says, new RegExp(`3\\d{3}\\.\\d s ${where} this machine`))
    }
  })

  test('a time zone that the server does not know, and more connections than it allows', async () => {
    const found = await examineDatabase({ ...usual(), timeZone: 'Mars/Base', connections: 99_999 })
    assert.deepEqual(statesOf(found), [
      'database good',
      'clock good',
      'database bad',
      'database bad',
    ])
    assert.match(found[2]!.says, /does not know the time zone Mars\/Base/)
    assert.match(found[3]!.cure!, /DATABASE_POOL/)
  })

  test('an empty one has no tables and no books, which is no trouble', async () => {
    const empty = openDatabase({ url: await emptyDatabase(), poolSize: 2, log: silentLog })
    const found = [
      ...(await examineDatabase({ ...usual(), db: empty })),
      ...(await examineAccounting(empty, { full: false })),
    ]
    await empty.close()
    assert.deepEqual(statesOf(found), [
      'database good',
      'clock good',
      'database note',
      'books note',
    ])
  })

  test('books: a sample, all of them with progress, and books that do not balance', async () => {
    const [accountId, id] = [randomUUID(), randomUUID()]
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    const given = { kind: 'grant', accountId, amountMicro: 5_000_000n, entry } as const
    await db.begin((tx) => applyCommands(tx, [given]))
    assert.deepEqual(statesOf(await examineAccounting(db, { full: false })), ['books good'])
    const steps: number[] = []
    const progress = (done: number) => steps.push(done)
    assert.deepEqual(statesOf(await examineAccounting(db, { full: true, progress })), [
      'books good',
    ])
    assert.ok(steps.length > 5 && steps.at(-1) === steps.length)

    await db.query('update ledger_accounts set balance_micro = balance_micro + 1')
    for (const full of [false, true]) {
      const found = await examineAccounting(db, { full })
      assert.ok(found.length > 0 && found.every(({ state }) => state === 'bad'))
      assert.ok(found.every(({ says }) => says.includes(accountId)))
    }
  })
})
