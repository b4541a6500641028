import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adjust } from '../../src/administration/adjust.ts'
import { openDatabase } from '../../src/db/database.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertBooks } from '../support/audit.ts'
import { freshDatabase } from '../support/databases.ts'
import { startHouse } from '../support/house.ts'

const CREDITS = '1000'

test('an account that calls again and again: nobody sees the float, and all of it can be spent', async (t) => {
  const databaseUrl = await freshDatabase()
  const db = openDatabase({ url: databaseUrl, poolSize: 2, log: silentLog })
  t.after(() => db.close())
  const env = { FLOAT_CREDITS: '10' }
  const one = await startHouse({ databaseUrl, env })
  t.after(() => one.close())
  // Before there is another that might send its code.
  const asha = await one.customer(CREDITS)
  const other = await startHouse({ databaseUrl, env })
  t.after(() => other.close())
  const chat = async (house: typeof one) => {
    const messages = [{ role: 'user', content: 'Habari ya asubuhi!' }]
    const body = { model: 'sim/hekima-mini', messages, max_tokens: 50 }
    const answer = await house.call('POST /v1/chat/completions', { token: asha.key, body })
    assert.equal(answer.status, 200)
    const { data } = (await house.call('GET /v1/billing/balance', { token: asha.key })).body
    assert.equal(data.reserved_credits, 0)
    assert.equal(Number(answer.headers.get('x-credits-remaining')), data.available_credits)
    return data.balance_credits as number
  }
  const floats = () =>
    db.query<{ amount_micro: bigint }>('select amount_micro from holds where is_float')
  for (let calls = 0; calls < 4; calls++) await chat(one)
  assert.equal((await floats()).length, 1)
  const left = await chat(one)

  // Through the other process: it knows nothing of the float until the credits are needed.
  const reserved = await other.call('GET /v1/billing/balance', { token: asha.key })
  assert.ok(reserved.body.data.reserved_credits <= 10)
  const operator = { operatorId: null, name: 'test', role: 'owner' } as never
  const amountMicro = -BigInt(Math.round(left * 1e6))
  const taken = await adjust(other.db, operator, {
    accountId: asha.accountId,
    amountMicro,
    reason: 'test',
    key: uuidv7(),
  })
  assert.deepEqual(taken, { kind: 'posted', balanceMicro: 0n })
  assert.deepEqual(await floats(), [])
  await assertBooks(db)
})

test('a process that ends gives its floats back', async (t) => {
  const databaseUrl = await freshDatabase()
  const db = openDatabase({ url: databaseUrl, poolSize: 2, log: silentLog })
  t.after(() => db.close())
  const house = await startHouse({ databaseUrl, env: { FLOAT_CREDITS: '10' } })
  const asha = await house.customer(CREDITS)
  const messages = [{ role: 'user', content: 'Habari ya asubuhi!' }]
  const body = { model: 'sim/hekima-mini', messages, max_tokens: 50 }
  for (let calls = 0; calls < 4; calls++) {
    await house.call('POST /v1/chat/completions', { token: asha.key, body })
  }
  const floats = await db.query('select id from holds where is_float')
  await house.close()
  assert.equal(floats.length, 1)
  assert.deepEqual(await db.query('select id from holds'), [])
  await assertBooks(db)
})
