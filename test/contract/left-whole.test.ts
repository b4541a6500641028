import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertAgreement } from '../support/agreement.ts'
import { startHouse } from '../support/house.ts'

/* Callers who leave before they have got anything: the upstream works, and nobody would pay. */

type House = Awaited<ReturnType<typeof startHouse>>
let house: House

before(async () => {
  house = await startHouse({ simulator: { latency: { firstMs: 400 } } })
})
after(() => house.close())

/** Each is reserved at ten credits for its answer, and a little for its prompt. */
async function askAndLeave(key: string, stream: boolean): Promise<void> {
  const hangUp = new AbortController()
  house.models.log.clear()
  const answer = fetch(`${house.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/hekima',
      messages: [{ role: 'user', content: 'Habari' }],
      stream,
    }),
    signal: hangUp.signal,
  })
  await house.models.log.until({ route: '/chat/completions' })
  hangUp.abort()
  await assert.rejects(answer)
}

async function ends(accountId: string, count: number) {
  const select = 'select status, cost_micro from activity_records where account_id = $1 order by id'
  for (;;) {
    const rows = await house.db.query<{ status: string; cost_micro: bigint }>(select, [accountId])
    if (rows.length >= count) return rows
    await pause(10)
  }
}

async function leaveTwo(stream: boolean) {
  const asha = await house.customer('1000')
  for (let i = 1; i <= 2; i++) {
    await askAndLeave(asha.key, stream)
    const [last] = (await ends(asha.accountId, i)).slice(-1)
    assert.deepEqual([last!.status, last!.cost_micro], ['cancelled', 0n])
  }
  return asha
}

test('whole answers left before they come: twenty credits are free, then they are charged', async () => {
  const asha = await leaveTwo(false)
  await askAndLeave(asha.key, false)
  const [, , third] = await ends(asha.accountId, 3)
  assert.equal(third!.status, 'completed')
  assert.ok(third!.cost_micro > 0n)
  await assertAgreement(house.db)
})

test('streams left before they begin: the same, and then they count as streams that are left', async () => {
  const asha = await leaveTwo(true)
  const select = 'select worth_micro from left_unpaid where account_id = $1'
  assert.deepEqual(await house.db.query(select, [asha.accountId]), [])
  await askAndLeave(asha.key, true)
  await ends(asha.accountId, 3)
  assert.equal((await house.db.query(select, [asha.accountId])).length, 1)
  await assertAgreement(house.db)
})

test('whoever stays is not concerned', async () => {
  const juma = await house.customer('100')
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] }
  const answer = await house.call('POST /v1/chat/completions', { token: juma.key, body })
  assert.equal(answer.status, 200)
  await assertAgreement(house.db)
})
