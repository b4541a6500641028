import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../support/app.ts'
import { freshDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { addressIn } from '../support/peers/database-address.ts'
import { faultProxy, type FaultProxy } from '../torture/rig/fault-proxy.ts'

/* A stalled network: a hold reaches the database when its sender has given up. */

const PATIENCE_MS = 3_000
/** A third of a credit, or less when it is counted exactly. */
const body = { model: 'sim/vekta', input: 'Habari '.repeat(800) }

let proxy: FaultProxy
let app: Awaited<ReturnType<typeof startApp>>
/** Straight to the database, not through the proxy. */
let direct: Db

before(async () => {
  const url = await freshDatabase()
  direct = openDatabase({ url, poolSize: 2, log: silentLog })
  proxy = await faultProxy(addressIn(url))
  app = await startApp({ databaseUrl: proxy.in(url), patienceMs: PATIENCE_MS })
})
after(async () => {
  await app.close()
  await proxy.close()
  await direct.close()
})

/** A customer whose account the process knows. */
async function regular(credits: string) {
  const customer = await app.customer(credits)
  const { status } = await ask(customer.key)
  assert.equal(status, 200)
  return customer
}

const ask = (token: string) => app.call('POST /v1/embeddings', { token, body })

const holds = () => direct.query<{ account_id: string }>('select account_id from holds')

test('a hold that arrives when its call has failed is released within 90 s', async () => {
  // Of these two only the first has so much that its upstream is asked beside the hold.
  const customers = [await regular('100'), await regular('2')]
  app.models.log.clear()
  proxy.delayHolds(PATIENCE_MS + 1_000)
  const answers = await Promise.all(customers.map(({ key }) => ask(key)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503],
  )
  await proxy.heal()
  assert.equal(app.models.log.count({ route: '/embeddings' }), 1)
  await eventually('both holds are there', async () => (await holds()).length === 2)
  // A sweeper goes round every ten seconds, and leaves what is younger than a minute.
  await direct.query(`update holds set created_at = now() - interval '61 s'`)
  await eventually('both are released', async () => (await holds()).length === 0)
  await assertAgreement(direct)
  const charges = `select 1 from ledger_entries where type = 'usage'`
  assert.equal((await direct.query(charges)).length, 2, 'those of the earlier calls')
  for (const { key } of customers) assert.equal((await ask(key)).status, 200)
  await assertAgreement(direct)
})
