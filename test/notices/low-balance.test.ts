import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, it } from 'node:test'
import { creditsNumber } from '../../src/ledger/money.ts'
import type { Db, Tx } from '../../src/db/db.ts'
import { createBalanceWatch } from '../../src/notices/low-balance.ts'
import { insertEndpoint } from '../../src/webhooks/endpoints-store.ts'
import { withDatabase } from '../support/databases.ts'
import { insertPerson } from '../support/people.ts'

withDatabase('a low balance', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await insertEndpoint(db, {
      id: randomUUID(),
      url: 'https://example.com/',
      description: '',
      events: ['balance.low'],
      secret: Buffer.alloc(1),
    })
  })

  it('is told to webhooks with the notice, and costs no query unless it is news', async () => {
    const accountId = await insertPerson(db, { email: 'asha@example.com' })
    const watch = createBalanceWatch({ thresholdMicro: 20_000_000n, credits: creditsNumber })
    let queries = 0
    const note = (availableMicro: bigint, credited = false) =>
      db.begin((tx) => {
        const counting: Tx = {
          query: (sql, params) => (queries++, tx.query(sql, params)),
          read: (sql, params) => (queries++, tx.read(sql, params)),
          script: (sql) => (queries++, tx.script(sql)),
        }
        return watch.noteBalances(counting, [{ accountId, availableMicro, credited }])
      })
    const told = async () => {
      const rows = await db.query<{ body: string }>(
        'select body from webhook_deliveries order by event_id',
      )
      return rows.map(({ body }) => JSON.parse(body).data)
    }
    await note(25_000_000n)
    await note(20_000_000n)
    assert.equal(queries, 0)
    await note(19_500_000n)
    assert.ok(queries > 0)
    assert.deepEqual(await told(), [{ account_id: accountId, available_credits: 19.5 }])
    queries = 0
    for (let micro = 19_000_000n; micro > 0n; micro -= 1_000_000n) await note(micro)
    assert.equal(queries, 0)
    await note(50_000_000n, true)
    await note(3_000_000n)
    assert.equal((await told()).length, 2)
  })
})
