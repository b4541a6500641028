import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog, type LogFields } from '../../src/lib/log.ts'
import { warnOfPlayMoney } from '../../src/app/serve.ts'
import { withDatabase } from '../support/databases.ts'

const REAL = readConfig({
  UPSTREAMS_FILE: 'upstreams.json',
  PAYMENT_PROVIDER: 'simulator',
  ALLOW_SIMULATED_PAYMENTS: 'true',
})

withDatabase('play money', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    for (const provider of ['simulator', 'simulator', 'snippe']) {
      await db.query(
        `insert into payments (id, account_id, provider, reference, provider_ref, status,
           amount_tzs, credits_micro, phone_number, payer_name, expires_at, completed_at)
         values ($1, $1, $2, $3, $3, 'completed', 5000, 5000000000, '', '', now(), now())`,
        [randomUUID(), provider, randomUUID()],
      )
    }
  })

  test('credits of simulated payments are reported where they can buy real models', async () => {
    const lines: [string, LogFields | undefined][] = []
    const log = {
      ...silentLog,
      warn: (line: string, fields?: LogFields) => void lines.push([line, fields]),
    }
    await warnOfPlayMoney(readConfig({}), db, log)
    assert.deepEqual(lines, [])
    await warnOfPlayMoney(REAL, db, log)
    const line = 'Credits of simulated payments can be spent on real models.'
    assert.deepEqual(lines, [[line, { count: 2, amount_micro: 10_000_000_000n }]])
  })
})
